package pointsto

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

type implementsUse struct {
	dst int
	lay *layout
}

func (u implementsUse) apply(a *analysis, t int) {
	o := a.of(t)
	if o.Tag && a.implements(o, u.lay) {
		a.point(u.dst, t)
	}
}

// A contentUse is what the group finds where the pointers in a hub lead to.
type contentUse struct {
	g  *group
	of *layout
}

func (u contentUse) apply(a *analysis, t int) {
	for i, e := range a.lay.slots(u.of) {
		at := a.at(t, i)
		if at < 0 || !e.lay.points || !e.open && !(u.g.reflects && e.exported) {
			continue
		}
		h := u.g.hub(e.lay)
		a.copy(h, at)
		if !u.g.quiet {
			a.copy(at, h)
		}
	}
	if u.g.reflects {
		u.g.parts(a.at(t, 0), t, u.of)
	}
}

// parts lets reflection find the methods of the parts of a value, and pointers to them.
func (g *group) parts(row, target int, lay *layout) {
	a := g.a
	for _, p := range a.lay.parts(lay) {
		at, part := p.at, p.lay
		if row < 0 || at >= lay.size {
			continue
		}
		if target >= 0 {
			if a.at(target, at) < 0 {
				continue // the object ends before, as its type is another one
			}
			p := a.lay.pointerTo(part)
			if g.quiet && len(a.methodsOf(p)) == 0 {
				continue
			}
			h := g.hub(p)
			g.box(p, h)
			a.point(h, target+at)
			continue
		}
		if part != lay && len(a.methodsOf(part)) > 0 && !types.IsInterface(part.typ) {
			g.boxRow(part, row+at)
		}
	}
}

// A tagUse is what the group does with values in interfaces.
type tagUse struct{ g *group }

func (u tagUse) apply(a *analysis, t int) {
	g, o := u.g, a.of(t)
	if !o.Tag || o.group != nil || g.seen[o.ID] {
		return
	}
	g.seen[o.ID] = true
	g.take(o.start, o.lay)
	if g.reflects {
		g.parts(o.start, -1, o.lay)
	}
	for _, sel := range a.methodsOf(o.lay) {
		m := sel.Obj().(*types.Func)
		if !(g.every && m.Exported()) && !a.declares(m) {
			continue
		}
		if fn := a.method(o.lay, m); fn != nil && !isOpaque(fn) {
			g.back(fn, o.start)
		}
	}
}

// A backUse is that the group calls functions that it was given.
type backUse struct{ g *group }

func (u backUse) apply(a *analysis, t int) {
	if o := a.of(t); o.Fn != nil && !isOpaque(o.Fn) {
		u.g.back(o.Fn, -1)
	}
}

// back lets the group call a function of the program, with a receiver or -1.
func (g *group) back(fn *ssa.Function, receiver int) {
	a := g.a
	f := a.take(fn)
	from := 0
	if receiver >= 0 && len(f.params) > 0 {
		if lay := a.lay.of(f.types[0]); lay.points {
			a.copyRow(f.params[0], receiver, lay.size)
		}
		from = 1
	}
	if g.backs[fn] {
		return
	}
	g.backs[fn] = true
	for i := from; i < len(f.params); i++ {
		g.give(f.params[i], a.lay.of(f.types[i]))
	}
	g.take(f.results, a.lay.of(fn.Signature.Results()))
}
