package finding_test

import (
	"os"
	"path/filepath"
	"testing"

	"misstep/dap"
	"misstep/finding"
	"misstep/internal/gobuild"
	"misstep/internal/source"
	"misstep/internal/testhouse"
)

const text = `package main

func main() {
	for i := range 3 {
		println(i)
	}
}
`

func load(t *testing.T) (*gobuild.Program, *source.Source) {
	dir := t.TempDir()
	file := filepath.Join(dir, "main.go")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	p := &gobuild.Program{Name: "p", Dir: dir, Target: []string{file}, Files: []string{file}}
	return p, testhouse.New(t).Load(t, p)
}

func base() []dap.Event {
	at := func(line int) dap.Output {
		return dap.Output{Kind: dap.Paused, Pause: &dap.Pause{Reason: "step", Stack: []dap.Frame{{Func: "main.main", File: "main.go", Line: line}}}}
	}
	return []dap.Event{
		{Action: dap.Action{Kind: dap.Break, File: "main.go", Line: 4}, Output: dap.Output{Kind: dap.Set, Breakpoint: &dap.Breakpoint{Verified: true, Line: 4}}},
		{Action: dap.Action{Kind: dap.Break, File: "main.go", Line: 2}, Output: dap.Output{Kind: dap.Set, Breakpoint: &dap.Breakpoint{}}},
		{Action: dap.Action{Kind: dap.Continue}, Output: at(4)},
		{Action: dap.Action{Kind: dap.Next}, Output: at(5)},
	}
}

func restarted() []dap.Event {
	return append(base(), dap.Event{Action: dap.Action{Kind: dap.Restart}, Output: dap.Output{Kind: dap.Done}})
}

