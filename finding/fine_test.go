package finding_test

import (
	"testing"

	"misstep/dap"
	"misstep/finding"
)

// TestFine: what is refused for another reason, or is shown as another kind of thing, is told apart; what differs in the value alone is not.
func TestFine(t *testing.T) {
	of := func(a dap.Action, out dap.Output, want, got string) string {
		f := finding.OfSession(finding.Rule{ID: "R9-evaluate", Oracle: "reference"}, nil,
			&finding.Session{Base: []dap.Event{{Action: a, Output: out}}}, &dap.Difference{Kind: dap.DiffVariables, A: want, B: got}, "", "")
		return f.Fine()
	}
	eval := func(text string) dap.Action { return dap.Action{Kind: dap.Evaluate, Name: text} }
	refused := func(text string) dap.Output { return dap.Output{Kind: dap.Refused, Text: text} }
	for _, c := range []struct {
		name string
		a, b string
		same bool
	}{
		{"two values", of(eval("x + 1"), dap.Output{}, "3", "5"), of(eval("y + z"), dap.Output{}, "100", "-7"), true},
		{"a number and none", of(eval("x + 1"), dap.Output{}, "3", "5"), of(eval("x + 1"), dap.Output{}, "3", "(unreadable)"), false},
		{"two operators", of(eval("x + 1"), dap.Output{}, "3", "5"), of(eval("x - 1"), dap.Output{}, "3", "5"), false},
		{"two reasons", of(eval("a.b"), refused("a has no member b"), "3", "refused"), of(eval("a.b"), refused("could not read memory"), "3", "refused"), false},
		{"one reason", of(eval("a.b"), refused("could not find symbol value for a"), "3", "refused"), of(eval("c.d"), refused("could not find symbol value for c"), "4", "refused"), true},
		{"a type and a value", of(dap.Action{Kind: dap.Next}, dap.Output{}, "3", "5"), of(dap.Action{Kind: dap.Next}, dap.Output{}, "main.T", "int"), false},
	} {
		if (c.a == c.b) != c.same {
			t.Errorf("%s: %q and %q", c.name, c.a, c.b)
		}
	}
}
