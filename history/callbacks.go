package history

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// selfContained are packages of the standard library whose functions call nothing that they are
// not handed: they keep no hooks, handlers or registered types.
var selfContained = map[string]bool{
	"bytes": true, "cmp": true, "errors": true, "fmt": true, "maps": true, "math": true, "path": true,
	"slices": true, "sort": true, "strconv": true, "strings": true, "unicode": true,
}

// callback passes activations that a function which is not recorded may have begun: of
// literals, methods, and functions that are used as values.
func (w *walker) callback(fn *types.Func, x *ast.CallExpr) {
	if site, ok := w.nextEnd(); ok && (site == w.end || !w.handsOver(x)) || w.keepsToItself(fn, x) {
		return // what is marked is passed there, see after
	}
	for w.enter(func(a *Activation) bool {
		d, declared := w.c.nodes[a.Func].(*ast.FuncDecl)
		return w.value(a) && (!declared || d.Recv != nil)
	}) {
	}
}

// value reports whether the next activation may be of a function that is used as a value: it is
// none of a literal that is called where it stands, nor of what was deferred.
func (w *walker) value(a *Activation) bool { return !w.c.direct[w.c.nodes[a.Func]] && !w.ending(a) }

// ending reports whether an activation is of a deferred call: no statement is marked any more, and
// no more calls of that function are left than were deferred.
func (w *walker) ending(a *Activation) bool {
	if w.marks > 0 {
		return false
	}
	pending := 0
	for _, x := range w.deferred {
		if w.mayCall(x, a) {
			pending++
		}
	}
	for _, it := range w.a.Items[w.i:] {
		if it.Call != nil && it.Call.Func == a.Func {
			pending--
		}
	}
	return pending >= 0
}

// mayCall reports whether a call may have begun an activation.
func (w *walker) mayCall(x *ast.CallExpr, a *Activation) bool {
	if fn := Callee(w.pkg.Info, x); fn != nil {
		n, ok := w.c.decls[fn.Origin()]
		return ok && n == a.Func
	}
	switch f := ast.Unparen(x.Fun).(type) {
	case *ast.FuncLit:
		return w.c.nodes[a.Func] == f
	case *ast.SelectorExpr:
		if sel := w.pkg.Info.Selections[f]; sel != nil && sel.Kind() == types.MethodVal {
			return w.named(a, f.Sel.Name)
		}
	}
	return true
}

// handsOver reports whether a call is given something that has methods or functions.
func (w *walker) handsOver(x *ast.CallExpr) bool {
	given := x.Args
	if sel, ok := ast.Unparen(x.Fun).(*ast.SelectorExpr); ok && w.pkg.Info.Selections[sel] != nil {
		given = append(slices.Clip(given), sel.X)
	}
	return slices.ContainsFunc(given, func(e ast.Expr) bool {
		t := w.pkg.Info.TypeOf(e)
		return t == nil || !inert(t, map[types.Type]bool{})
	})
}

// keepsToItself reports whether a call of what is not recorded surely calls nothing back: it is
// handed nothing that has methods or functions.
func (w *walker) keepsToItself(fn *types.Func, x *ast.CallExpr) bool {
	if fn.Pkg() == nil || fn.Signature().Recv() != nil {
		return false
	}
	first, _, _ := strings.Cut(fn.Pkg().Path(), "/")
	if !selfContained[first] {
		return false
	}
	for _, arg := range x.Args {
		if t := w.pkg.Info.TypeOf(arg); t == nil || !inert(t, map[types.Type]bool{}) {
			return false
		}
	}
	return true
}

// inert reports whether no value of a type leads to a method or a function.
func inert(t types.Type, seen map[types.Type]bool) bool {
	t = types.Unalias(t)
	if seen[t] {
		return true
	}
	seen[t] = true
	if n, ok := t.(*types.Named); ok {
		if n.NumMethods() > 0 {
			return false
		}
		t = n.Underlying()
	}
	switch t := t.(type) {
	case *types.Basic:
		return t.Kind() != types.UnsafePointer
	case *types.Pointer:
		return inert(t.Elem(), seen)
	case *types.Slice:
		return inert(t.Elem(), seen)
	case *types.Array:
		return inert(t.Elem(), seen)
	case *types.Chan:
		return inert(t.Elem(), seen)
	case *types.Map:
		return inert(t.Key(), seen) && inert(t.Elem(), seen)
	case *types.Tuple: // of a call whose results are the arguments
		for v := range t.Variables() {
			if !inert(v.Type(), seen) {
				return false
			}
		}
		return true
	case *types.Struct:
		for f := range t.Fields() {
			if f.Embedded() && types.NewMethodSet(types.NewPointer(f.Type())).Len() > 0 || !inert(f.Type(), seen) {
				return false
			}
		}
		return true
	}
	return false
}
