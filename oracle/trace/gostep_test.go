package trace

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"misstep/dap"
	"misstep/internal/debuggee"
	"misstep/internal/gobuild"
	"misstep/internal/testhouse"
)

// TestStarted: a go statement of which it is known what it starts, and those of which it is not.
func TestStarted(t *testing.T) {
	const text = `package main

type worker struct{}

func (worker) run(n int) {}

func work(n int) int { return n }

func main() {
	var w worker
	var r interface{ run(int) } = w
	f := work
	go work(1)
	go w.run(2)
	go r.run(3)
	go f(4)
	go work(work(5))
	go func() {}()
	go work(6); println()
	go work(
		7)
	work(8)
	for { go work(9) }
}
`
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module m\n\ngo 1.22\n", "main.go": text} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	h := testhouse.New(t)
	p := &gobuild.Program{Name: "m", Dir: dir, Target: []string{"."}, Files: []string{filepath.Join(dir, "main.go")}}
	src, err := h.Loader.Load(context.Background(), p, h.Engine)
	if err != nil {
		t.Fatal(err)
	}
	d := &debuggee.Debuggee{Source: src, Build: &gobuild.Build{Program: p, Engine: h.Engine}}
	want := map[int]string{13: "work", 14: "run"}
	for line := 9; line < 25; line++ {
		at := &dap.Pause{Reason: "breakpoint", Stack: []dap.Frame{{Func: "main.main", File: "main.go", Line: line}}}
		got := ""
		if fn := started(d, at, dap.Action{Kind: dap.StepIn}); fn != nil {
			got = fn.Name()
		}
		if got != want[line] {
			t.Errorf("line %d starts %q, want %q", line, got, want[line])
		}
		if started(d, at, dap.Action{Kind: dap.Next}) != nil || started(d, at, dap.Action{Kind: dap.StepIn, Instruction: true}) != nil {
			t.Errorf("line %d: another step goes into what is started", line)
		}
	}
	for fn, ok := range map[string]bool{"main.work": true, "main.worker.run": false, "main.network": false} {
		p := &dap.Pause{Stack: []dap.Frame{{Func: fn}}}
		if goesInto(p, started(d, &dap.Pause{Reason: "step", Stack: []dap.Frame{{File: "main.go", Line: 13}}}, dap.Action{Kind: dap.StepIn})) != ok {
			t.Errorf("%s: want %v", fn, ok)
		}
	}
}
