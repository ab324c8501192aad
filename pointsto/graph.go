package pointsto

import (
	"go/types"
	"slices"

	"golang.org/x/tools/container/intsets"
	"golang.org/x/tools/go/ssa"
)

// A node is a function or a group of the library, as the effects of calls go.
type node struct {
	fn    *ssa.Function
	group *group
	to    []*node
	// writes are the objects that it changes itself, or calls that change them.
	writes *intsets.Sparse

	index, low int
	on         bool
}

// A graph is who calls whom, with what the library calls back.
type graph struct {
	r       *Result
	funcs   map[*ssa.Function]*node
	groups  map[*group]*node
	callers map[*ssa.Function][]ssa.CallInstruction
}

func newGraph(r *Result) *graph {
	g := &graph{r, map[*ssa.Function]*node{}, map[*group]*node{}, map[*ssa.Function][]ssa.CallInstruction{}}
	fns := r.Functions()
	for _, fn := range fns {
		g.funcs[fn] = &node{fn: fn, writes: &intsets.Sparse{}}
	}
	for _, fn := range fns {
		n := g.funcs[fn]
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				g.change(instr, n.writes)
				if site, ok := instr.(ssa.CallInstruction); ok {
					g.calls(n, site)
				}
			}
		}
	}
	g.condense()
	return g
}

// group is the node of a group, which calls what it was given.
func (g *graph) group(of *group) *node {
	n := g.groups[of]
	if n == nil {
		n = &node{group: of, writes: &intsets.Sparse{}}
		g.groups[of] = n
		for fn := range of.backs {
			if to := g.funcs[fn]; to != nil {
				n.to = append(n.to, to)
			}
		}
	}
	return n
}

// calls adds what a call enters to a node.
func (g *graph) calls(n *node, site ssa.CallInstruction) {
	for fn := range g.r.a.callees[site] {
		g.callers[fn] = append(g.callers[fn], site)
		if to := g.funcs[fn]; to != nil && !isOpaque(fn) {
			n.to = append(n.to, to)
		}
	}
	for _, of := range g.r.a.groupsAt(site) {
		if of.retains(site) {
			n.to = append(n.to, g.group(of))
		}
	}
	for fn := range g.r.read(site) {
		if to := g.funcs[fn]; to != nil {
			n.to = append(n.to, to)
		}
	}
	g.changedBy(site, n.writes)
}

// groupsAt are the groups of the library that a call enters.
func (a *analysis) groupsAt(site ssa.CallInstruction) []*group {
	var list []*group
	add := func(g *group) {
		if !slices.Contains(list, g) {
			list = append(list, g)
		}
	}
	for fn := range a.callees[site] {
		switch name := nameOf(fn); {
		case locals[name] != nil:
			add(a.local[localCall{site, fn}])
		case models[name] != nil:
			if g := a.groups["sync"]; g != nil {
				add(g)
			}
		case isOpaque(fn):
			in, _ := a.groupsOf(fn)
			add(in)
		}
	}
	for g := range a.borrowed[site] {
		add(g)
	}
	return list
}

// Callbacks are the functions of the program that the library may call during a call,
// by name. Of a call to what only reads its arguments, such as fmt.Println, they are
// methods of these; of others all that the packages behind it were ever given.
func (r *Result) Callbacks(site ssa.CallInstruction) []*ssa.Function {
	sets := r.CallbackSets(site)
	if len(sets) == 1 {
		return slices.Clone(sets[0])
	}
	all := map[*ssa.Function]bool{}
	for _, set := range sets {
		for _, fn := range set {
			all[fn] = true
		}
	}
	return byName(all)
}

// CallbackSets are the same functions as sets that many calls share, which may overlap: for
// each group behind a call, the same slice each time. They must not be changed.
func (r *Result) CallbackSets(site ssa.CallInstruction) [][]*ssa.Function {
	var sets [][]*ssa.Function
	if set := r.read(site); len(set) > 0 {
		sets = append(sets, byName(set))
	}
	for _, g := range r.a.groupsAt(site) {
		if !g.retains(site) || len(g.backs) == 0 {
			continue
		}
		list, ok := r.backs[g]
		if !ok {
			list = byName(g.backs)
			r.backs[g] = list
		}
		sets = append(sets, list)
	}
	return sets
}

// retains reports whether a call of a group may call back what other calls gave it.
func (g *group) retains(site ssa.CallInstruction) bool {
	return !g.quiet && (!g.reads || g.a.borrowed[site][g])
}

// read are the methods that a call calls back which only reads its arguments.
func (r *Result) read(site ssa.CallInstruction) map[*ssa.Function]bool {
	set := map[*ssa.Function]bool{}
	for _, g := range r.a.groupsAt(site) {
		if g.retains(site) {
			continue
		}
		var reached intsets.Sparse
		for _, x := range site.Common().Args {
			r.given(x, &reached)
		}
		for _, id := range reached.AppendTo(nil) {
			o := r.a.objects[id]
			if !o.Tag || o.group != nil {
				continue
			}
			for _, sel := range r.a.methodsOf(o.lay) {
				if fn := r.a.lookups[lookup{o.lay.id, sel.Obj().(*types.Func)}]; fn != nil && g.backs[fn] {
					set[fn] = true
				}
			}
		}
	}
	return set
}

// given collects what an argument leads to: what it points to, and of the slice of a
// variadic call's arguments and of values in interfaces what these do.
func (r *Result) given(x ssa.Value, set *intsets.Sparse) {
	at, ok := r.a.values[x]
	if !ok {
		return
	}
	var direct intsets.Sparse
	r.reach(at, r.a.lay.size(x.Type()), &direct)
	set.UnionWith(&direct)
	if s, ok := x.Type().Underlying().(*types.Slice); ok && types.IsInterface(s.Elem()) {
		for _, id := range direct.AppendTo(nil) {
			o := r.a.objects[id]
			r.reach(o.start, o.lay.size, set)
		}
	}
}

// Callers are the calls that may enter a function, but for those that the library makes.
func (r *Result) Callers(fn *ssa.Function) []ssa.CallInstruction { return r.graph().callers[fn] }

// condense gives all functions of a circle of calls the same writes, which are theirs
// and those of all that they call (Tarjan's algorithm).
func (g *graph) condense() {
	var stack []*node
	next := 1
	var visit func(n *node)
	visit = func(n *node) {
		n.index, n.low = next, next
		next++
		stack = append(stack, n)
		n.on = true
		for _, to := range n.to {
			if to.index == 0 {
				visit(to)
				n.low = min(n.low, to.low)
			} else if to.on {
				n.low = min(n.low, to.index)
			}
		}
		if n.low != n.index {
			return
		}
		all := n.writes
		i := len(stack) - 1
		for ; ; i-- {
			m := stack[i]
			m.on = false
			all.UnionWith(m.writes)
			if m == n {
				break
			}
		}
		for _, m := range stack[i:] {
			for _, to := range m.to {
				if to.writes != all && !to.on {
					all.UnionWith(to.writes)
				}
			}
		}
		for _, m := range stack[i:] {
			m.writes = all
		}
		stack = stack[:i]
	}
	for _, fn := range g.r.Functions() {
		if n := g.funcs[fn]; n.index == 0 {
			visit(n)
		}
	}
}
