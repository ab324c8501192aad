package pointsto

import "go/types"

type assertUse struct {
	dst int
	lay *layout
}

// apply gives x.(T) what of x is a T.
func (u assertUse) apply(a *analysis, target int) {
	o := a.of(target)
	isInterface := types.IsInterface(u.lay.typ)
	switch {
	case !o.Tag:
	case isInterface:
		if a.implements(o, u.lay) {
			a.point(u.dst, target)
		}
	case o.group != nil && o.group.makes(u.lay.typ):
		o.group.give(u.dst, u.lay)
	case u.lay == o.lay && o.lay.points:
		a.copyRow(u.dst, o.start, o.lay.size)
	}
}

// A pair is a type, or a group whose types are meant, and an interface.
type pair struct {
	typ   int
	group *group
	lay   int
}

// implements reports whether the value in an interface has an interface's methods.
func (a *analysis) implements(o *Object, lay *layout) bool {
	t := lay.typ.Underlying().(*types.Interface)
	if t.NumMethods() == 0 {
		return true
	}
	key := pair{o.lay.id, o.group, lay.id}
	ok, known := a.fits[key]
	if !known {
		switch {
		case o.group == nil:
			ok = types.Implements(o.Type, t)
		case o.group.bare:
			ok = t.NumMethods() == 1 && t.Method(0).Name() == "Error"
		default:
			ok = o.group.provides(t)
		}
		a.fits[key] = ok
	}
	return ok
}
