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
	base string // the group whose types it gives
	manner
	hubs map[int]int // by layout
	// tag is what is in the interfaces that it gives: something with all methods.
	tag   *Object
	boxes map[int]*Object // by layout
	seen  map[int]bool    // values in interfaces that it was given
	// backs are the functions of the program that it calls.
	backs map[*ssa.Function]bool
	// whole are the objects that its hubs point to, once they are asked for.
	whole *intsets.Sparse
}

func (a *analysis) group(name string) *group {
	g := a.groups[name]
	if g == nil {
		g = a.newGroup(name, name, manners[name])
		a.groups[name] = g
	}
	return g
}

func (a *analysis) newGroup(name, base string, m manner) *group {
	return &group{
		a: a, name: name, base: base, manner: m, hubs: map[int]int{}, boxes: map[int]*Object{},
		seen: map[int]bool{}, backs: map[*ssa.Function]bool{},
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

// makes reports whether the group can make values of a type.
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
		if g.reflects && (!g.quiet || g.boxing) {
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
	g.a.point(at, o.first)
}

// box puts values of a type into interfaces, as reflection does.
func (g *group) box(lay *layout, at int) {
	if g.boxes[lay.id] == nil && !types.IsInterface(lay.typ) {
		g.boxRow(lay, at)
	}
}

// boxRow puts the values of a row into the interface that the group has for their type.
// Only where interfaces are asked of reflection can they come out of the group; others
// only call their methods.
func (g *group) boxRow(lay *layout, row int) {
	o := g.boxes[lay.id]
	if o == nil {
		o = g.a.object(&Object{Type: lay.typ, Tag: true, Made: g.name}, lay)
		g.boxes[lay.id] = o
		if g.boxing {
			g.a.point(g.hub(g.a.lay.of(anyLayout)), o.first)
		} else {
			tagUse{g}.apply(g.a, o.first)
		}
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
