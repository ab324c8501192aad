package pointsto

import (
	"cmp"
	"context"
	"go/types"
	"slices"
	"sync"

	"golang.org/x/tools/container/intsets"
	"golang.org/x/tools/go/ssa"
)

// A Result is what the variables of a program may point to. It is for one goroutine at a
// time, as it finds out some things only when they are asked for.
type Result struct {
	a *analysis
	// Joined with the syntax and the call graph when they are asked for.
	expressions func() map[place][]reference
	slots       map[int]*intsets.Sparse
	asked       map[place]*intsets.Sparse
	graph       func() *graph
	made        func() map[spot][]*Object
	// backs are the functions that groups may call back, by name: the same for many calls.
	backs map[*group][]*ssa.Function
}

// analysis is what is known while the constraints are solved.
type analysis struct {
	// ctx ends the analysis, if it is not nil, and stopped says that it did.
	ctx     context.Context
	stopped bool

	prog *ssa.Program
	lay  *layouts

	slots     []*slot
	chunk     []slot
	nothings  int
	nothingAt int
	derived   map[derived]int
	objects   []*Object
	owners    []int32 // of each target, the object
	scratch   intsets.Sparse

	queue     queue
	edges     int  // copies between slots
	passed    int  // since circles were looked for
	plain     bool // circles are not looked for
	often     bool // circles are looked for each time
	backwards bool // the order among equals is turned round

	values  map[ssa.Value]int
	tags    map[tagged]*Object
	globals map[*ssa.Global]*Object
	funcs   map[*ssa.Function]*function
	pending []*function
	callees map[ssa.CallInstruction]map[*ssa.Function]bool
	lookups map[lookup]*ssa.Function
	fits    map[pair]bool
	panics  int // what is thrown

	groups map[string]*group
	// local are the groups of calls that share nothing with others, and borrowed those
	// of calls of what a group made.
	local    map[localCall]*group
	borrowed map[ssa.CallInstruction]map[*group]bool
	// known are the methods of the library's interfaces, common those that types of any
	// of its packages may have, and provided those of its types, by groups.
	known, common methodSet
	provided      map[string]methodSet
}

// Analyze analyses the program that begins with the functions main and init of
// packages, and with further functions that something outside calls, such as tests.
func Analyze(prog *ssa.Program, mains []*ssa.Package, roots ...*ssa.Function) *Result {
	return analyze(&analysis{}, prog, mains, roots)
}

