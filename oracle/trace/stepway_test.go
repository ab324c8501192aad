package trace

import (
	"strings"
	"testing"

	"misstep/dap"
	"misstep/internal/debuggee"
	"misstep/internal/gobuild"
	"misstep/internal/testhouse"
)

// beginning is the first place of a function at which a statement of a line of its file begins.
func beginning(t *testing.T, b *gobuild.Build, fn string, line int) string {
	t.Helper()
	table, err := b.Lines()
	if err != nil {
		t.Fatal(err)
	}
	addr, code, ok := inCode(b, fn+"+0x0")
	for ok && strings.HasPrefix(b.Symbols.PlaceAt(addr), fn+"+") {
		if _, is, begins := table.Beginning(addr); begins && is == line {
			return b.Symbols.PlaceAt(addr)
		}
		in, ok := code.At(addr)
		if !ok {
			break
		}
		addr += uint64(len(in.Bytes))
	}
	t.Fatalf("no statement of line %d begins in %s", line, fn)
	return ""
}

// TestStrayed: which steps pass by a statement, and of which that is not known.
func TestStrayed(t *testing.T) {
	h := testhouse.New(t)
	p := h.Find(t, "corpus/deferpanic")[0]
	d := &debuggee.Debuggee{Build: h.Build(t, p), Source: h.Load(t, p)}
	const named, caller = "main.named", "main.main+0x100"
	// In named are, one after the other, the lines of defer, if, return, an assignment, return, and the end.
	pause := func(fn string, line int, below ...string) *dap.Pause {
		p := &dap.Pause{Reason: "step", Thread: 1, Stack: []dap.Frame{{Func: fn, File: "main.go", Line: line, Place: beginning(t, d.Build, fn, line)}}}
		for _, place := range below {
			of, _, _ := strings.Cut(place, "+0x")
			p.Stack = append(p.Stack, dap.Frame{Func: of, File: "main.go", Place: place})
		}
		return p
	}
	with := func(p *dap.Pause, change func(*dap.Pause)) *dap.Pause {
		change(p)
		return p
	}
	assigned, end := pause(named, 23, caller), pause(named, 25, caller)
	called := pause(named, 23, beginning(t, d.Build, "main.safe", 14), caller)
	for _, c := range []struct {
		name          string
		kind          dap.Kind
		before, after *dap.Pause
		from          string
		able          bool
	}{
		{"to the next line", dap.Next, assigned, pause(named, 24, caller), "", true},
		{"to the same line", dap.Next, pause(named, 20, caller), pause(named, 20, caller), "main.go:20", true},
		{"by way of a branch", dap.Next, pause(named, 20, caller), assigned, "", true},
		{"into the branch not taken", dap.StepIn, pause(named, 20, caller), pause(named, 21, caller), "", true},
		{"past a line", dap.Next, pause(named, 20, caller), pause(named, 24, caller), "main.go:20", true},
		{"back", dap.Next, assigned, pause(named, 20, caller), "main.go:23", true},
		{"past a line, in another call", dap.Next, pause(named, 20, caller), pause(named, 24, caller+"0"), "", false},
		{"past a line, in a call of the function", dap.StepIn, pause(named, 20, caller), pause(named, 24, named+"+0x10", caller), "", false},
		{"past a line, to a breakpoint", dap.Next, pause(named, 20, caller), with(pause(named, 24, caller), func(p *dap.Pause) { p.Reason = "breakpoint" }), "", false},
		{"past a line, in another thread", dap.Next, pause(named, 20, caller), with(pause(named, 24, caller), func(p *dap.Pause) { p.Thread = 2 }), "", false},
		{"past a line, while a panic unwinds", dap.Next, pause(named, 20, "runtime.gopanic+0x10"), pause(named, 24, "runtime.gopanic+0x10"), "", false},
		{"from a fault", dap.Next, with(pause(named, 20, caller), func(p *dap.Pause) { p.Reason = "exception" }), pause(named, 24, caller), "", false},
		{"out, in the same function", dap.StepOut, pause(named, 20, caller), pause(named, 24, caller), "", false},
		{"out, where the call returns to", dap.StepOut, called, with(pause("main.safe", 14, caller), func(p *dap.Pause) {}), "", true},
		{"to the caller's next line", dap.Next, called, pause("main.safe", 15, caller), "", true},
		{"past a line of the caller", dap.Next, called, pause("main.safe", 9, caller), "main.go", true},
		{"to where nothing is", dap.Next, assigned, with(pause(named, 24, caller), func(p *dap.Pause) { p.Stack[0].Place = "" }), "", false},
		{"to what a function returns by that has recovered", dap.Next, pause("main.safe", 9, caller), pause("main.safe", 16, caller), "", true},
		{"to what is left of a function that has recovered nothing", dap.Next, end, assigned, "main.go:25", true},
	} {
		from, able := strayed(d, c.before, c.after, dap.Action{Kind: c.kind})
		if able != c.able || !strings.HasPrefix(from, c.from) || (from == "") != (c.from == "") {
			t.Errorf("%s: from %q, %t; want %q, %t", c.name, from, able, c.from, c.able)
		}
	}
	for _, a := range []dap.Action{{Kind: dap.Continue}, {Kind: dap.Next, Instruction: true}, {Kind: dap.Next, Thread: 2}} {
		if _, able := strayed(d, pause(named, 20, caller), pause(named, 24, caller), a); able {
			t.Errorf("%s is judged", a)
		}
	}
}
