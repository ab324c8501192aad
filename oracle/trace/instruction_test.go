package trace

import (
	"encoding/hex"
	"strconv"
	"strings"
	"testing"

	"misstep/dap"
	"misstep/internal/debuggee"
	"misstep/internal/gobuild"
	"misstep/internal/machine"
	"misstep/internal/testhouse"
)

// places are the instructions of main.main, by kind, each with where it is and where the one after it is.
func places(t *testing.T, b *gobuild.Build) map[machine.Kind][2]string {
	code, err := b.Code()
	if err != nil {
		t.Fatal(err)
	}
	text, err := b.Symbols.Address("main.main+0x0")
	if err != nil {
		t.Fatal(err)
	}
	addr, err := strconv.ParseUint(text, 0, 64)
	if err != nil {
		t.Fatal(err)
	}
	at := b.Symbols.PlaceAt
	all := map[machine.Kind][2]string{}
	for strings.HasPrefix(at(addr), "main.main+") {
		in, ok := code.At(addr)
		if !ok {
			break
		}
		after := addr + uint64(len(in.Bytes))
		if _, has := all[in.Kind]; !has && (in.Kind != machine.Plain || len(in.Next) == 1 && in.Next[0] == after) && (in.Kind != machine.Call || in.Into != 0) {
			all[in.Kind] = [2]string{at(addr), at(after)}
		}
		addr = after
	}
	for _, kind := range []machine.Kind{machine.Plain, machine.Call, machine.Return} {
		if all[kind][0] == "" {
			t.Fatalf("main.main has no instruction of the kind %d", kind)
		}
	}
	return all
}

// TestSteppedTo: where a step of one instruction may end, and where nothing is known of that.
func TestSteppedTo(t *testing.T) {
	h := testhouse.New(t)
	p := h.Find(t, "corpus/recursion")[0]
	d := &debuggee.Debuggee{Build: h.Build(t, p), Source: h.Load(t, p)}
	all := places(t, d.Build)
	plain, call, leave := all[machine.Plain], all[machine.Call], all[machine.Return]
	in, _ := instructionAt(d.Build, call[0])
	into := d.Build.Symbols.PlaceAt(in.Into)
	pause := func(reason string, thread int, places ...string) *dap.Pause {
		p := &dap.Pause{Reason: reason, Thread: thread}
		for _, place := range places {
			fn, _, _ := strings.Cut(place, "+0x")
			p.Stack = append(p.Stack, dap.Frame{Func: fn, File: "main.go", Place: place})
		}
		return p
	}
	caller := "runtime.main+0x100"
	for _, c := range []struct {
		name          string
		kind          dap.Kind
		before, after *dap.Pause
		want          string // empty if nothing is known
	}{
		{"after it", dap.Next, pause("step", 1, plain[0], caller), pause("step", 1, plain[1], caller), plain[1]},
		{"where it was", dap.Next, pause("step", 1, plain[0], caller), pause("step", 1, plain[0], caller), plain[1]},
		{"at a breakpoint after it", dap.StepIn, pause("step", 1, plain[0], caller), pause("instruction breakpoint", 1, plain[1], caller), plain[1]},
		{"in another thread", dap.StepIn, pause("step", 1, plain[0], caller), pause("breakpoint", 2, plain[1], caller), ""},
		{"at a fault", dap.StepIn, pause("step", 1, plain[0], caller), pause("exception", 1, plain[0], caller), ""},
		{"from a fault", dap.StepIn, pause("exception", 1, plain[0], caller), pause("step", 1, plain[1], caller), ""},
		{"in what is called", dap.StepIn, pause("step", 1, call[0], caller), pause("step", 1, into, call[1], caller), into},
		{"after a call", dap.Next, pause("step", 1, call[0], caller), pause("step", 1, call[1], caller), call[1]},
		{"at a breakpoint in what is called", dap.Next, pause("step", 1, call[0], caller), pause("breakpoint", 1, into, call[1], caller), ""},
		{"in a caller, as what is called has panicked", dap.Next, pause("step", 1, call[0], caller), pause("step", 1, caller), ""},
		{"where it returns to", dap.Next, pause("step", 1, leave[0], caller), pause("step", 1, caller), caller},
		{"where an inlined function's caller returns to", dap.Next, pause("step", 1, leave[0], leave[0], caller), pause("step", 1, caller), caller},
		{"where nothing is", dap.Next, pause("step", 1, "", caller), pause("step", 1, caller), ""},
	} {
		got, able := steppedTo(d, c.before, c.after, dap.Action{Kind: c.kind, Instruction: true})
		if able != (c.want != "") || able && strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, %t; want %q", c.name, got, able, c.want)
		}
	}
	if _, able := steppedTo(d, pause("step", 1, plain[0]), pause("step", 1, plain[1]), dap.Action{Kind: dap.Next}); able {
		t.Error("a step by lines is judged")
	}
}

