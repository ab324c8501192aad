package history

import (
	"go/ast"
	"go/types"
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
	if w.marked() { // see after
		return
	}
	if w.keepsToItself(fn, x) {
		return
	}
	for w.enter(func(a *Activation) bool {
		switch n := w.c.nodes[a.Func].(type) {
		case *ast.FuncLit:
			return w.value(a)
		case *ast.FuncDecl:
			return n.Recv != nil
		}
		return false
	}) {
	}
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
