package pointsto_test

import (
	"slices"
	"testing"

	"golang.org/x/tools/go/ssa"
)

// TestWritten: what a function may change is what its instructions change, and what its
// calls do.
func TestWritten(t *testing.T) {
	list, err := samples()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, s := range list {
		r := s.result
		for _, fn := range r.Functions() {
			if fn.Pkg != s.main {
				continue
			}
			changed := map[int]bool{}
			for _, b := range fn.Blocks {
				for _, instr := range b.Instrs {
					for _, o := range r.Changed(instr) {
						changed[o.ID] = true
					}
					site, ok := instr.(ssa.CallInstruction)
					if !ok {
						continue
					}
					for _, o := range r.Objects() {
						if r.WritesThrough(site, o) {
							changed[o.ID] = true
						}
					}
				}
			}
			for _, o := range r.Objects() {
				if r.Writes(fn, o) != changed[o.ID] {
					t.Errorf("%s: %v changes %v: %t, but its instructions and calls %t", s.name, fn, o, r.Writes(fn, o), changed[o.ID])
				}
				if changed[o.ID] {
					n++
				}
			}
		}
	}
	if n < 100 {
		t.Errorf("only %d changes", n)
	}
}

// TestMade: objects are found by where they are made.
func TestMade(t *testing.T) {
	list, err := samples()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, s := range list {
		for _, o := range s.result.Objects() {
			if o.In() == nil || o.In().Pkg != s.main || o.Tag || !o.Pos().IsValid() {
				continue
			}
			n++
			p := s.pkg.Fset.PositionFor(o.Pos(), false)
			if !slices.Contains(s.result.Made(p.Filename, p.Line, p.Column), o) {
				t.Errorf("%s: %v is not found at %v", s.name, o, p)
			}
		}
	}
	if n < 100 {
		t.Errorf("only %d objects", n)
	}
}

// TestHolds: what a load gives is what the objects hold that it loads from.
func TestHolds(t *testing.T) {
	list, err := samples()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, s := range list {
		r := s.result
		for _, v := range r.Values() {
			load, ok := v.(*ssa.UnOp)
			if !ok || load.Parent().Pkg != s.main {
				continue
			}
			var held []int
			for _, from := range r.PointsTo(load.X) {
				for _, o := range r.Holds(from) {
					held = append(held, o.ID)
				}
			}
			for _, o := range r.PointsTo(load) {
				n++
				if !slices.Contains(held, o.ID) {
					t.Errorf("%s: %v in %v gives %v, which nothing there holds", s.name, load, load.Parent(), o)
				}
			}
		}
	}
	if n < 100 {
		t.Errorf("only %d loads", n)
	}
}
