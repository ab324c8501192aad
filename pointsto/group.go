package pointsto

import (
	"go/types"

	"golang.org/x/tools/container/intsets"
	"golang.org/x/tools/go/ssa"
)

// A group are packages of the library that are not analysed by their bodies, as one.
// What they have is sorted by types alone: for each type that fits a slot there is one
// hub, a slot that holds all values of that type that the group was given, found in
// what it was given, or makes. This follows Averroes (Ali and Lhoták, ECOOP 2013): as
// the library was compiled without the program, it can call a method of the program's
// types only through interfaces that it declares itself, and reach fields of its own
// types only; but for reflection, which finds all that is exported.
type group struct {
	a    *analysis
	name string
	manner
	hubs map[int]int // by layout
	// tag is what is in the interfaces that it gives: something with all methods.
	tag   *Object
	boxes map[int]*Object // by layout
	made  map[int]*Object // by layout
	seen  map[int]bool    // values in interfaces that it was given
	// backs are the functions of the program that it calls.
	backs map[*ssa.Function]bool
	// whole are the objects that its hubs point to, once they are asked for.
	whole *intsets.Sparse
}

func (a *analysis) group(name string) *group {
	g := a.groups[name]
	if g == nil {
		g = a.newGroup(name, manners[name])
		a.groups[name] = g
	}
	return g
}

func (a *analysis) newGroup(name string, m manner) *group {
	return &group{
		a: a, name: name, manner: m, hubs: map[int]int{}, boxes: map[int]*Object{},
		made: map[int]*Object{}, seen: map[int]bool{}, backs: map[*ssa.Function]bool{},
	}
}

// opaque is what is in the interfaces that the group gives.
func (g *group) opaque() *Object {
	if g.tag == nil {
		t := types.NewInterfaceType(nil, nil)
		g.tag = g.a.object(&Object{Type: t, Tag: true, Made: g.name, group: g}, g.a.lay.of(t))
	}
	return g.tag
}

// makes tells whether the group can make values of a type.
func (g *group) makes(t types.Type) bool {
	switch {
	case g.reflects:
		return true
	case g.bare:
		return types.IsInterface(t)
	}
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if p := t.Obj().Pkg(); p != nil && !isLibrary(p.Path()) {
			return types.IsInterface(t)
		}
	case *types.Pointer:
		return g.makes(t.Elem())
	case *types.TypeParam:
		return false
	}
	return true
}

// key is the layout of the hub for values of a type. The library converts between
// named types of the same references as it likes.
func (g *group) key(lay *layout) *layout { return g.a.lay.underlying(lay) }

var anyLayout = types.NewInterfaceType(nil, nil)

// hub is the slot of all that the group has of a type.
func (g *group) hub(lay *layout) int {
	a := g.a
	lay = g.key(lay)
	if at, ok := g.hubs[lay.id]; ok {
		return at
	}
	at := a.row(1)
	g.hubs[lay.id] = at
	all := a.lay.of(anyLayout)
	switch t := lay.typ.(type) {
	case *types.Interface:
		if !g.quiet {
			a.point(at, g.opaque().first)
		}
		if lay == all {
			a.on(at, tagUse{g})
			break
		}
		a.copy(g.hub(all), at)
		a.on(g.hub(all), implementsUse{at, lay})
	case *types.Signature:
		a.on(at, backUse{g})
		if !g.quiet {
			g.make(at, lay, lay)
		}
	default:
		of := a.lay.contents(lay)
		if of == nil {
			break // an unsafe.Pointer
		}
		if g.shallow && !types.IsInterface(of.typ) {
			break
		}
		a.on(at, contentUse{g, of})
		if !g.quiet && g.makes(t) {
			g.make(at, lay, of)
		}
		if g.reflects && (!g.quiet || g.every) {
			g.box(lay, at)
		}
	}
	return at
}

// make lets the group make an object.
func (g *group) make(at int, lay, of *layout) {
	t := of.typ
	if _, pointer := lay.typ.(*types.Pointer); !pointer {
		t = lay.typ
	}
	o := g.a.object(&Object{Type: t, Made: g.name, group: g}, of)
	g.made[lay.id] = o
	g.a.point(at, o.first)
}