func analyze(a *analysis, prog *ssa.Program, mains []*ssa.Package, roots []*ssa.Function) *Result {
	a.prog, a.lay = prog, newLayouts()
	a.derived = map[derived]int{}
	a.values, a.tags = map[ssa.Value]int{}, map[tagged]*Object{}
	a.globals, a.funcs = map[*ssa.Global]*Object{}, map[*ssa.Function]*function{}
	a.callees = map[ssa.CallInstruction]map[*ssa.Function]bool{}
	a.lookups = map[lookup]*ssa.Function{}
	a.groups, a.local = map[string]*group{}, map[localCall]*group{}
	a.borrowed = map[ssa.CallInstruction]map[*group]bool{}
	a.libraryMethods()
	a.fits = map[pair]bool{}
	a.queue.a = a
	a.panics = a.row(1)
	build(prog, mains, roots)
	for _, p := range mains {
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
	r := &Result{a: a, asked: map[place]*intsets.Sparse{}, slots: map[int]*intsets.Sparse{}}
	r.expressions = sync.OnceValue(r.index)
	r.backs = map[*group][]*ssa.Function{}
	r.made = sync.OnceValue(r.spots)
	r.graph = sync.OnceValue(func() *graph { return newGraph(r) })
	for _, o := range a.objects {
		if o.At != nil && !o.Tag {
			o.pos = o.At.Pos()
		}
	}
	return r
}

// build builds the packages that are analysed by their bodies.
func build(prog *ssa.Program, mains []*ssa.Package, roots []*ssa.Function) {
	var wg sync.WaitGroup
	seen := map[*types.Package]bool{}
	var visit func(p *types.Package)
	visit = func(p *types.Package) {
		if seen[p] {
			return
		}
		seen[p] = true
		for _, imp := range p.Imports() {
			visit(imp)
		}
		if sp := prog.Package(p); sp != nil && byBody(p.Path()) {
			wg.Go(sp.Build)
		}
	}
	for _, p := range mains {
		visit(p.Pkg)
	}
	for _, fn := range roots {
		if fn.Pkg != nil {
			visit(fn.Pkg.Pkg)
		}
	}
	wg.Wait()
}

// PointsTo are the objects that a value, or a part of it, may point to, in the order
// in which they were found. What lies in an interface is what its value points to.
func (r *Result) PointsTo(v ssa.Value) []*Object {
	at, ok := r.a.values[v]
	if !ok {
		return nil
	}
	var set intsets.Sparse
	r.reach(at, r.a.lay.size(v.Type()), &set)
	return r.objects(&set)
}

// Holds are the objects that lie in an object's own fields and elements.
func (r *Result) Holds(o *Object) []*Object {
	var set intsets.Sparse
	r.reach(o.start, o.lay.size, &set)
	return r.objects(&set)
}

// reach collects the numbers of the objects that a row points to; of values in
// interfaces what they point to, besides.
func (r *Result) reach(at, n int, set *intsets.Sparse) {
	for i := range n {
		set.UnionWith(r.reached(r.a.find(at + i)))
	}
}

// reached are the numbers of the objects that one slot points to.
func (r *Result) reached(slot int) *intsets.Sparse {
	if set := r.slots[slot]; set != nil {
		return set
	}
	set := &intsets.Sparse{}
	seen := map[int]bool{slot: true}
	for todo := []int{slot}; len(todo) > 0; {
		pts := r.a.slots[todo[len(todo)-1]].pts
		todo = todo[:len(todo)-1]
		if pts == nil {
			continue
		}
		for _, t := range pts.AppendTo(nil) {
			o := r.a.of(t)
			if !set.Insert(o.ID) || !o.Tag || !o.lay.points {
				continue
			}
			for i := range o.lay.size {
				if at := r.a.find(o.start + i); !seen[at] {
					seen[at] = true
					todo = append(todo, at)
				}
			}
		}
	}
	r.slots[slot] = set
	return set
}

func (r *Result) objects(set *intsets.Sparse) []*Object {
	list := make([]*Object, 0, set.Len())
	for _, id := range set.AppendTo(nil) {
		list = append(list, r.a.objects[id])
	}
	return list
}

// Objects are all objects, by their numbers.
func (r *Result) Objects() []*Object { return r.a.objects }

// Slots is the number of the constraints' variables.
func (r *Result) Slots() int { return len(r.a.slots) }

// Callees are the functions that a call may enter, by name. What the library calls
// back is not among them; see [Result.Callbacks].
func (r *Result) Callees(site ssa.CallInstruction) []*ssa.Function {
	return byName(r.a.callees[site])
}

// Called reports whether a function may be called.
func (r *Result) Called(fn *ssa.Function) bool {
	f := r.a.funcs[fn]
	return f != nil && f.taken
}

// Functions are those that may be called, by name.
func (r *Result) Functions() []*ssa.Function {
	set := map[*ssa.Function]bool{}
	for fn, f := range r.a.funcs {
		if f.taken {
			set[fn] = true
		}
	}
	return byName(set)
}

// Edges is the number of pairs of a call and a function that it may enter.
func (r *Result) Edges() int {
	n := 0
	for _, fns := range r.a.callees {
		n += len(fns)
	}
	return n
}

func byName(set map[*ssa.Function]bool) []*ssa.Function {
	list := make([]*ssa.Function, 0, len(set))
	names := make(map[*ssa.Function]string, len(set))
	for fn := range set {
		list = append(list, fn)
		names[fn] = fn.String()
	}
	slices.SortFunc(list, func(a, b *ssa.Function) int {
		return cmp.Or(cmp.Compare(names[a], names[b]), cmp.Compare(a.Pos(), b.Pos()))
	})
	return list
}
