package omission

import (
	"go/ast"
	"go/types"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"misstep/history"
)

// identity says whether an operation is on the subject, as far as a history shows which
// object its operand was.
type identity int

const (
	maybe   identity = iota // on the subject, but maybe on another part of it
	subject                 // on the subject, and the field that is asked for
	other                   // on another object, or another part of it
)

// at tells what an operation is on whose operand was seen there.
func (s *Subject) at(f *function, t touch, g goal) identity {
	if !g.op.of.Instances[t.of] {
		return other
	}
	if g.op.of != s {
		return subject
	}
	if g.op.reflected && t.size > 0 && s.Type != nil && f.origin(g.operand) == ast.Unparen(g.operand) {
		if in := typeWithin(s.Type, t.offset, t.size); in != nil && !settable(g.op.name, in) {
			return other
		}
	}
	from, size, ok := s.extent()
	if !ok || g.operand == nil {
		return subject
	}
	reaches := t.size
	if p, ok := typeOf(f, g.operand).Underlying().(*types.Pointer); ok && sized(p.Elem()) {
		reaches = sizes.Sizeof(p.Elem())
	}
	switch {
	case strings.HasPrefix(s.Field, "[") && strings.HasPrefix(g.op.field, elements):
		return maybe // of which element is not in the text
	case reaches == 0:
		return subject
	case t.offset >= from+size || t.offset+reaches <= from:
		return other
	case t.offset <= from && from+size <= t.offset+reaches && size < reaches && (g.op.reflected || g.op.inner != nil && g.op.inner.reflected):
		return maybe // it may be another field of what the value is
	}
	return subject
}

// extent is where in the object the field of interest lies, in bytes; false if there is
// none, or it lies in another object.
func (s *Subject) extent() (from, size int64, ok bool) {
	if s.Field == "" || s.Type == nil {
		return 0, 0, false
	}
	path, leaf := s.place()
	if leaf == nil || !sized(leaf) {
		return 0, 0, false
	}
	return path, sizes.Sizeof(leaf), true
}

// place is the offset of the field of interest, and its type; nil where a pointer is on the
// way, or a value of a type parameter before it.
func (s *Subject) place() (at int64, t types.Type) {
	if s.Type == nil {
		return 0, nil
	}
	t = s.Type
	for _, name := range strings.Split(s.Field, ".") {
		if strings.HasPrefix(name, "[") {
			elem, ok := element(t)
			n, err := strconv.ParseInt(strings.Trim(name, "[]"), 10, 32)
			if !ok || err != nil || !sized(elem) {
				return 0, nil
			}
			at, t = at+n*sizes.Sizeof(elem), elem
			continue
		}
		st, ok := t.Underlying().(*types.Struct)
		if !ok {
			return 0, nil
		}
		fields := slices.Collect(st.Fields())
		n := slices.IndexFunc(fields, func(v *types.Var) bool { return v.Name() == name })
		if n < 0 || slices.ContainsFunc(fields[:n+1], func(v *types.Var) bool { return !sized(v.Type()) }) {
			return 0, nil
		}
		at += sizes.Offsetsof(fields[:n+1])[n] // what follows may be of a size that is not known
		t = fields[n].Type()
	}
	return at, t
}

// sizes are those of the programs that are recorded, which run on this machine.
var sizes = types.SizesFor("gc", runtime.GOARCH)

// sized reports whether it is known how large values of a type are: not where a type
// parameter is one, or lies in one.
func sized(t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return sized(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if !sized(f.Type()) {
				return false
			}
		}
	}
	return true
}

// inField reports whether a pointer's type allows it to be one to the field of interest, or
// into it.
func (s *Subject) inField(t types.Type) bool {
	p, ok := t.Underlying().(*types.Pointer)
	if !ok || s.Field == "" || s.Type == nil {
		return false
	}
	_, leaf := s.place()
	return leaf != nil && alike(leaf, p.Elem())
}

// holds reports whether a pointer of a type may point into the subject's objects, converted
// to another type of the same form maybe.
func (s *Subject) holds(t types.Type) bool {
	p, ok := t.Underlying().(*types.Pointer)
	return ok && s.Type != nil && alike(s.Type, p.Elem())
}

// alike reports whether a type, or a field or an element of it, has the form of another.
func alike(whole, part types.Type) bool {
	if same(whole.Underlying(), part.Underlying()) {
		return true
	}
	switch w := whole.Underlying().(type) {
	case *types.Struct:
		for f := range w.Fields() {
			if alike(f.Type(), part) {
				return true
			}
		}
	case *types.Array:
		return alike(w.Elem(), part)
	}
	return false
}

// typeWithin is the type of what lies in a value of a type at an offset, and has a size; nil
// if there is no such, or several, or it is not known.
func typeWithin(t types.Type, offset, size int64) types.Type {
	if !sized(t) {
		return nil
	}
	for {
		if offset == 0 && sizes.Sizeof(t) == size {
			if s, ok := t.Underlying().(*types.Struct); !ok || s.NumFields() != 1 {
				return t
			}
			return nil
		}
		switch u := t.Underlying().(type) {
		case *types.Struct:
			fields := slices.Collect(u.Fields())
			at := sizes.Offsetsof(fields)
			n := len(at) - 1
			for n >= 0 && at[n] > offset {
				n--
			}
			if n < 0 {
				return nil
			}
			t, offset = fields[n].Type(), offset-at[n]
		case *types.Array:
			n := sizes.Sizeof(u.Elem())
			if n == 0 {
				return nil
			}
			t, offset = u.Elem(), offset%n
		default:
			return nil
		}
	}
}

// anotherOne reports whether an operation would be on an object that its function makes
// itself, or on a variable of its own: in an activation that did not make the subject, on
// another one.
func (f *Finder) anotherOne(fn *function, a *history.Activation, g goal, s *Subject) bool {
	op := g.op
	v := op.fn.variable(op.operand)
	if v == nil || len(op.of.Instances) == 0 || op.fn.node.Pos() > v.Pos() || v.Pos() >= op.fn.node.End() {
		return false
	}
	if op.fn.assigned[v] > 1 || !fresh(op.fn, op.fn.defs[v]) {
		return false
	}
	if g.distance > 0 || op.fn != fn {
		return true
	}
	for i := range op.of.Instances {
		if i.Made >= 0 && f.plan.Sites[i.Made].Func == fn.id && i.First >= a.Start && (a.End < 0 || i.First <= a.End) {
			return false
		}
	}
	return true
}

// fresh reports whether an expression makes a new object.
func fresh(f *function, x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.UnaryExpr:
		_, ok := ast.Unparen(x.X).(*ast.CompositeLit)
		return ok
	case *ast.CompositeLit:
		return container(f.pkg.Info.TypeOf(x))
	case *ast.CallExpr:
		id, ok := ast.Unparen(x.Fun).(*ast.Ident)
		return ok && f.pkg.Info.Types[x.Fun].IsBuiltin() && (id.Name == "make" || id.Name == "new")
	}
	return false
}
