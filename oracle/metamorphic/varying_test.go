package metamorphic_test

import (
	"testing"

	"misstep/dap"
	"misstep/oracle/metamorphic"
	"misstep/transform"
)

// TestVarying: what two runs differ in is left out of what is compared, once, and no more than that.
func TestVarying(t *testing.T) {
	differs := func(kind dap.DiffKind, what, a, b string) *transform.Mismatch {
		return &transform.Mismatch{Action: dap.Action{Kind: dap.Evaluate, Name: "now"}, Diff: &dap.Difference{Kind: kind, What: what, A: a, B: b}}
	}
	for _, c := range []struct {
		name  string
		m     *transform.Mismatch
		learn bool
	}{
		{"a value", differs(dap.DiffVariables, "s.started", "1", "2"), true},
		{"an answer", differs(dap.DiffValue, "value", "1", "2"), true},
		{"what is printed", differs(dap.DiffOutput, "standard output", "line 1", "line 2"), true},
		{"a type", differs(dap.DiffVariables, "s.any, its type", "int", "string"), false},
		{"a variable that is there in one", differs(dap.DiffVariables, "s", "int 1", "not shown"), false},
		{"other names", differs(dap.DiffVariables, "s.names", "a", "b"), false},
		{"a place", differs(dap.DiffLocation, "location", "main.go:1", "main.go:2"), false},
		{"a refusal", differs(dap.DiffAnswer, "output", "1", "refused"), false},
	} {
		var v metamorphic.Varying
		if got := v.Learn(nil, c.m); got != c.learn {
			t.Errorf("%s: learned %t", c.name, got)
		}
		if v.Learn(nil, c.m) {
			t.Errorf("%s: learned once more", c.name)
		}
	}

	shows := func(in, started, other string) dap.Output {
		return dap.Output{Kind: dap.Paused, Pause: &dap.Pause{Stack: []dap.Frame{{Func: in}}, Scopes: []dap.Scope{{Name: "Locals", Vars: []dap.Variable{
			{Name: "s", Children: []dap.Variable{{Name: "started", Value: started}, {Name: "other", Value: other}}},
		}}}}}
	}
	was := []dap.Event{{Action: dap.Action{Kind: dap.Continue}, Output: shows("main.f", "1", "1")}, {Action: dap.Action{Kind: dap.Continue}, Output: shows("main.g", "1", "1")}}
	var v metamorphic.Varying
	v.Learn(was, differs(dap.DiffVariables, "s.started", "1", "2"))
	masked := v.Mask(was)
	later, wrong, elsewhere := shows("main.f", "2", "1"), shows("main.f", "2", "2"), shows("main.g", "2", "1")
	if d := dap.Diff(&masked[0].Output, &later, dap.Lens{}); d != nil {
		t.Errorf("what varies is compared: %v", d)
	}
	if d := dap.Diff(&masked[0].Output, &wrong, dap.Lens{}); d == nil || d.What != "s.other" {
		t.Errorf("what is beside it is not compared: %v", d)
	}
	if d := dap.Diff(&masked[1].Output, &elsewhere, dap.Lens{}); d == nil {
		t.Error("a variable of that name in another function is not compared")
	}
	if d := dap.Diff(&was[0].Output, &later, dap.Lens{}); d == nil {
		t.Error("the trace that was masked has changed")
	}
}
