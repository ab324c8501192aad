package trace

import (
	"testing"

	"misstep/dap"
	"misstep/internal/debuggee"
	"misstep/internal/testhouse"
)

// TestStood: which programs that were let run cannot be paused where they were, and of which that is not known.
func TestStood(t *testing.T) {
	h := testhouse.New(t)
	p := h.Find(t, "corpus/deferpanic")[0]
	d := &debuggee.Debuggee{Build: h.Build(t, p), Source: h.Load(t, p)}
	frame := func(fn string, line int) dap.Frame {
		return dap.Frame{Func: fn, File: "main.go", Line: line, Place: beginning(t, d.Build, fn, line)}
	}
	first := dap.Frame{Func: "runtime.main"}
	pause := func(frames ...dap.Frame) *dap.Pause {
		return &dap.Pause{Reason: "breakpoint", Hit: []string{"main.go:23"}, Thread: 1, Stack: append(frames, first)}
	}
	with := func(p *dap.Pause, change func(*dap.Pause)) *dap.Pause {
		change(p)
		return p
	}
	unplaced := func(p *dap.Pause) *dap.Pause {
		for i := range p.Stack {
			p.Stack[i].Place = ""
		}
		return p
	}
	inNamed, inLoop, caller := frame("main.named", 23), frame("main.order", 29), frame("main.main", 57)
	for _, c := range []struct {
		name          string
		before, after *dap.Pause
		is, able      bool
	}{
		{"where it was", pause(inNamed, caller), pause(inNamed, caller), true, true},
		{"at another line", pause(inNamed, caller), pause(frame("main.named", 24), caller), false, true},
		{"by another call", pause(inNamed, caller), pause(inNamed, frame("main.main", 58)), false, true},
		{"in a loop", pause(inLoop, caller), pause(inLoop, caller), false, false},
		{"in what a loop calls", pause(inNamed, inLoop, caller), pause(inNamed, inLoop, caller), false, false},
		{"in another goroutine", pause(inNamed, caller), with(pause(inNamed, caller), func(p *dap.Pause) { p.Thread = 2 }), false, false},
		{"after a fault", with(pause(inNamed, caller), func(p *dap.Pause) { p.Reason = "exception" }), pause(inNamed, caller), false, false},
		{"at the same breakpoint, of a debugger that tells no instructions", unplaced(pause(inNamed, caller)), unplaced(pause(inNamed, caller)), true, true},
		{"for another reason, of such a debugger", unplaced(pause(inNamed, caller)), with(unplaced(pause(inNamed, caller)), func(p *dap.Pause) { p.Hit = nil }), false, true},
		{"after a step, of such a debugger", with(unplaced(pause(inNamed, caller)), func(p *dap.Pause) { p.Hit = nil }), unplaced(pause(inNamed, caller)), false, false},
		{"in a loop, of such a debugger", unplaced(pause(inLoop, caller)), unplaced(pause(inLoop, caller)), false, false},
	} {
		if is, able := stood(d, c.before, c.after, dap.Action{Kind: dap.Next}, false); is != c.is || able != c.able {
			t.Errorf("%s: %t, %t; want %t, %t", c.name, is, able, c.is, c.able)
		}
	}
	part := func() *dap.Pause { return with(pause(inNamed, caller), func(p *dap.Pause) { p.Stack = p.Stack[:1] }) }
	if _, able := stood(d, part(), part(), dap.Action{Kind: dap.Next}, false); able {
		t.Error("callers that are not shown may be others")
	}
	e := h.Engine
	e.LDFlags = "-w"
	stripped, err := h.Cache.Build(t.Context(), p, e, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	bare := &debuggee.Debuggee{Build: stripped, Source: d.Source}
	if _, able := stood(bare, pause(inNamed, caller), pause(inNamed, caller), dap.Action{Kind: dap.Next}, false); able {
		t.Error("without debug information callers may be missing")
	}
	if _, able := stood(d, pause(inNamed, caller), pause(inNamed, caller), dap.Action{Kind: dap.Next}, true); able {
		t.Error("a breakpoint that has just been set may be there")
	}
	for _, a := range []dap.Action{{Kind: dap.Interrupt}, {Kind: dap.Next, Instruction: true}, {Kind: dap.Next, Thread: 2}, {Kind: dap.Continue, Meanwhile: "pause"}} {
		if _, able := stood(d, pause(inNamed, caller), pause(inNamed, caller), a, false); able {
			t.Errorf("%s is judged", a)
		}
	}
}
