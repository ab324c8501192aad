package dap

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestNormalValue(t *testing.T) {
	for _, c := range []struct{ typ, value, want string }{
		{"int", "42", "42"},
		{"uint64", "3735928559 = 0xdeadbeef", "3735928559 = 0xdeadbeef"},
		{"uintptr", "824634851328 = 0xc000123000", "0x…"},
		{"uintptr", "42 = 0x2a", "42 = 0x2a"},
		{"unsafe.Pointer", "unsafe.Pointer(0xc000123000)", "unsafe.Pointer(0x…)"},
		{"string", `"at 0xc000123000"`, `"at 0xc000123000"`},
		{"main.t", `main.t {s: "0xc000123000", p: (*int)(0xc000123000)}`, `main.t {s: "0xc000123000", p: (*int)(0x…)}`},
		{"map[string]int", `map[string]int ["b": 2, "a": 1, ]`, "map…"},
		{"main.t", `main.t {m: map[int]bool [1: true, ]}`, "main.t {m: map…"},
		{"chan int", "chan int 1/3", "chan int 1/3"},
	} {
		if got := normalValue(c.typ, c.value); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.typ, c.value, got, c.want)
		}
	}
}

// TestNormalCut: whether a text counts as cut off does not depend on how long the addresses in it are in this run.
func TestNormalCut(t *testing.T) {
	for n := 0; n < 300; n++ {
		text := "main.t {s: " + strings.Repeat("a", n) + ", p: (*int)(%s), q: (*int)(%s)}"
		long, short := "0xc0001230000", "0xc00012300"
		a := normalValue("main.t", strings.ReplaceAll(text, "%s", long))
		if b := normalValue("main.t", strings.ReplaceAll(text, "%s", short)); a != b {
			t.Fatalf("%d more bytes: %s, and %s", n, a, b)
		}
	}
}

func TestNormalMapOrder(t *testing.T) {
	entry := func(name, value string) Variable { return Variable{Name: name, Value: value} }
	a := []Variable{{Type: "map[string]int", Children: []Variable{entry("len()", "2"), entry(`"b"`, "2"), entry(`"a"`, "1")}}}
	b := []Variable{{Type: "map[string]int", Children: []Variable{entry("len()", "2"), entry(`"a"`, "1"), entry(`"b"`, "2")}}}
	normalVars(a)
	normalVars(b)
	if !reflect.DeepEqual(a, b) {
		t.Errorf("%v and %v", a, b)
	}
	key := func(n, k, v string) []Variable {
		return []Variable{{Name: "[key " + n + "]", Value: k}, {Name: "[val " + n + "]", Value: v}}
	}
	c := []Variable{{Type: "map[main.k]main.v", Children: append(key("0", "k1", "v1"), key("1", "k0", "v0")...)}}
	d := []Variable{{Type: "map[main.k]main.v", Children: append(key("0", "k0", "v0"), key("1", "k1", "v1")...)}}
	normalVars(c)
	normalVars(d)
	if !reflect.DeepEqual(c, d) {
		t.Errorf("%v and %v", c, d)
	}
}

// pauseAt makes a pause for comparisons.
func pauseAt(line int, vars ...Variable) Output {
	return Output{Kind: Paused, Pause: &Pause{
		Reason: "step", Stack: []Frame{{Func: "main.f", File: "main.go", Line: line, Place: "main.f+0x1"}, {Func: "main.main", File: "main.go", Line: 9}},
		Scopes: []Scope{{Name: "Locals", Vars: vars}},
	}}
}

func TestDiff(t *testing.T) {
	x := Variable{Name: "x", Type: "int", Value: "1"}
	y := Variable{Name: "x", Type: "int", Value: "2"}
	zero, one := 0, 1
	stack := pauseAt(3, x)
	stack.Pause.Stack[1].Line = 10
	reason := pauseAt(3, x)
	reason.Pause.Reason = "breakpoint"
	place := pauseAt(3, x)
	place.Pause.Stack[0].Place = "main.f+0x2"
	logs := pauseAt(3, x)
	logs.Logs = []string{"m.go:1: own", "m.go:2: here"}
	for _, c := range []struct {
		name string
		a, b Output
		lens Lens
		want DiffKind
	}{
		{"equal", pauseAt(3, x), pauseAt(3, x), Lens{}, ""},
		{"line", pauseAt(3, x), pauseAt(4, x), Lens{}, DiffLocation},
		{"place", pauseAt(3, x), place, Lens{}, DiffLocation},
		{"place, not looked at", pauseAt(3, x), place, Lens{NoPlace: true}, ""},
		{"caller's line", pauseAt(3, x), stack, Lens{}, DiffStack},
		{"value", pauseAt(3, x), pauseAt(3, y), Lens{}, DiffVariables},
		{"value, not looked at", pauseAt(3, x), pauseAt(3, y), Lens{NoVars: true}, ""},
		{"value, not settled", pauseAt(3, x), pauseAt(3, y), Lens{Settled: func(Frame, string) bool { return false }}, ""},
		{"hidden, though not settled", pauseAt(3, x), pauseAt(3), Lens{Settled: func(Frame, string) bool { return false }}, DiffVariables},
		{"reason", pauseAt(3, x), reason, Lens{}, DiffReason},
		{"reason, not looked at", pauseAt(3, x), reason, Lens{NoReason: true}, ""},
		{"log", pauseAt(3, x), logs, Lens{}, DiffLog},
		{"own log", pauseAt(3, x), logs, Lens{OwnLogs: "own"}, DiffLog},
		{"end", pauseAt(3, x), Output{Kind: Ended, Exit: &Exit{}}, Lens{}, DiffTermination},
		{"hang", pauseAt(3, x), Output{Kind: Hang}, Lens{}, DiffFailure},
		{"removal", Output{Kind: Removed}, Output{Kind: Refused}, Lens{}, DiffRemoval},
		{"breakpoint", Output{Kind: Set, Breakpoint: &Breakpoint{Verified: true, Line: 3}}, Output{Kind: Set, Breakpoint: &Breakpoint{Verified: true, Line: 4}}, Lens{}, DiffBreakpoint},
		{"exit code", Output{Kind: Ended, Exit: &Exit{Code: &zero}}, Output{Kind: Ended, Exit: &Exit{Code: &one}}, Lens{}, DiffExit},
		{"no exit code", Output{Kind: Ended, Exit: &Exit{Code: &zero}}, Output{Kind: Ended, Exit: &Exit{}}, Lens{}, DiffExit},
		{"output", Output{Kind: Ended, Exit: &Exit{Stdout: "a\nb\n"}}, Output{Kind: Ended, Exit: &Exit{Stdout: "a\nc\n"}}, Lens{}, DiffOutput},
		{"refusal", Output{Kind: Refused, Text: "no"}, Output{Kind: Refused, Text: "never"}, Lens{}, DiffAnswer},
		{"value of an evaluation", Output{Kind: Answered, Value: &x}, Output{Kind: Answered, Value: &y}, Lens{}, DiffValue},
		{"changed", Output{Kind: Set, Changed: []string{"x"}}, Output{Kind: Set}, Lens{}, DiffBreakpoint},
	} {
		d := Diff(&c.a, &c.b, c.lens)
		if d == nil {
			d = &Difference{}
		}
		if d.Kind != c.want {
			t.Errorf("%s: %q, want %q", c.name, d.Kind, c.want)
		}
	}
}

