package blame_test

import (
	"os"
	"path/filepath"
	"testing"

	"misstep/dap"
	"misstep/finding"
	"misstep/internal/testhouse"
	"misstep/triage/blame"
)

const program = `package main

import "os"

func main() {
	defer println("deferred")
	total := len(os.Args)
	if total > 9 {
		return
	}
	println(total)
	for {
		total++
		if total > 20 {
			break
		}
	}
}
`

// TestOf: what the binary's debug information has, and what it has not.
func TestOf(t *testing.T) {
	h := testhouse.New(t)
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	b := h.Build(t, h.Find(t, file)[0])
	at := []dap.Event{{Action: dap.Action{Kind: dap.Next}, Output: dap.Output{Kind: dap.Paused, Pause: &dap.Pause{
		Stack: []dap.Frame{{Func: "main.main", File: "main.go", Line: 8}},
	}}}}
	of := func(d dap.Difference) *finding.Finding {
		return &finding.Finding{Kind: d.Kind, What: d.What, Expected: finding.Said{Text: d.A}, Got: finding.Said{Text: d.B}}
	}
	for _, test := range []struct {
		name    string
		finding *finding.Finding
		want    string
	}{
		{"a line with code", of(dap.Difference{Kind: dap.DiffLocation, A: "main.go:11"}), blame.Debugger},
		{"a return without results, where something is deferred", of(dap.Difference{Kind: dap.DiffBreakpoint, A: "not verified", B: "set at main.go:9"}), blame.Compiler},
		{"a line that is told by its function", of(dap.Difference{Kind: dap.DiffLocation, What: "line 14 of main.main", A: "a pause", B: "none before main.go:11"}), blame.Debugger},
		{"the first line of a loop without a condition", of(dap.Difference{Kind: dap.DiffLocation, What: "line 13 of main.main", A: "a pause", B: "none before main.go:14"}), blame.Compiler},
		{"the same, of messages", of(dap.Difference{Kind: dap.DiffLog, What: "messages of the log point at main.go:13", A: "3", B: "1"}), blame.Compiler},
		{"messages at another line", of(dap.Difference{Kind: dap.DiffLog, What: "a message of the log point at main.go:11", A: "x", B: "y"}), blame.Debugger},
		{"a variable", of(dap.Difference{Kind: dap.DiffVariables, What: "total"}), blame.Debugger},
		{"a variable that is not there", of(dap.Difference{Kind: dap.DiffVariables, What: "sum"}), blame.Compiler},
		{"a variable that is there, and unreadable", of(dap.Difference{Kind: dap.DiffVariables, What: "total", A: "readable", B: "(unreadable read out of bounds)"}), blame.Debugger},
		{"which variables there are", of(dap.Difference{Kind: dap.DiffVariables, What: "names", A: "(d)", B: "(c)"}), blame.Unclear},
		{"a data breakpoint", of(dap.Difference{Kind: dap.DiffBreakpoint, What: "a breakpoint on total", A: "set", B: "not verified"}), blame.Debugger},
		{"where a step ends", &finding.Finding{Rule: "step-source", Kind: dap.DiffLocation, What: "where stepin ends", Expected: finding.Said{Text: "a line of a file"}, Got: finding.Said{Text: ":1 in main.init"}}, blame.Debugger},
		{"an expression", of(dap.Difference{Kind: dap.DiffValue, What: "value"}), blame.Debugger},
		{"the exit code", of(dap.Difference{Kind: dap.DiffExit, A: "0", B: "1"}), blame.Adapter},
		{"a message", &finding.Finding{Oracle: "protocol", Rule: "seq"}, blame.Adapter},
		{"nothing", &finding.Finding{}, blame.Unclear},
	} {
		test.finding.Payload = &finding.Session{Base: at}
		e := blame.Of(test.finding, b)
		if e.Points != test.want || e.Because == "" {
			t.Errorf("%s points to %s, not to %s", test.name, &e, test.want)
		}
	}
}
