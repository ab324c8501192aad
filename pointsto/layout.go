package pointsto

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/types/typeutil"
)

// layouts knows how the values of each type are laid out in slots. Types that are
// identical have one layout.
type layouts struct {
	known map[types.Type]*layout
	canon typeutil.Map // types.Type → *layout
	count int
}

// A layout is how values of a type are laid out.
type layout struct {
	id   int
	typ  types.Type
	size int // at least one
	// points reports whether values hold anything that points.
	points  bool
	offsets []int   // of a struct's fields or a tuple's components
	elems   []*elem // one for each slot, once they are asked for
	under   *layout // of the underlying type, once it is asked for
	content *layout // of what a reference leads to, once it is asked for
	methods []*types.Selection
	listed  bool        // the methods are
	pointer *layout     // of a pointer to it, once it is asked for
	named   []namedPart // see parts; nil until they are asked for
}

// A namedPart is a part of a layout that has a type with a name, and in which slot it begins.
type namedPart struct {
	at  int
	lay *layout
}

// An elem is what is in one slot: a value that is no struct or array.
type elem struct {
	lay *layout
	// open says that packages of the library can reach it as they know its type: the
	// structs around it were declared there.
	open bool
	// exported says that reflection can set it: all fields around it are exported or
	// embedded.
	exported bool
}

func newLayouts() *layouts { return &layouts{known: map[types.Type]*layout{}} }

// of is the layout of a type.
func (l *layouts) of(t types.Type) *layout {
	if lay := l.known[t]; lay != nil {
		return lay
	}
	if lay, ok := l.canon.At(t).(*layout); ok {
		l.known[t] = lay
		return lay
	}
	lay := &layout{id: l.count, typ: types.Unalias(t), size: 1}
	l.count++
	row := func(n int, at func(int) types.Type) {
		lay.size = 0
		for i := range n {
			of := l.of(at(i))
			lay.offsets = append(lay.offsets, lay.size)
			lay.size += of.size
			lay.points = lay.points || of.points
		}
		lay.size = max(lay.size, 1)
	}
	// A type reaches itself only through a reference, which is not looked into here.
	switch u := t.Underlying().(type) {
	case *types.Basic:
		lay.points = u.Kind() == types.UnsafePointer
	case *types.Struct:
		row(u.NumFields(), func(i int) types.Type { return u.Field(i).Type() })
	case *types.Tuple:
		row(u.Len(), func(i int) types.Type { return u.At(i).Type() })
	case *types.Array:
		of := l.of(u.Elem())
		lay.size, lay.points = of.size, of.points
	default:
		lay.points = true
	}
	l.known[t] = lay
	l.canon.Set(t, lay)
	return lay
}

func (l *layouts) size(t types.Type) int    { return l.of(t).size }
func (l *layouts) points(t types.Type) bool { return l.of(t).points }

// underlying is the layout of the underlying type.
func (l *layouts) underlying(lay *layout) *layout {
	if lay.under == nil {
		lay.under = l.of(lay.typ.Underlying())
	}
	return lay.under
}

// contents is the layout of what a reference leads to: a pointer's element, a slice's or
// channel's, a map's key and value; nil of what is no such reference.
func (l *layouts) contents(lay *layout) *layout {
	if lay.content == nil {
		switch u := lay.typ.Underlying().(type) {
		case *types.Pointer:
			lay.content = l.of(u.Elem())
		case *types.Slice:
			lay.content = l.of(u.Elem())
		case *types.Chan:
			lay.content = l.of(u.Elem())
		case *types.Map:
			lay.content = l.of(types.NewTuple(types.NewParam(token.NoPos, nil, "", u.Key()), types.NewParam(token.NoPos, nil, "", u.Elem())))
		}
	}
	return lay.content
}

// slots are the elems of a layout.
func (l *layouts) slots(lay *layout) []*elem {
	if lay.elems != nil {
		return lay.elems
	}
	lay.elems = make([]*elem, 0, lay.size)
	add := func(of *layout, open, exported bool) {
		for _, e := range l.slots(of) {
			lay.elems = append(lay.elems, &elem{e.lay, e.open && open, e.exported && exported})
		}
	}
	switch u := lay.typ.Underlying().(type) {
	case *types.Struct:
		pkg := declared(lay.typ)
		for f := range u.Fields() {
			exported := f.Exported() || f.Embedded()
			open := pkg == nil || isLibrary(pkg.Path()) && (exported || !byBody(pkg.Path()))
			add(l.of(f.Type()), open, exported)
		}
	case *types.Tuple:
		for v := range u.Variables() {
			add(l.of(v.Type()), true, true)
		}
	case *types.Array:
		add(l.of(u.Elem()), true, true)
	default:
		lay.elems = append(lay.elems, &elem{lay, true, true})
	}
	for len(lay.elems) < lay.size { // of an empty struct
		lay.elems = append(lay.elems, &elem{l.of(types.Typ[types.Invalid]), false, false})
	}
	return lay.elems
}

// declared is the package that declares a type, or nil.
func declared(t types.Type) *types.Package {
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Obj().Pkg()
	}
	return nil
}

// parts are the types of which a value has a part, itself among them, that are
// declared with a name, and where they begin. Parts in fields that are not exported are
// left out.
func (l *layouts) parts(lay *layout) []namedPart {
	if lay.named != nil {
		return lay.named
	}
	lay.named = []namedPart{}
	var visit func(at int, part *layout)
	visit = func(at int, part *layout) {
		if _, named := types.Unalias(part.typ).(*types.Named); named {
			lay.named = append(lay.named, namedPart{at, part})
		}
		switch u := part.typ.Underlying().(type) {
		case *types.Struct:
			for i := range u.NumFields() {
				if f := u.Field(i); f.Exported() || f.Embedded() {
					visit(at+part.offsets[i], l.of(f.Type()))
				}
			}
		case *types.Tuple:
			for i := range u.Len() {
				visit(at+part.offsets[i], l.of(u.At(i).Type()))
			}
		case *types.Array:
			visit(at, l.of(u.Elem()))
		}
	}
	visit(0, lay)
	return lay.named
}

// pointerTo is the layout of a pointer to a type.
func (l *layouts) pointerTo(lay *layout) *layout {
	if lay.pointer == nil {
		lay.pointer = l.of(types.NewPointer(lay.typ))
	}
	return lay.pointer
}
