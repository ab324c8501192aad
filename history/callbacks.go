package history

import (
	"go/ast"
	"go/types"
	"slices"
)

// selfContained are packages of the standard library whose functions call nothing that they are
// not handed: they keep no hooks, handlers or registered types.
var selfContained = map[string]bool{
	"bytes": true, "cmp": true, "errors": true, "fmt": true, "maps": true, "math": true, "math/big": true, "math/bits": true,
	"math/cmplx": true, "math/rand": true, "math/rand/v2": true, "path": true, "path/filepath": true, "slices": true, "sort": true,
	"strconv": true, "strings": true, "sync": true, "sync/atomic": true, "time": true, "unicode": true, "unicode/utf16": true,
	"unicode/utf8": true,
}

// callback passes activations that a function which is not recorded may have begun: of
// literals, methods, and functions that are used as values.
func (w *walker) callback(x *ast.CallExpr) {
	site, marked := w.nextEnd()
	own, has := w.site(After, x.Rparen)
	switch {
	case marked && (site == w.end || has && site == own || !handsOver(w.pkg.Info, x, w.c.own)):
		return // what is marked is passed there, see upTo
	case KeepsToItself(w.pkg.Info, x, w.c.own):
		return
	}
	for w.enter(func(a *Activation) bool {
		d, declared := w.c.nodes[a.Func].(*ast.FuncDecl)
		return w.value(a) && (!declared || d.Recv != nil)
	}) {
	}
}

// value reports whether the next activation may be of a function that is used as a value: it is
// none of a literal that is called where it stands, nor of what was deferred. The body of a loop is one.
func (w *walker) value(a *Activation) bool {
	return a.Of != nil || !w.c.direct[w.c.nodes[a.Func]] && !w.ending(a)
}

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
		n, ok := w.c.Declared(fn)
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

// handsOver reports whether a call of another package's function is given something that leads to a function or
// a method of the program's own packages.
func handsOver(info *types.Info, x *ast.CallExpr, own map[string]bool) bool {
	given := x.Args
	if sel, ok := ast.Unparen(x.Fun).(*ast.SelectorExpr); ok && info.Selections[sel] != nil {
		given = append(slices.Clip(given), sel.X)
	}
	return slices.ContainsFunc(given, func(e ast.Expr) bool {
		t := info.TypeOf(e)
		return t == nil || !inert(t, own, map[types.Type]bool{})
	})
}

// KeepsToItself reports whether a call surely calls nothing of the program's own packages: it is of a function of the
// standard library that calls nothing which it is not handed, and is handed nothing that does.
func KeepsToItself(info *types.Info, x *ast.CallExpr, own map[string]bool) bool {
	fn := Callee(info, x)
	return fn != nil && fn.Pkg() != nil && selfContained[fn.Pkg().Path()] && !own[fn.Pkg().Path()] && !handsOver(info, x, own)
}

// inert reports whether no value of a type leads to a method or a function of the program's own packages.
func inert(t types.Type, own map[string]bool, seen map[types.Type]bool) bool {
	t = types.Unalias(t)
	if seen[t] {
		return true
	}
	seen[t] = true
	if n, ok := t.(*types.Named); ok {
		if n.NumMethods() > 0 && (n.Obj().Pkg() == nil || own[n.Obj().Pkg().Path()]) {
			return false
		}
		t = n.Underlying()
	}
	switch t := t.(type) {
	case *types.Basic:
		return t.Kind() != types.UnsafePointer && t.Kind() != types.Invalid
	case *types.Pointer:
		return inert(t.Elem(), own, seen)
	case *types.Slice:
		return inert(t.Elem(), own, seen)
	case *types.Array:
		return inert(t.Elem(), own, seen)
	case *types.Chan:
		return inert(t.Elem(), own, seen)
	case *types.Map:
		return inert(t.Key(), own, seen) && inert(t.Elem(), own, seen)
	case *types.Tuple: // of a call whose results are the arguments
		for v := range t.Variables() {
			if !inert(v.Type(), own, seen) {
				return false
			}
		}
		return true
	case *types.Struct:
		for f := range t.Fields() {
			if !inert(f.Type(), own, seen) {
				return false
			}
		}
		return true
	}
	return false
}
