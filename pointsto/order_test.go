package pointsto_test

import (
	"fmt"
	"testing"

	"golang.org/x/tools/go/ssa"

	"misstep/pointsto"
)

// TestOrder: what follows does not depend on the order in which it is found, nor on
// what is done to find it faster.
func TestOrder(t *testing.T) {
	list, err := samples()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		t.Run(s.name, func(t *testing.T) {
			all := pointsto.Orders(&pointsto.Program{Program: s.main.Prog, Mains: []*ssa.Package{s.main}})
			first := facts(all[0])
			if len(first) < 20 {
				t.Errorf("only %d facts", len(first))
			}
			for i, r := range all[1:] {
				other := facts(r)
				for k := range first {
					if !other[k] {
						t.Errorf("order %d: not found: %s", i+1, k)
					}
				}
				for k := range other {
					if !first[k] {
						t.Errorf("order %d: found besides: %s", i+1, k)
					}
				}
			}
		})
	}
}

// facts are what a result says, without numbers.
func facts(r *pointsto.Result) map[string]bool {
	set := map[string]bool{}
	name := func(o *pointsto.Object) string { return fmt.Sprint(o, o.Pos()) }
	for _, v := range r.Values() {
		for _, o := range r.PointsTo(v) {
			if !o.Tag { // which of several conversions made it is open
				set[fmt.Sprintf("%v.%s → %s", v.Parent(), v.Name(), name(o))] = true
			}
		}
	}
	for _, fn := range r.Functions() {
		for _, o := range r.Written(fn) {
			if !o.Tag {
				set[fmt.Sprintf("%v writes %s", fn, name(o))] = true
			}
		}
		for _, site := range r.Callers(fn) {
			set[fmt.Sprintf("%v: %v calls %v", site.Parent(), site, fn)] = true
		}
	}
	return set
}