// box puts values of a type into interfaces, as reflection does.
func (g *group) box(lay *layout, at int) {
	if g.boxes[lay.id] == nil && !types.IsInterface(lay.typ) {
		g.boxRow(lay, at)
	}
}

// boxRow puts the values of a row into the interface that the group has for their type.
func (g *group) boxRow(lay *layout, row int) {
	o := g.boxes[lay.id]
	if o == nil {
		o = g.a.object(&Object{Type: lay.typ, Tag: true, Made: g.name}, lay)
		g.boxes[lay.id] = o
		g.a.point(g.hub(g.a.lay.of(anyLayout)), o.first)
	}
	if lay.points {
		g.a.copyRow(o.start, row, lay.size)
	}
}

// take gives the group a row of values.
func (g *group) take(row int, lay *layout) {
	if !lay.points {
		return
	}
	for i, e := range g.a.lay.slots(lay) {
		if e.lay.points && (e.open || g.reflects && e.exported) {
			g.a.copy(g.hub(e.lay), row+i)
		}
	}
}

// give lets a row hold what the group has of its types.
func (g *group) give(row int, lay *layout) {
	if !lay.points {
		return
	}
	for i, e := range g.a.lay.slots(lay) {
		if e.lay.points && (e.open || g.reflects && e.exported) {
			g.a.copy(row+i, g.hub(e.lay))
		}
	}
}

// shares lets the group have an object, such as a variable, as its own.
func (g *group) shares(o *Object) {
	g.take(o.start, o.lay)
	g.give(o.start, o.lay)
}

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
	a.lay.parts(lay, func(at int, part *layout) {
		if row < 0 || at >= lay.size {
			return
		}
		if target >= 0 && a.at(target, at) >= 0 {
			p := a.lay.of(types.NewPointer(part.typ))
			if g.quiet && len(a.methodsOf(p)) == 0 {
				return
			}
			h := g.hub(p)
			g.box(p, h)
			a.point(h, target+at)
			return
		}
		if part != lay && len(a.methodsOf(part)) > 0 && !types.IsInterface(part.typ) {
			g.boxRow(part, row+at)
		}
	})
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

// library makes the constraints of a function that is not analysed by its body.
func (a *analysis) library(f *function) {
	in, out := a.groupsOf(f.fn)
	for i, t := range f.types {
		in.take(f.params[i], a.lay.of(t))
	}
	out.give(f.results, a.lay.of(f.fn.Signature.Results()))
}

// groupsOf are the groups of what a function is given and of what it gives.
func (a *analysis) groupsOf(fn *ssa.Function) (in, out *group) {
	if r, ok := routes[nameOf(fn)]; ok {
		return a.group(r.in), a.group(r.out)
	}
	name := "external"
	if pkg := packageOf(fn); pkg != nil && isLibrary(pkg.Path()) {
		name = groupOf(pkg.Path())
	}
	g := a.group(name)
	return g, g
}

// borrow calls something that a group made: a method of a value in an interface, or a
// function.
func (a *analysis) borrow(site ssa.CallInstruction, g *group, sig *types.Signature) {
	m := a.borrowed[site]
	if m == nil {
		m = map[*group]bool{}
		a.borrowed[site] = m
	}
	if m[g] {
		return
	}
	m[g] = true
	for _, x := range site.Common().Args {
		g.take(a.value(x), a.lay.of(x.Type()))
	}
	if to := a.results(site); to >= 0 {
		g.give(to, a.lay.of(sig.Results()))
	}
}

// A localCall is a call of a function whose calls share nothing.
type localCall struct {
	site ssa.CallInstruction
	fn   *ssa.Function
}

func (a *analysis) localCall(site ssa.CallInstruction, f *function, l *localRoute) {
	g := a.newGroup(f.fn.String(), l.manner)
	a.local[localCall{site, f.fn}] = g
	for _, x := range site.Common().Args {
		g.take(a.value(x), a.lay.of(x.Type()))
	}
	if to := a.results(site); to >= 0 {
		g.give(to, a.lay.of(f.fn.Signature.Results()))
	}
}
