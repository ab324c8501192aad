package reference_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"misstep/dap"
	"misstep/internal/debuggee"
	"misstep/internal/gobuild"
	"misstep/internal/testhouse"
	"misstep/oracle"
	"misstep/oracle/reference"
)

// TestCrashTrace: the stack at a pause for a panic has the lines that the runtime prints, as far as both go.
func TestCrashTrace(t *testing.T) {
	h := testhouse.New(t)
	p := h.Find(t, "corpus/loops")[0]
	src := h.Load(t, p)
	file := filepath.Join(p.Dir, "main.go")
	trace := fmt.Sprintf("panic: boom\n\ngoroutine 1 [running]:\nmain.inner(...)\n\t%[1]s:9\nmain.outer(0x1, {0x2, 0x3})\n\t%[1]s:15 +0x1d\nfmt.Println()\n\t/usr/lib/go/src/fmt/print.go:314 +0x1\nmain.main()\n\t%[1]s:21 +0x25\n", file)
	elided := fmt.Sprintf("panic: boom\n\ngoroutine 1 [running]:\nmain.inner(...)\n\t%[1]s:9\n...additional frames elided...\nmain.main()\n\t%[1]s:21 +0x25\n", file)
	recursive := fmt.Sprintf("panic: boom\n\ngoroutine 1 [running]:\nmain.f(0x1)\n\t%[1]s:9 +0x1\nmain.f(0x2)\n\t%[1]s:9 +0x1\nmain.f(0x3)\n\t%[1]s:9 +0x1\nmain.main()\n\t%[1]s:21 +0x25\n", file)
	another := fmt.Sprintf("panic: boom\n\ngoroutine 7 [running]:\nmain.inner(...)\n\t%[1]s:9\ncreated by main.main in goroutine 1\n\t%[1]s:15 +0x25\n", file)
	stack := func(lines ...int) (frames []dap.Frame) {
		frames = append(frames, dap.Frame{Func: "runtime.fatalpanic", File: "$GOROOT/src/runtime/panic.go", Line: 1302})
		for _, line := range lines {
			frames = append(frames, dap.Frame{Func: "main.f", File: "main.go", Line: line})
		}
		return append(frames, dap.Frame{Func: "runtime.goexit", File: "$GOROOT/src/runtime/asm_amd64.s", Line: 1771})
	}
	cut := func(frames []dap.Frame) []dap.Frame { return frames[:len(frames)-1] }
	for _, c := range []struct {
		name   string
		stderr string
		text   string
		stack  []dap.Frame
		called bool
		made   int
		fails  bool
	}{
		{"as it is printed", trace, `"boom"`, stack(9, 15, 21), false, 3, false},
		{"a caller one line off", trace, `"boom"`, stack(9, 16, 21), false, 2, true},
		{"what a defer statement starts is between", trace, `"boom"`, stack(9, 13, 15, 21), false, 3, false},
		{"an activation of a recursion is missing", recursive, `"boom"`, stack(9, 9, 21), false, 3, true},
		{"the innermost is missing", trace, `"boom"`, stack(15, 21), false, 1, true},
		{"after a stack that the program printed", "goroutine 1 [running]:\nmain.f()\n\t" + file + ":3 +0x1\n\n" + trace, `"boom"`, stack(9, 15, 21), false, 3, false},
		{"cut off", trace, `"boom"`, cut(stack(9, 15)), false, 2, false},
		{"the outermost is missing", trace, `"boom"`, stack(9, 15), false, 3, true},
		{"what the runtime leaves out", elided, `"boom"`, stack(9, 30, 31, 32), false, 1, false},
		{"what made the goroutine is none of its frames", another, `"boom"`, stack(9), false, 1, false},
		{"what a panic is of that is no text", trace, `error(*errors.errorString) *{s: "boom"}`, stack(9, 15, 20), false, 3, true},
		{"another panic", trace, `"bang"`, stack(1), false, 0, false},
		{"after a call", trace, `"boom"`, stack(9, 16), true, 0, false},
		{"nothing is printed of it", "panic: boom\n\ngoroutine 1 [chan receive]:\n", `"boom"`, stack(9), false, 0, false},
	} {
		events := []dap.Event{{Action: dap.Action{Kind: dap.Continue}, Output: dap.Output{Kind: dap.Paused, Pause: &dap.Pause{Reason: "exception", Description: "panic", Text: c.text, Stack: c.stack}}}}
		if c.called {
			events = append([]dap.Event{{Action: dap.Action{Kind: dap.Evaluate, Name: "call f()"}, Output: dap.Output{Kind: dap.Answered}}}, events...)
		}
		d := &debuggee.Debuggee{Build: &gobuild.Build{Program: p}, Source: src, ExitCode: 2, Stderr: c.stderr}
		found, tally, err := reference.Ends{}.Judge(context.Background(), &oracle.Seen{Events: events, Debuggee: d})
		if err != nil {
			t.Fatal(err)
		}
		fails := false
		for _, f := range found {
			fails = fails || f.Rule == "R12-trace"
		}
		if made := tally.Made["reference/R12-trace"]; made != c.made || fails != c.fails {
			t.Errorf("%s: %d checks, fails %v; want %d and %v", c.name, made, fails, c.made, c.fails)
		}
	}
}
