package pointsto

import (
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/container/intsets"
	"golang.org/x/tools/go/ssa"
)

// A Result is what the variables of a program may point to.
type Result struct {
	a *analysis
}

// Analyze analyses the program that begins with the functions main and init of
// packages, and with further functions that something outside calls, such as tests.
func Analyze(prog *ssa.Program, mains []*ssa.Package, roots ...*ssa.Function) *Result {
	a := &analysis{
		prog: prog, values: map[ssa.Value]int{}, globals: map[ssa.Value]*Object{}, funcs: map[*ssa.Function]*function{},
		callees: map[ssa.CallInstruction]map[*ssa.Function]bool{},
	}
	a.panics, a.pool, a.reflects = a.row(1), a.row(1), a.row(1)
	for _, p := range mains {
		p.Build()
		for _, name := range []string{"init", "main"} {
			if fn := p.Func(name); fn != nil {
				a.take(fn)
			}
		}
	}
	for _, fn := range roots {
		a.take(fn)
	}
	a.solve()
	return &Result{a}
}

// PointsTo are the objects that a value, or a part of it, may point to, in the order
// in which they were found. What lies in an interface is what its value points to.
func (r *Result) PointsTo(v ssa.Value) []*Object {
	at, ok := r.a.values[v]
	if !ok {
		return nil
	}
	var set intsets.Sparse
	for i := range r.a.lay.size(v.Type()) {
		set.UnionWith(&r.a.slots[r.a.find(at+i)].pts)
	}
	return r.objects(&set)
}

// objects are those that slots belong to; of values in interfaces what they point to,
// besides.
func (r *Result) objects(set *intsets.Sparse) []*Object {
	seen := map[*Object]bool{}
	var list []*Object
	var visit func(set *intsets.Sparse)
	visit = func(set *intsets.Sparse) {
		for _, t := range set.AppendTo(nil) {
			o := r.a.of(t)
			if o == nil || seen[o] {
				continue
			}
			seen[o] = true
			list = append(list, o)
			if o.Tag {
				for i := range o.size {
					visit(&r.a.slots[r.a.find(o.start+i)].pts)
				}
			}
		}
	}
	visit(set)
	return list
}

// Holds are the objects that lie in an object's own fields and elements.
func (r *Result) Holds(o *Object) []*Object {
	var set intsets.Sparse
	for i := range o.size {
		set.UnionWith(&r.a.slots[r.a.find(o.start+i)].pts)
	}
	return r.objects(&set)
}

// Objects are all objects.
func (r *Result) Objects() []*Object { return r.a.objects }

// Callees are the functions that a call may enter, by name.
func (r *Result) Callees(site ssa.CallInstruction) []*ssa.Function {
	return slices.SortedFunc(maps.Keys(r.a.callees[site]), func(a, b *ssa.Function) int { return strings.Compare(a.String(), b.String()) })
}

// Called tells whether a function may be called.
func (r *Result) Called(fn *ssa.Function) bool {
	f := r.a.funcs[fn]
	return f != nil && f.taken
}

// Functions are those that may be called, by name.
func (r *Result) Functions() []*ssa.Function {
	var list []*ssa.Function
	for fn, f := range r.a.funcs {
		if f.taken {
			list = append(list, fn)
		}
	}
	slices.SortFunc(list, func(a, b *ssa.Function) int { return strings.Compare(a.String(), b.String()) })
	return list
}

// Edges is the number of pairs of a call and a function that it may enter.
func (r *Result) Edges() int {
	n := 0
	for _, fns := range r.a.callees {
		n += len(fns)
	}
	return n
}

// Slots is the number of the constraints' variables.
func (r *Result) Slots() int { return len(r.a.slots) }

// String names an object after where it stems from.
func (o *Object) String() string {
	if o.At == nil {
		return types.TypeString(o.Type, nil)
	}
	return o.At.String()
}
