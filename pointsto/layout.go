package pointsto

import (
	"go/types"

	"golang.org/x/tools/go/types/typeutil"
)

// layouts knows how many slots types have, and where their fields begin.
type layouts struct {
	sizes   typeutil.Map // types.Type → int
	offsets typeutil.Map // *types.Struct → []int
	points  typeutil.Map // types.Type → bool
}

// size is the number of slots of a type, at least one.
func (l *layouts) size(t types.Type) int {
	if n := l.sizes.At(t); n != nil {
		return n.(int)
	}
	n := 1
	switch u := t.Underlying().(type) {
	case *types.Struct:
		n = 0
		for f := range u.Fields() {
			n += l.size(f.Type())
		}
		n = max(n, 1)
	case *types.Array:
		n = l.size(u.Elem())
	case *types.Tuple:
		n = 0
		for v := range u.Variables() {
			n += l.size(v.Type())
		}
		n = max(n, 1)
	}
	l.sizes.Set(t, n)
	return n
}

// offset is the slot at which a field begins.
func (l *layouts) offset(t types.Type, field int) int {
	s := t.Underlying().(*types.Struct)
	if o := l.offsets.At(s); o != nil {
		return o.([]int)[field]
	}
	offsets := make([]int, s.NumFields())
	at := 0
	for i := range offsets {
		offsets[i] = at
		at += l.size(s.Field(i).Type())
	}
	l.offsets.Set(s, offsets)
	return offsets[field]
}

// extract is the slot at which a component of a tuple begins.
func (l *layouts) extract(t *types.Tuple, index int) int {
	at := 0
	for i := range index {
		at += l.size(t.At(i).Type())
	}
	return at
}

// pointerlike tells whether values of a type hold anything that points.
func (l *layouts) pointerlike(t types.Type) bool {
	if p := l.points.At(t); p != nil {
		return p.(bool)
	}
	l.points.Set(t, false) // of recursive types, which are so by pointers
	points := false
	switch u := t.Underlying().(type) {
	case *types.Basic:
		points = u.Kind() == types.UnsafePointer
	case *types.Struct:
		for f := range u.Fields() {
			points = points || l.pointerlike(f.Type())
		}
	case *types.Array:
		points = l.pointerlike(u.Elem())
	case *types.Tuple:
		for v := range u.Variables() {
			points = points || l.pointerlike(v.Type())
		}
	default:
		points = true
	}
	l.points.Set(t, points)
	return points
}

// content is the size of what a reference of a type leads to: a pointer's element, a
// slice's or channel's element, a map's key and value.
func (l *layouts) content(t types.Type) int {
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return l.size(u.Elem())
	case *types.Slice:
		return l.size(u.Elem())
	case *types.Chan:
		return l.size(u.Elem())
	case *types.Map:
		return l.size(u.Key()) + l.size(u.Elem())
	}
	return 1
}