// TestDisassembled: what is wrong with a list of instructions.
func TestDisassembled(t *testing.T) {
	h := testhouse.New(t)
	b := h.Build(t, h.Find(t, "corpus/recursion")[0])
	code, err := b.Code()
	if err != nil {
		t.Fatal(err)
	}
	var list, bytes []string
	place := "main.main+0x0"
	for range 4 {
		addr, _, _ := inCode(b, place)
		in, ok := code.At(addr)
		if !ok {
			t.Fatal(place)
		}
		list, bytes = append(list, place+" TEXT"), append(bytes, hex.EncodeToString(in.Bytes))
		place = b.Symbols.PlaceAt(addr + uint64(len(in.Bytes)))
	}
	at := func(i int) dap.Frame { return dap.Frame{Place: strings.Fields(list[i])[0]} }
	trap := "cc" + bytes[1][2:]
	for _, c := range []struct {
		name  string
		frame dap.Frame
		a     dap.Action
		lines []string
		bytes []string
		able  bool
		wrong string
	}{
		{"as they are", at(0), dap.Action{}, list, bytes, true, ""},
		{"from before the frame", at(2), dap.Action{Offset: 2}, list, bytes, true, ""},
		{"not from the frame", at(1), dap.Action{}, list, bytes, true, "the instruction at which the frame is"},
		{"with a gap", at(0), dap.Action{}, []string{list[0], list[2]}, []string{bytes[0], bytes[2]}, true, "the instruction at " + at(2).Place},
		{"with a breakpoint", at(0), dap.Action{}, list[:2], []string{bytes[0], trap}, true, "the instruction at " + at(1).Place + ", its bytes"},
		{"with what is none", at(1), dap.Action{Offset: 1}, []string{" ?", list[1], list[2]}, []string{"", bytes[1], bytes[2]}, true, ""},
		{"without any", at(0), dap.Action{}, nil, nil, false, ""},
		{"without bytes", at(0), dap.Action{}, list, nil, false, ""},
		{"of a frame without a place", dap.Frame{}, dap.Action{}, list, bytes, false, ""},
	} {
		what, _, _, able := disassembled(b, c.frame, c.a, &dap.Output{Kind: dap.Answered, Threads: c.lines, Bytes: c.bytes})
		if able != c.able || what != c.wrong {
			t.Errorf("%s: %q, %t; want %q, %t", c.name, what, able, c.wrong, c.able)
		}
	}
}

// TestMisplaced: a frame that is not where the binary has its instruction.
func TestMisplaced(t *testing.T) {
	h := testhouse.New(t)
	p := h.Find(t, "corpus/recursion")[0]
	d := &debuggee.Debuggee{Build: h.Build(t, p), Source: h.Load(t, p)}
	call := places(t, d.Build)[machine.Call]
	addr, _, _ := inCode(d.Build, call[0])
	_, line, ok := lineAt(d.Build, addr)
	if !ok {
		t.Fatal("no line of a call")
	}
	in, _ := instructionAt(d.Build, call[0])
	into := d.Build.Symbols.PlaceAt(in.Into)
	callee, _, _ := strings.Cut(into, "+0x")
	file, first, ok := lineAt(d.Build, in.Into)
	if !ok {
		t.Fatal("no line of what is called")
	}
	stack := func(change func(s []dap.Frame)) *dap.Pause {
		s := []dap.Frame{{Func: callee, File: file, Line: first, Place: into}, {Func: "main.main", File: "main.go", Line: line, Place: call[1]}}
		change(s)
		return &dap.Pause{Stack: s}
	}
	for _, c := range []struct {
		name   string
		change func(s []dap.Frame)
		wrong  string
	}{
		{"as they are", func([]dap.Frame) {}, ""},
		{"the line of what is called", func(s []dap.Frame) { s[0].Line++ }, "the line of frame 0, in " + callee},
		{"the line of the caller", func(s []dap.Frame) { s[1].Line++ }, "the line of frame 1, in main.main"},
		{"the file of the caller", func(s []dap.Frame) { s[1].File = "other.go" }, "the line of frame 1, in main.main"},
		{"the function of the caller", func(s []dap.Frame) { s[1].Func = "main.other" }, "the function of frame 1"},
		{"the package's path is not shown", func(s []dap.Frame) { s[0].Func = callee[strings.LastIndex(callee, "/")+1:] }, ""},
		{"the caller was interrupted", func(s []dap.Frame) { s[0] = dap.Frame{Func: "runtime.sigpanic"}; s[1].Line += 7 }, ""},
		{"nothing is known of where", func(s []dap.Frame) { s[0].Place, s[1].Place, s[1].Line = "", "", 1 }, ""},
	} {
		if what, _, _, _ := misplaced(d, stack(c.change)); what != c.wrong {
			t.Errorf("%s: %q, want %q", c.name, what, c.wrong)
		}
	}
}
