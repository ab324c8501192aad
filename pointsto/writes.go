package pointsto

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/container/intsets"
	"golang.org/x/tools/go/ssa"
)

// Writes reports whether a call of a function may change an object: a field or element of
// it, the entries of a map, what a channel holds. All that the function calls counts.
func (r *Result) Writes(fn *ssa.Function, o *Object) bool {
	n := r.graph().funcs[fn]
	return n != nil && n.writes.Has(o.ID)
}

// Written are the objects that a call of a function may change.
func (r *Result) Written(fn *ssa.Function) []*Object {
	n := r.graph().funcs[fn]
	if n == nil {
		return nil
	}
	return r.objects(n.writes)
}

// WritesThrough reports whether one call may change an object.
func (r *Result) WritesThrough(site ssa.CallInstruction, o *Object) bool {
	g := r.graph()
	var set intsets.Sparse
	n := &node{writes: &set}
	for fn := range r.a.callees[site] {
		if n := g.funcs[fn]; n != nil && !isOpaque(fn) && n.writes.Has(o.ID) {
			return true
		}
	}
	for _, of := range r.a.groupsAt(site) {
		if n := g.groups[of]; of.retains(site) && n != nil && n.writes.Has(o.ID) {
			return true
		}
	}
	for fn := range r.read(site) {
		if r.Writes(fn, o) {
			return true
		}
	}
	g.changedBy(site, n.writes)
	if b, ok := site.Common().Value.(*ssa.Builtin); ok {
		g.changedByBuiltin(b.Name(), site, &set)
	}
	return set.Has(o.ID)
}

// Changed are the objects that an instruction itself may change, not what it calls.
func (r *Result) Changed(instr ssa.Instruction) []*Object {
	var set intsets.Sparse
	(&graph{r: r}).change(instr, &set)
	return r.objects(&set)
}

// change collects what an instruction changes.
func (g *graph) change(instr ssa.Instruction, set *intsets.Sparse) {
	switch i := instr.(type) {
	case *ssa.Store:
		g.target(i.Addr, set)
	case *ssa.MapUpdate:
		g.target(i.Map, set)
	case *ssa.Send:
		g.target(i.Chan, set)
	case *ssa.UnOp:
		if i.Op == token.ARROW {
			g.target(i.X, set)
		}
	case *ssa.Select:
		for _, st := range i.States {
			g.target(st.Chan, set)
		}
	case ssa.CallInstruction:
		if b, ok := i.Common().Value.(*ssa.Builtin); ok {
			g.changedByBuiltin(b.Name(), i, set)
		}
	}
}

func (g *graph) changedByBuiltin(name string, site ssa.CallInstruction, set *intsets.Sparse) {
	switch name {
	case "append":
		if v := site.Value(); v != nil {
			g.target(v, set)
		}
	case "copy", "clear", "delete", "close":
		g.target(site.Common().Args[0], set)
	}
}

// target collects the objects that a reference leads to.
func (g *graph) target(v ssa.Value, set *intsets.Sparse) {
	if at, ok := g.r.a.values[v]; ok {
		g.r.a.owned(at, set)
	}
}

// owned collects the numbers of the objects that a slot points to.
func (a *analysis) owned(at int, set *intsets.Sparse) {
	if s := a.slots[a.find(at)]; s.pts != nil {
		for _, t := range s.pts.AppendTo(nil) {
			set.Insert(int(a.owners[t]))
		}
	}
}

// changedBy collects what functions that are not analysed by their bodies may change of
// what a call gives them: what their parameters' types let them reach directly, and by
// reflection all that they reach.
func (g *graph) changedBy(site ssa.CallInstruction, set *intsets.Sparse) {
	a := g.r.a
	c := site.Common()
	for fn := range a.callees[site] {
		name := nameOf(fn)
		l := locals[name]
		switch {
		case l == nil && models[name] == nil && !isOpaque(fn):
			continue
		case reading[name]:
			continue
		}
		in, _ := a.groupsOf(fn)
		if l != nil {
			in = a.local[localCall{site, fn}]
		}
		if in == nil || in.quiet {
			continue
		}
		if l != nil && l.sets || setting[name] {
			set.UnionWith(in.all())
		}
		if c.IsInvoke() {
			g.reachable(c.Value, set)
		}
		for _, x := range c.Args {
			g.reachable(x, set)
		}
	}
	if len(a.borrowed[site]) > 0 {
		for _, x := range c.Args {
			g.reachable(x, set)
		}
	}
}

// all are the numbers of the objects that a group has.
func (g *group) all() *intsets.Sparse {
	if g.whole == nil {
		g.whole = &intsets.Sparse{}
		for _, h := range g.hubs {
			g.a.owned(h, g.whole)
		}
	}
	return g.whole
}

// reachable collects the objects that the library can change when it is given a value,
// by its type alone.
func (g *graph) reachable(x ssa.Value, set *intsets.Sparse) {
	at, ok := g.r.a.values[x]
	if !ok {
		return
	}
	switch x.Type().Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map, *types.Chan:
		g.r.a.owned(at, set)
	}
}