func TestClass(t *testing.T) {
	_, src := load(t)
	of := func(oracle, rule string, kind dap.DiffKind, index int, base, follow []dap.Event) *finding.Finding {
		return &finding.Finding{Oracle: oracle, Rule: rule, Kind: kind, Payload: &finding.Session{Base: base, Index: index, Follow: follow}}
	}
	for _, c := range []struct {
		f    *finding.Finding
		want string
	}{
		{of("metamorphic", "replay", dap.DiffLocation, 3, base(), nil), "replay/next/RangeStmt/location"},
		{of("metamorphic", "replay", dap.DiffBreakpoint, 0, base(), nil), "replay/break/RangeStmt/breakpoint"},
		{of("metamorphic", "replay", dap.DiffOutput, 3, base(), nil), "replay/run/output"},
		{of("metamorphic", "restart", dap.DiffOutput, 3, base(), restarted()), "end/restart/output"},
		{of("reference", "R8-end", dap.DiffOutput, 4, restarted(), nil), "end/restart/output"},
		{of("metamorphic", "rename", dap.DiffOutput, 4, restarted(), restarted()), "rename/restart/output"},
		{&finding.Finding{Oracle: "protocol", Rule: "seq", On: "stopped"}, "protocol/seq/stopped"},
		{&finding.Finding{Oracle: "protocol", Rule: "seq-order"}, "protocol/seq-order"},
	} {
		c.f.Classify(src)
		if got := c.f.Class.String(); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// TestWherever: what is wrong with a value wherever it is looked at has one class, whatever the statement and the action are.
func TestWherever(t *testing.T) {
	_, src := load(t)
	for _, c := range []struct {
		oracle, rule string
		d            dap.Difference
		want         string
	}{
		{"reference", "R3-value", dap.Difference{Kind: dap.DiffVariables, What: "x", A: "3", B: "4"}, "R3-value/continue/CallExpr/variables"},
		{"reference", "R3-value", dap.Difference{Kind: dap.DiffVariables, What: "x", A: "readable", B: "(unreadable read out of bounds)"}, "R3-value/unreadable/read-out-of-bounds/variables"},
		{"reference", "R10-assign", dap.Difference{Kind: dap.DiffVariables, What: "x, its type", A: "main.T", B: "go.shape.int"}, "R10-assign/type/shape/variables"},
		{"reference", "R3-value", dap.Difference{Kind: dap.DiffVariables, What: "x, its type", A: "main.T", B: "main.U"}, "R3-value/continue/CallExpr/variables"},
		{"trace", "readable", dap.Difference{Kind: dap.DiffVariables, What: "x", A: "readable", B: "(unreadable no address for escaped variable)"}, "readable/unreadable/no-address-for-escaped-variable/variables"},
		{"trace", "text", dap.Difference{Kind: dap.DiffVariables, What: "a, b, in hexadecimal", A: "0x1", B: "0x2"}, "text/in-hexadecimal/variables"},
		{"trace", "text", dap.Difference{Kind: dap.DiffVariables, What: "m, its text", A: "map[string]int …", B: "[]"}, "text/text-of-a-map/variables"},
		{"trace", "text", dap.Difference{Kind: dap.DiffVariables, What: "p, its text", A: "*…", B: "5"}, "text/text-of-a-pointer/variables"},
		{"trace", "text", dap.Difference{Kind: dap.DiffVariables, What: "how x is shown", A: "1", B: "2"}, "text/continue/CallExpr/variables"},
	} {
		f := &finding.Finding{Oracle: c.oracle, Rule: c.rule, Kind: c.d.Kind, What: c.d.What, Expected: finding.Said{Text: c.d.A}, Got: finding.Said{Text: c.d.B}, Payload: &finding.Session{
			Base: []dap.Event{
				{Action: dap.Action{Kind: dap.Continue}, Output: dap.Output{Kind: dap.Paused, Pause: &dap.Pause{Stack: []dap.Frame{{File: "main.go", Line: 5}}}}},
				{Action: dap.Action{Kind: dap.Continue}},
			}, Index: 1,
		}}
		if f.Classify(src); f.Class.String() != c.want {
			t.Errorf("%s, want %s", f.Class, c.want)
		}
	}
}

// TestActions: a class names the action that showed the difference, whatever its kind.
func TestActions(t *testing.T) {
	_, src := load(t)
	for _, m := range dap.Meanings() {
		f := &finding.Finding{
			Oracle: "trace", Rule: "rule", Kind: dap.DiffLocation,
			Payload: &finding.Session{Base: []dap.Event{{Action: dap.Action{Kind: m.Kind, Name: "x"}}}, Index: 0},
		}
		if f.Classify(src); f.Class.Action != string(m.Kind) {
			t.Errorf("%s has the class %s", m.Kind, f.Class)
		}
	}
}

// TestConverted: refusals to convert are told apart by the kind of type that was asked for.
func TestConverted(t *testing.T) {
	_, src := load(t)
	for text, want := range map[string]string{
		`can not convert "[]byte(w)" to main.Message`: "can-not-convert-to-named",
		`can not convert "msg" to []uint8`:            "can-not-convert-to-slice",
		`can not convert "&x" to *main.set`:           "can-not-convert-to-pointer",
		`can not convert "a" to complex64`:            "can-not-convert-to-complex64",
		`can not convert value of type int to uint`:   "can-not-convert-value-of",
		`can not convert "odd`:                        "can-not-convert",
		`could not find symbol value for a`:           "could-not-find-symbol-value",
	} {
		f := &finding.Finding{Oracle: "reference", Rule: "R9-evaluate", Kind: dap.DiffVariables, Payload: &finding.Session{
			Base: []dap.Event{{Action: dap.Action{Kind: dap.Evaluate, Name: "x"}, Output: dap.Output{Kind: dap.Refused, Text: "Unable to evaluate expression: " + text}}},
		}}
		if f.Classify(src); f.Class.String() != "R9-evaluate/eval/"+want+"/variables" {
			t.Errorf("%s: %s, want %s", text, f.Class, want)
		}
	}
}