func TestTraceRoundTrip(t *testing.T) {
	tr := &Trace{Program: "p", Engine: "dlv", Events: []Event{
		{Action{Kind: Break, File: "main.go", Line: 3, Condition: "x < 2"}, Output{Kind: Set, Breakpoint: &Breakpoint{Verified: true, Line: 3}}},
		{Action{Kind: Continue}, pauseAt(3, Variable{Name: "x", Value: "1", Raw: "1 "})},
	}}
	var b bytes.Buffer
	if err := tr.Write(&b); err != nil {
		t.Fatal(err)
	}
	got, err := ReadTrace(&b, "t")
	if err != nil || !reflect.DeepEqual(got, tr) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestReadTraceErrors(t *testing.T) {
	head := `{"format":"misstep-trace","version":1,"program":"p","engine":"e"}`
	for in, want := range map[string]string{
		"":                   "f: empty",
		"hello":              "f:1: not a trace",
		`{"format":"other"}`: "f:1: not a trace",
		`{"format":"misstep-trace","version":99}`: "f:1: a trace of version 99",
		head + "\nnonsense":                       "f:2: not an event",
	} {
		if _, err := ReadTrace(strings.NewReader(in), "f"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", in, err, want)
		}
	}
}

func FuzzReadTrace(f *testing.F) {
	f.Add([]byte(`{"format":"misstep-trace","version":1}` + "\n" + `{"action":{"do":"continue"},"output":{"kind":"paused"}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		tr, err := ReadTrace(bytes.NewReader(b), "f")
		if err == nil {
			for _, e := range tr.Events {
				_, _ = e.Action.String(), e.Output.String()
				Diff(&e.Output, &e.Output, Lens{})
			}
		}
	})
}

func TestActionString(t *testing.T) {
	for _, c := range []struct {
		a    Action
		want string
	}{
		{Action{Kind: Continue}, "continue"},
		{Action{Kind: Break, File: "main.go", Line: 3}, "break main.go:3"},
		{Action{Kind: Break, File: "main.go", Line: 3, Condition: "x == 'a'", Hit: ">=1"}, "break -if 'x == ''a''' -hit '>=1' main.go:3"},
		{Action{Kind: StepIn, Instruction: true}, "stepin -instruction"},
		{Action{Kind: Evaluate, Frame: 2, Name: "a + b"}, "eval -frame 2 'a + b'"},
		{Action{Kind: SetVar, Name: "s", Value: `"x"`}, `setvar s '"x"'`},
		{Action{Kind: Resend, File: "main.go", Order: []int{1, 0}}, "resend -order 1,0 main.go"},
	} {
		if got := c.a.String(); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

func TestReadAdapter(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ name, text, err string }{
		{"ok.toml", "name = \"gdb\"\ncommand = [\"gdb\", \"--interpreter=dap\"]\ntransport = \"stdio\"\n[launch]\nprogram = \"{program}\"\n", ""},
		{"ok.json", `{"name":"x","command":["x"],"transport":"listen","ready":"at (.*)"}`, ""},
		{"syntax.toml", "name = \n", "syntax.toml:1: "},
		{"key.toml", "name = \"x\"\ncommand = [\"x\"]\ntransport = \"stdio\"\ncolour = 1\n", `unknown key "colour"`},
		{"key.json", `{"nme":"x"}`, `unknown field "nme"`},
		{"nothing.toml", "", "expected a name and a command"},
		{"transport.toml", "name = \"x\"\ncommand = [\"x\"]\ntransport = \"smoke\"\n", `transport "smoke": expected stdio, dial or listen`},
		{"ready.toml", "name = \"x\"\ncommand = [\"x\"]\ntransport = \"listen\"\n", "needs ready"},
	} {
		path := filepath.Join(dir, c.name)
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := ReadAdapter(path)
		if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.err)
		}
	}
	if _, err := ReadAdapter(filepath.Join(dir, "none.toml")); err == nil {
		t.Error("a file that is not there was read")
	}
}
