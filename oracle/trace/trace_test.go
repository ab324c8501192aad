package trace_test

import (
	"context"
	"slices"
	"testing"

	"misstep/dap"
	"misstep/oracle"
	"misstep/oracle/trace"
)

func TestTrace(t *testing.T) {
	pause := func(reason string, funcs ...string) dap.Output {
		p := &dap.Pause{Reason: reason, Thread: 1}
		for i, f := range funcs {
			p.Stack = append(p.Stack, dap.Frame{Func: f, File: "main.go", Line: i + 1})
		}
		return dap.Output{Kind: dap.Paused, Pause: p}
	}
	placed := func(o dap.Output, places ...string) dap.Output {
		for i, p := range places {
			o.Pause.Stack[i].Place = p
		}
		return o
	}
	hit := pause("breakpoint", "f", "main")
	hit.Pause.Hit = []string{"main.go:7"}
	set := dap.Event{Action: dap.Action{Kind: dap.Break, File: "main.go", Line: 7}, Output: dap.Output{Kind: dap.Set, Breakpoint: &dap.Breakpoint{Verified: true, File: "main.go", Line: 7}}}
	at := func(k dap.Kind, o dap.Output) dap.Event { return dap.Event{Action: dap.Action{Kind: k}, Output: o} }
	page := func(n int, frames ...string) dap.Event {
		return dap.Event{Action: dap.Action{Kind: dap.Stack, Page: n}, Output: dap.Output{Kind: dap.Answered, Stack: pause("", frames...).Pause.Stack}}
	}
	typed := func(command string) dap.Event {
		return dap.Event{Action: dap.Action{Kind: dap.Evaluate, Name: dap.Prompt + command, Context: "repl"}, Output: dap.Output{Kind: dap.Answered, Value: &dap.Variable{}}}
	}
	assign := func(frame int, value string) dap.Event {
		return dap.Event{Action: dap.Action{Kind: dap.SetVar, Frame: frame, Name: "x", Value: value}, Output: dap.Output{Kind: dap.Answered, Value: &dap.Variable{Value: value}}}
	}
	eval := func(frame int, value string) dap.Event {
		return dap.Event{Action: dap.Action{Kind: dap.Evaluate, Frame: frame, Name: "x"}, Output: dap.Output{Kind: dap.Answered, Value: &dap.Variable{Value: value}}}
	}
	vars := func(frame int, vs ...dap.Variable) dap.Event {
		return dap.Event{Action: dap.Action{Kind: dap.Vars, Frame: frame}, Output: dap.Output{Kind: dap.Answered, Scopes: []dap.Scope{{Vars: vs}}}}
	}
	broken := pause("exception", "f")
	broken.Pause.Description, broken.Pause.Text = "panic", `"boom"`
	about := func(kind, text string) dap.Event {
		return at(dap.Exception, dap.Output{Kind: dap.Answered, Value: &dap.Variable{Type: kind, Value: text}})
	}
	traced := func(e dap.Event, frames ...dap.Frame) dap.Event {
		e.Output.Traced = frames
		return e
	}
	named := pause("step", "f")
	named.Pause.Scopes = []dap.Scope{{Vars: []dap.Variable{{Name: "s", Type: "string", Value: `"ab"`}}}}
	numbered := pause("step", "f")
	numbered.Pause.Scopes = []dap.Scope{{Vars: []dap.Variable{{Name: "n", Type: "uint16", Value: "258"}}}}
	prompt := func(command, answer string) dap.Event {
		return dap.Event{Action: dap.Action{Kind: dap.Evaluate, Name: "dlv " + command}, Output: dap.Output{Kind: dap.Answered, Value: &dap.Variable{Value: answer}}}
	}
	memory := func(bytes string) dap.Event {
		return dap.Event{Action: dap.Action{Kind: dap.Memory, Name: "s"}, Output: dap.Output{Kind: dap.Answered, Value: &dap.Variable{Type: "memory", Value: bytes}}}
	}
	meanwhile := func(o dap.Output) dap.Event {
		return dap.Event{Action: dap.Action{Kind: dap.Continue, Meanwhile: "breakpoints"}, Output: o}
	}
	unset := dap.Event{Action: set.Action, Output: dap.Output{Kind: dap.Set, Breakpoint: &dap.Breakpoint{}}}
	meanwhileChanged := at(dap.Break, dap.Output{Kind: dap.Set, Breakpoint: &dap.Breakpoint{Verified: true}, Changed: []string{"main.go:7: was not set"}})
	several := dap.Event{Action: set.Action, Output: dap.Output{Kind: dap.Set, Breakpoint: &dap.Breakpoint{Verified: true, File: "<multiple locations>"}}}
	deep := func(n int) []string { return slices.Repeat([]string{"f"}, n) }
	x := func(name, value string) dap.Variable { return dap.Variable{Name: name, Value: value} }
	for _, c := range []struct {
		name   string
		events []dap.Event
		rule   string
	}{
		{"assigned", []dap.Event{assign(1, "5"), eval(1, "5 = 0x5")}, ""},
		{"assigned a constant", []dap.Event{assign(0, "5"), eval(0, "main.five (5)")}, ""},
		{"assigned a float", []dap.Event{assign(0, "2.50"), eval(0, "2.5")}, ""},
		{"not assigned", []dap.Event{assign(1, "5"), eval(1, "4")}, "assigned"},
		{"not assigned, as shown", []dap.Event{assign(1, "true"), vars(1, x("y", "1"), x("x", "false"))}, "assigned"},
		{"assigned to one of two", []dap.Event{assign(1, "5"), vars(1, x("(x)", "4"), x("x", "5"))}, ""},
		{"assigned in another frame", []dap.Event{assign(1, "5"), eval(0, "4")}, ""},
		{"assigned, and gone on", []dap.Event{assign(1, "5"), at(dap.Next, pause("step", "f")), eval(1, "4")}, ""},
		{"assigned twice", []dap.Event{assign(1, "5"), assign(1, "6"), eval(1, "5")}, "assigned"},
		{"assigned what all write differently", []dap.Event{assign(1, "y"), eval(1, "7")}, ""},
		{"next stays", []dap.Event{at(dap.Continue, pause("breakpoint", "f", "main")), at(dap.Next, pause("step", "f", "main"))}, ""},
		{"next leaves", []dap.Event{at(dap.Continue, pause("breakpoint", "f", "main")), at(dap.Next, pause("step", "main"))}, ""},
		{"next enters", []dap.Event{at(dap.Continue, pause("breakpoint", "f", "main")), at(dap.Next, pause("step", "g", "f", "main"))}, "next-depth"},
		{"next enters the body of a range over a function", []dap.Event{at(dap.Continue, pause("breakpoint", "f", "main")), at(dap.Next, pause("step", "f-range1", "iter", "f", "main"))}, ""},
		{"next is interrupted", []dap.Event{at(dap.Continue, pause("breakpoint", "f", "main")), at(dap.Next, pause("breakpoint", "g", "f", "main"))}, ""},
		{"stepout stays", []dap.Event{at(dap.Continue, pause("breakpoint", "f", "main")), at(dap.StepOut, pause("step", "f", "main"))}, "stepout-depth"},
		{"stepout leaves", []dap.Event{at(dap.Continue, pause("breakpoint", "f", "main")), at(dap.StepOut, pause("step", "main"))}, ""},
		{"stepout ends in what is inlined into the caller", []dap.Event{at(dap.Continue, pause("breakpoint", "f", "main")), at(dap.StepOut, placed(pause("step", "g", "main"), "main+0x8", "main+0x8"))}, ""},
		{"stepout ends in what the caller calls", []dap.Event{at(dap.Continue, pause("breakpoint", "f", "main")), at(dap.StepOut, placed(pause("step", "g", "main"), "g+0x8", "main+0x8"))}, "stepout-depth"},
		{"stepout leaves what is inlined", []dap.Event{at(dap.Continue, placed(pause("breakpoint", "f", "main"), "main+0x2", "main+0x2")), at(dap.StepOut, pause("step", "main"))}, ""},
		{"next leaves the body of a range over a function", []dap.Event{at(dap.Continue, pause("breakpoint", "f-range1", "main")), at(dap.Next, pause("step", "g", "f", "main"))}, ""},
		{"stepout out of the body of a range over a function", []dap.Event{at(dap.Continue, pause("breakpoint", "f-range1", "iter", "f")), at(dap.StepOut, pause("step", "iter", "h", "f"))}, ""},
		{"stepout into the body of a range over a function", []dap.Event{at(dap.Continue, pause("breakpoint", "f", "g", "h")), at(dap.StepOut, pause("step", "f-range1", "iter", "f"))}, ""},
		{"stepout out of the deepest stack that is shown", []dap.Event{at(dap.Continue, pause("breakpoint", deep(dap.MaxFrames)...)), at(dap.StepOut, pause("step", deep(dap.MaxFrames)...))}, ""},
		{"stepout stays in a deep stack", []dap.Event{at(dap.Continue, pause("breakpoint", deep(dap.MaxFrames-1)...)), at(dap.StepOut, pause("step", deep(dap.MaxFrames-1)...))}, "stepout-depth"},
		{"a step after a restart", []dap.Event{at(dap.Continue, pause("breakpoint", "f", "main")), at(dap.Restart, dap.Output{Kind: dap.Done}), at(dap.StepOut, pause("step", "f", "main"))}, ""},
		{"a step by one instruction", []dap.Event{at(dap.Continue, pause("breakpoint", "f", "main")), {Action: dap.Action{Kind: dap.Next, Instruction: true}, Output: pause("step", "g", "f", "main")}}, "instruction-over"},
		{"a step into by one instruction", []dap.Event{at(dap.Continue, pause("breakpoint", "f", "main")), {Action: dap.Action{Kind: dap.StepIn, Instruction: true}, Output: pause("step", "g", "f", "main")}}, ""},
		{"a step out by one instruction", []dap.Event{at(dap.Continue, pause("breakpoint", "f", "main")), {Action: dap.Action{Kind: dap.Next, Instruction: true}, Output: pause("step", "main")}}, ""},
		{"a step of another goroutine", []dap.Event{at(dap.Continue, pause("breakpoint", "f", "main")), at(dap.Next, dap.Output{Kind: dap.Paused, Pause: &dap.Pause{Reason: "step", Thread: 2, Stack: pause("", "g", "f", "main").Pause.Stack}})}, ""},
		{"an assignment that is refused", []dap.Event{assign(1, "5"), {Action: dap.Action{Kind: dap.SetVar, Frame: 1, Name: "x", Value: "6"}, Output: dap.Output{Kind: dap.Refused}}, eval(1, "5")}, ""},
		{"assigned a number, then what all write differently", []dap.Event{assign(1, "5"), assign(1, "y"), eval(1, "7")}, ""},
		{"assigned, and started anew", []dap.Event{assign(1, "5"), at(dap.Restart, dap.Output{Kind: dap.Done}), eval(1, "4")}, ""},
		{"assigned, and called something", []dap.Event{assign(1, "5"), {Action: dap.Action{Kind: dap.Evaluate, Frame: 1, Name: "call f()"}, Output: dap.Output{Kind: dap.Answered, Value: &dap.Variable{Value: "1"}}}, eval(1, "4")}, ""},
		{"not assigned, as shown where another hides it", []dap.Event{assign(1, "5"), vars(1, x("(x)", "4"))}, "assigned"},
		{"assigned a number, shown as a text", []dap.Event{assign(1, "0"), eval(1, "foo")}, "assigned"},
		{"a breakpoint that is refused", []dap.Event{{Action: dap.Action{Kind: dap.Break, File: "main.go", Line: 7}, Output: dap.Output{Kind: dap.Refused}}, at(dap.Continue, hit)}, ""},
		{"a breakpoint at several places", []dap.Event{{Action: dap.Action{Kind: dap.Break, File: "main.go", Line: 7}, Output: dap.Output{Kind: dap.Set, Breakpoint: &dap.Breakpoint{Verified: true, File: "<multiple locations>"}}}, at(dap.Continue, hit)}, ""},
		{"a hit elsewhere", []dap.Event{set, at(dap.Continue, hit)}, "hit-place"},
		{"the stack once more", []dap.Event{at(dap.Continue, pause("breakpoint", "f", "main")), page(0, "f", "main")}, ""},
		{"another stack", []dap.Event{at(dap.Continue, pause("breakpoint", "f", "main")), page(0, "f")}, "stack-again"},
		{"another stack, where paths are mapped", []dap.Event{at(dap.Continue, pause("breakpoint", "f", "main")), typed("config substitutePath /a /b"), page(0, "f")}, ""},
		{"another stack, where they were", []dap.Event{at(dap.Continue, pause("breakpoint", "f", "main")), typed("config substitutePath /a /b"), typed("config substitutePath -clear"), page(0, "f")}, "stack-again"},
		{"an exception", []dap.Event{at(dap.Continue, broken), about("panic", `"boom"`)}, ""},
		{"an exception of another kind", []dap.Event{at(dap.Continue, broken), about("fatal error", `"boom"`)}, "exception-info"},
		{"an exception with another text", []dap.Event{at(dap.Continue, broken), about("panic", `"bang"`)}, "exception-info"},
		{"an exception with its stack", []dap.Event{at(dap.Continue, broken), traced(about("panic", `"boom"`), broken.Pause.Stack[0])}, ""},
		{"an exception with another stack", []dap.Event{at(dap.Continue, broken), traced(about("panic", `"boom"`), dap.Frame{Func: "main.g", File: "main.go", Line: 99})}, "exception-info"},
		{"an exception that nothing is told of", []dap.Event{at(dap.Continue, broken), at(dap.Exception, dap.Output{Kind: dap.Refused})}, "exception-info"},
		{"no exception", []dap.Event{at(dap.Continue, pause("step", "f")), at(dap.Exception, dap.Output{Kind: dap.Refused})}, ""},
		{"an exception where there is none", []dap.Event{at(dap.Continue, pause("step", "f")), about("panic", `"boom"`)}, "exception-info"},
		{"a prompt for memory", []dap.Event{at(dap.Continue, numbered), prompt("x -fmt hex -count 2 -size 1 -x &n", " 0x…:   0x02   0x01   ")}, ""},
		{"a prompt for memory that is refused", []dap.Event{at(dap.Continue, numbered), {Action: dap.Action{Kind: dap.Evaluate, Name: "dlv x -fmt hex -count 2 -size 1 -x uintptr(&n)"}, Output: dap.Output{Kind: dap.Refused, Text: "unsupported expression type: uintptr"}}}, "prompt"},
		{"a prompt of a debugger that has none", []dap.Event{at(dap.Continue, numbered), {Action: dap.Action{Kind: dap.Evaluate, Name: "dlv x -fmt hex -count 2 -size 1 -x &n"}, Output: dap.Output{Kind: dap.Refused, Text: "command not available"}}}, ""},
		{"a prompt for memory at a number", []dap.Event{at(dap.Continue, numbered), prompt("x -fmt hex -count 2 -size 1 -x uint64(uintptr(&n))", " 0x…:   0x01   0x02   ")}, "prompt"},
		{"a prompt for memory of something else", []dap.Event{at(dap.Continue, numbered), prompt("x -fmt hex -count 2 -size 1 -x &n", " 0x…:   0x01   0x02   ")}, "prompt"},
		{"a prompt for memory in another size", []dap.Event{at(dap.Continue, numbered), prompt("x -fmt dec -count 1 -size 2 -x &n", "0x…:   000258")}, ""},
		{"a prompt for memory in another base", []dap.Event{at(dap.Continue, numbered), prompt("x -fmt bin -count 1 -size 2 -x &n", "0x…:   0000000100000011")}, "prompt"},
		{"a prompt for memory that is cut off", []dap.Event{at(dap.Continue, numbered), prompt("x -fmt dec -count 2 -size 1 -x &n", "0x…:   002")}, "prompt"},
		{"a prompt for memory of what is in a register", []dap.Event{at(dap.Continue, numbered), prompt("x -fmt dec -count 2 -size 1 -x &n", "examine memory error: input/output error")}, ""},
		{"a prompt for memory that is refused otherwise", []dap.Event{at(dap.Continue, numbered), prompt("x -fmt dec -count 2 -size 1 -x &n", "examine memory error: no such address")}, "prompt"},
		{"a prompt for memory after an assignment", []dap.Event{at(dap.Continue, numbered), assign(0, "n"), prompt("x -fmt dec -count 1 -size 2 -x &n", "0x…:   000007")}, ""},
		{"a prompt for a setting", []dap.Event{at(dap.Continue, numbered), prompt("config -list stackTraceDepth", "stackTraceDepth\t64")}, ""},
		{"a prompt for another setting", []dap.Event{at(dap.Continue, numbered), prompt("config -list stackTraceDepth", "showRegisters\tfalse")}, "prompt"},
		{"a prompt for all settings", []dap.Event{at(dap.Continue, numbered), prompt("config -list", "stackTraceDepth\t64\nshowRegisters\tfalse\n")}, ""},
		{"a prompt for all settings that is answered by none", []dap.Event{at(dap.Continue, numbered), prompt("config -list", "")}, "prompt"},
		{"a prompt for a setting that there is not", []dap.Event{at(dap.Continue, numbered), prompt("config -list showRegisters", "")}, ""},
		{"a prompt for files", []dap.Event{at(dap.Continue, numbered), prompt(`sources main\.go$`, "/tmp/main.go")}, ""},
		{"a prompt for files that has none", []dap.Event{at(dap.Continue, numbered), prompt(`sources main\.go$`, "")}, "prompt"},
		{"a prompt for something else", []dap.Event{at(dap.Continue, numbered), prompt("help", "…")}, ""},
		{"memory after an assignment", []dap.Event{at(dap.Continue, named), assign(0, "s"), memory("62 61")}, ""},
		{"memory", []dap.Event{at(dap.Continue, named), memory("61 62")}, ""},
		{"memory of something else", []dap.Event{at(dap.Continue, named), memory("62 61")}, "memory"},
		{"memory that is not offered", []dap.Event{at(dap.Continue, named), {Action: dap.Action{Kind: dap.Memory, Name: "s"}, Output: dap.Output{Kind: dap.Unsupported, Text: "supportsReadMemoryRequest"}}}, ""},
		{"memory that is refused", []dap.Event{at(dap.Continue, named), {Action: dap.Action{Kind: dap.Memory, Name: "s"}, Output: dap.Output{Kind: dap.Refused, Text: "cannot"}}}, "memory"},
		{"memory without a reference", []dap.Event{at(dap.Continue, named), {Action: dap.Action{Kind: dap.Memory, Name: "s"}, Output: dap.Output{Kind: dap.Refused, Text: "misstep: none"}}}, ""},
		{"breakpoints set meanwhile", []dap.Event{meanwhile(pause("breakpoint", "f"))}, ""},
		{"breakpoints set meanwhile are not set", []dap.Event{meanwhile(dap.Output{Kind: dap.Paused, Pause: hit.Pause, Changed: []string{"main.go:7"}})}, "meanwhile"},
		{"a pause that is asked for as nothing else comes", []dap.Event{meanwhile(dap.Output{Kind: dap.Paused, Pause: pause("pause", "f").Pause, Interrupted: true})}, ""},
		{"a pause as breakpoints are set meanwhile", []dap.Event{meanwhile(pause("pause", "f"))}, "meanwhile"},
		{"a pause at what is not set", []dap.Event{unset, at(dap.Continue, hit)}, "unverified"},
		{"a pause at what a restart set anew", []dap.Event{unset, at(dap.Restart, dap.Output{Kind: dap.Done}), at(dap.Continue, hit)}, ""},
		{"a pause at what is said to be set since", []dap.Event{unset, meanwhileChanged, at(dap.Continue, hit)}, ""},
		{"a pause at what is set after all", []dap.Event{unset, several, at(dap.Continue, hit)}, ""},
		{"other pages", []dap.Event{at(dap.Continue, pause("breakpoint", "f", "main")), page(1, "f", "g")}, "stack-pages"},
	} {
		found, tally, err := trace.Check{}.Judge(context.Background(), &oracle.Seen{Events: c.events})
		if err != nil {
			t.Fatal(err)
		}
		if c.rule != "" && tally.Made["trace/"+c.rule] == 0 {
			t.Errorf("%s: %s is not counted", c.name, c.rule)
		}
		if c.rule == "" && len(found) > 0 || c.rule != "" && (len(found) != 1 || found[0].Rule != c.rule) {
			t.Errorf("%s: %v, want %q", c.name, found, c.rule)
		}
	}
}

// TestEchoed: what is assigned to a pointer may be said again as it was given.
func TestEchoed(t *testing.T) {
	p := &dap.Pause{Reason: "breakpoint", Thread: 1, Stack: []dap.Frame{{Func: "f", File: "main.go", Line: 1}}, Scopes: []dap.Scope{{Vars: []dap.Variable{{Name: "p", Type: "*main.t", Value: "*main.t {n: 1}"}}}}}
	for value, ok := range map[string]bool{"*main.t {n: 1}": true, "main.t {n: 1}": false} {
		p.Scopes[0].Vars[0].Value = value
		events := []dap.Event{
			{Action: dap.Action{Kind: dap.Continue}, Output: dap.Output{Kind: dap.Paused, Pause: p}},
			{Action: dap.Action{Kind: dap.SetVar, Name: "p", Value: "q"}, Output: dap.Output{Kind: dap.Answered, Value: &dap.Variable{Type: "*main.t", Value: "q"}}},
		}
		found, _, err := trace.Check{}.Judge(context.Background(), &oracle.Seen{Events: events})
		if err != nil || (len(found) == 0) != ok {
			t.Errorf("%s: %v, %v", value, found, err)
		}
	}
}
