package trace_test

import (
	"context"
	"testing"

	"misstep/dap"
	"misstep/internal/debuggee"
	"misstep/internal/gobuild"
	"misstep/internal/source"
	"misstep/oracle"
	"misstep/oracle/trace"
)

// TestSettable: an assignment that is refused is a finding if the variable is shown, and can have that value.
func TestSettable(t *testing.T) {
	v := func(name, typ, value string) dap.Variable { return dap.Variable{Name: name, Type: typ, Value: value} }
	plain := gobuild.Engine{Adapter: "dlv", GCFlags: gobuild.DefaultGCFlags}
	optimised := gobuild.Engine{Adapter: "dlv"}
	for _, c := range []struct {
		name   string
		engine gobuild.Engine
		value  string
		shown  []dap.Variable
		found  bool
	}{
		{"an int", plain, "7", []dap.Variable{v("x", "int", "3")}, true},
		{"a number shown in two bases", plain, "7", []dap.Variable{v("x", "uint8", "3 = 0x3")}, true},
		{"a truth value", plain, "true", []dap.Variable{v("x", "bool", "false")}, true},
		{"a float", plain, "0.5", []dap.Variable{v("x", "float64", "3")}, true},
		{"not shown", plain, "7", []dap.Variable{v("y", "int", "3")}, false},
		{"hidden", plain, "7", []dap.Variable{v("(x)", "int", "3")}, false},
		{"shown twice", plain, "7", []dap.Variable{v("(x)", "int", "3"), v("x", "int", "4")}, false},
		{"too large", plain, "300", []dap.Variable{v("x", "uint8", "3")}, false},
		{"negative", plain, "-1", []dap.Variable{v("x", "uint", "3")}, false},
		{"of another type", plain, "0.5", []dap.Variable{v("x", "int", "3")}, false},
		{"an expression", plain, "y", []dap.Variable{v("x", "int", "3")}, false},
		{"a string", plain, `"a"`, []dap.Variable{v("x", "string", `"b"`)}, false},
		{"unreadable", plain, "7", []dap.Variable{v("x", "int", "(unreadable read out of bounds)")}, false},
		{"optimised", optimised, "7", []dap.Variable{v("x", "int", "3")}, false},
	} {
		p := &gobuild.Program{}
		d := &debuggee.Debuggee{Build: &gobuild.Build{Engine: c.engine, Program: p}, Source: &source.Source{Program: p}}
		scopes := []dap.Scope{{Name: "Locals", Vars: c.shown}}
		pause := func(scopes []dap.Scope) dap.Event {
			return dap.Event{Action: dap.Action{Kind: dap.Continue}, Output: dap.Output{Kind: dap.Paused, Pause: &dap.Pause{Reason: "step", Stack: make([]dap.Frame, 3), Scopes: scopes}}}
		}
		set := func(frame int) dap.Event {
			return dap.Event{Action: dap.Action{Kind: dap.SetVar, Frame: frame, Name: "x", Value: c.value}, Output: dap.Output{Kind: dap.Refused, Text: "no"}}
		}
		vars := dap.Event{Action: dap.Action{Kind: dap.Vars, Frame: 2}, Output: dap.Output{Kind: dap.Answered, Scopes: scopes}}
		for where, events := range map[string][]dap.Event{
			"where it is paused": {pause(scopes), set(0)},
			"in a caller":        {pause(nil), set(2), vars},
		} {
			found, _, err := trace.Check{}.Judge(context.Background(), &oracle.Seen{Debuggee: d, Events: events})
			if err != nil {
				t.Fatal(err)
			}
			if (len(found) == 1 && found[0].Rule == "settable") != c.found || !c.found && len(found) > 0 {
				t.Errorf("%s, %s: %v", c.name, where, found)
			}
			// One that is granted is a check where a refusal is a finding.
			events[1].Output = dap.Output{Kind: dap.Answered}
			_, tally, err := trace.Check{}.Judge(context.Background(), &oracle.Seen{Debuggee: d, Events: events})
			if err != nil {
				t.Fatal(err)
			}
			if checked := tally.Made["trace/settable"] == 1; checked != c.found {
				t.Errorf("%s, %s, granted: checked: %t", c.name, where, checked)
			}
		}
	}
}
