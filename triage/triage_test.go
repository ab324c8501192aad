package triage_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"misstep/dap"
	"misstep/internal/gobuild"
	"misstep/internal/source"
	"misstep/internal/testhouse"
	"misstep/oracle"
	"misstep/triage"
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
	for _, c := range []struct {
		f    oracle.Finding
		want string
	}{
		{oracle.Finding{Oracle: "metamorphic", Rule: "replay", Base: base(), Index: 3, Diff: &dap.Difference{Kind: dap.DiffLocation}}, "replay/next/RangeStmt/location"},
		{oracle.Finding{Oracle: "metamorphic", Rule: "replay", Base: base(), Index: 0, Diff: &dap.Difference{Kind: dap.DiffBreakpoint}}, "replay/break/RangeStmt/breakpoint"},
		{oracle.Finding{Oracle: "metamorphic", Rule: "replay", Base: base(), Index: 3, Diff: &dap.Difference{Kind: dap.DiffOutput}}, "replay/run/output"},
		{oracle.Finding{Oracle: "metamorphic", Rule: "restart", Base: base(), Follow: restarted(), Index: 3, Diff: &dap.Difference{Kind: dap.DiffOutput}}, "end/restart/output"},
		{oracle.Finding{Oracle: "reference", Rule: "R8-end", Base: restarted(), Index: 4, Diff: &dap.Difference{Kind: dap.DiffOutput}}, "end/restart/output"},
		{oracle.Finding{Oracle: "metamorphic", Rule: "rename", Base: restarted(), Follow: restarted(), Index: 4, Diff: &dap.Difference{Kind: dap.DiffOutput}}, "rename/restart/output"},
		{oracle.Finding{Oracle: "protocol", Rule: "seq", On: "stopped"}, "protocol/seq/stopped"},
		{oracle.Finding{Oracle: "protocol", Rule: "seq-order"}, "protocol/seq-order"},
	} {
		if got := triage.Class(&c.f, src); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

func TestScript(t *testing.T) {
	p, _ := load(t)
	f := &oracle.Finding{
		Oracle: "metamorphic", Rule: "add-breakpoint", Class: "c", Reason: "It must. But it does not.", Program: "p",
		Engine: "dlv@v1.26.0", Base: base(), Params: map[string]string{"at": "2", "line": "main.go:5", "expr": "a b"},
	}
	out, err := triage.Script(f, p)
	if err != nil {
		t.Fatal(err)
	}
	ar := txtar.Parse(out)
	for _, want := range []string{
		"# class: c\n", "# It must. But it does not.\n", "debug -engine dlv@v1.26.0 main.go\n",
		"break main.go:4\n", "! break main.go:2\n", "next\n# paused at main.go:5 main.main (step)\n",
		"relate add-breakpoint at=2 'expr=a b' line=main.go:5\n",
	} {
		if !strings.Contains(string(ar.Comment), want) {
			t.Errorf("no %q in:\n%s", want, ar.Comment)
		}
	}
	if len(ar.Files) != 1 || string(ar.Files[0].Data) != text {
		t.Errorf("files %v", ar.Files)
	}
	if _, err := triage.Script(&oracle.Finding{}, p); err == nil {
		t.Error("a finding without a reason was written")
	}
}
