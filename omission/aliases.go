package omission

import (
	"go/ast"
	"go/types"

	"misstep/history"
)

// Aliases say what the text of a program leaves open: which object an expression may
// refer to, and which functions a call may call.
type Aliases interface {
	// May reports whether the value of an expression may refer to the subject, or the
	// variable that it names be it.
	May(pkg *history.Package, x ast.Expr, s *Subject) bool
	// Callees are the recorded functions that a call may call: directly, and after these
	// through functions that are not recorded; known is false if that is not known.
	Callees(pkg *history.Package, x *ast.CallExpr) (fns []int, known bool)
	// Exact reports whether it is known of places inside of objects, too: a pointer may be
	// one to a field of any type.
	Exact() bool
	// Changes reports whether a call of a function that is not recorded may change the
	// subject; known is false if that is not known.
	Changes(pkg *history.Package, x *ast.CallExpr, s *Subject) (changes, known bool)
}

// ByType goes by types alone: each expression whose type allows it may refer to an
// object.
type ByType struct{}

// May reports whether the type of an expression allows it to refer to the subject.
func (ByType) May(pkg *history.Package, x ast.Expr, s *Subject) bool {
	return s.fits(pkg.Info.TypeOf(x))
}

// Exact is false: a pointer to a basic type may be one to anything.
func (ByType) Exact() bool { return false }

// Callees are not known.
func (ByType) Callees(*history.Package, *ast.CallExpr) ([]int, bool) { return nil, false }

// Changes is not known.
func (ByType) Changes(*history.Package, *ast.CallExpr, *Subject) (bool, bool) { return false, false }

// fits reports whether a value of a type may refer to the subject's objects.
func (s *Subject) fits(t types.Type) bool {
	if t == nil {
		return false
	}
	if s.Type == nil {
		return refers(t)
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); ok || history.Reflects(t) {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		if array, ok := s.Type.Underlying().(*types.Slice); ok && (same(u.Elem(), array.Elem()) || s.within(u.Elem(), array.Elem())) {
			return true // an element
		}
		return same(u.Elem(), s.Type) || s.within(u.Elem(), s.Type)
	case *types.Interface:
		if _, named := types.Unalias(s.Type).(*types.Named); !named {
			return true // it may be converted to a type that has the methods
		}
		return u.NumMethods() == 0 || types.Implements(s.Type, u) || types.Implements(types.NewPointer(s.Type), u)
	case *types.Slice, *types.Map, *types.Chan, *types.Signature:
		return same(u, s.Type.Underlying())
	}
	return false
}

// refers reports whether values of a type refer to objects.
func refers(t types.Type) bool {
	if history.Reflects(t) {
		return true
	}
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Interface, *types.Slice, *types.Map, *types.Chan, *types.Signature:
		return true
	}
	return false
}

// same reports whether types are identical, or instances of one generic type.
func same(a, b types.Type) bool {
	if types.Identical(a, b) {
		return true
	}
	na, ok := types.Unalias(a).(*types.Named)
	nb, ok2 := types.Unalias(b).(*types.Named)
	if ok && ok2 {
		// Packages are loaded twice, with syntax and as dependencies.
		oa, ob := na.Origin().Obj(), nb.Origin().Obj()
		return oa.Name() == ob.Name() && oa.Pkg() != nil && ob.Pkg() != nil && oa.Pkg().Path() == ob.Pkg().Path()
	}
	return types.TypeString(a, nil) == types.TypeString(b, nil)
}

// within reports whether values of a type are parts of another's, as fields and elements.
func (s *Subject) within(part, whole types.Type) bool {
	switch w := whole.Underlying().(type) {
	case *types.Struct:
		for f := range w.Fields() {
			if named, ok := types.Unalias(f.Type()).(*types.Named); ok && same(named, part) || s.within(part, f.Type()) {
				return true
			}
		}
	case *types.Array:
		return same(w.Elem(), part) || s.within(part, w.Elem())
	}
	return false
}
