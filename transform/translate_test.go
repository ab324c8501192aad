package transform

import (
	"testing"

	"misstep/dap"
	"misstep/internal/source"
	"misstep/internal/srcedit"
)

// TestActions: each kind of action has a meaning in a rewritten program, or none for a
// reason that is given here.
func TestActions(t *testing.T) {
	none := map[dap.Kind]string{
		dap.InstBreak: "its instructions are others", dap.InstUnset: "its instructions are others", dap.Disas: "its instructions are others",
		dap.Request:   "what it names may be called otherwise",
		dap.DataBreak: "what writes it are other instructions", dap.DataUnset: "what writes it are other instructions",
	}
	src := &source.Source{}
	r := &Relation{Old: src, New: src, Lines: &srcedit.Map{}}
	for _, m := range dap.Meanings() {
		_, ok := r.action(dap.Action{Kind: m.Kind, Name: "x", File: "main.go", Line: 3}, nil, nil)
		if why := none[m.Kind]; ok == (why != "") {
			t.Errorf("%s is followed: %t; said of it: %q", m.Kind, ok, why)
		}
	}
	if _, ok := r.action(dap.Action{Kind: "unheard-of"}, nil, nil); ok {
		t.Error("an action that nobody knows is followed")
	}
}

// TestBeneath: what is asked about a frame below the function below which nothing is compared is left out.
func TestBeneath(t *testing.T) {
	src := &source.Source{}
	r := &Relation{Old: src, New: src, Lines: &srcedit.Map{}, Bottom: "main.main"}
	p := &dap.Pause{Stack: []dap.Frame{{Func: "main.f"}, {Func: "main.main"}, {Func: "runtime.main"}}}
	for frame, want := range []bool{true, true, false} {
		for _, kind := range []dap.Kind{dap.Vars, dap.Evaluate} {
			if _, ok := r.action(dap.Action{Kind: kind, Name: "x", Frame: frame}, p, p); ok != want {
				t.Errorf("%s of frame %d is followed: %t", kind, frame, ok)
			}
		}
	}
	if r.Bottom = ""; r.beneath(p, 2) {
		t.Error("a frame is beneath nothing")
	}
}

// TestPanicking: what is asked about a frame of the runtime's panic functions below the top is left out, as another program may have others.
func TestPanicking(t *testing.T) {
	src := &source.Source{}
	r := &Relation{Old: src, New: src, Lines: &srcedit.Map{}}
	p := &dap.Pause{Stack: []dap.Frame{{Func: "runtime.fatalpanic"}, {Func: "runtime.gopanic"}, {Func: "main.main", File: "main.go", Line: 3}}}
	for frame, want := range []bool{true, false, true} {
		if _, ok := r.action(dap.Action{Kind: dap.Vars, Frame: frame}, p, p); ok != want {
			t.Errorf("the variables of frame %d are asked for: %t", frame, ok)
		}
	}
}
