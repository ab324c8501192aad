package gen

import (
	"go/ast"
	"go/types"
)

// unsafely goes through unsafe.Pointer, which only what imports it can, to where it came from: from a pointer and back, from the address of
// a variable, or to what the program itself takes such pointers for, if that is one type (The Go Programming Language Specification,
// Package unsafe).
func (e *exprs) unsafely(x typed) string {
	if pkg, ok := e.src.Lookup(e.at, "unsafe").(*types.PkgName); !ok || pkg.Imported() != types.Unsafe {
		return ""
	}
	if b, ok := x.typ.Underlying().(*types.Basic); ok && b.Kind() == types.UnsafePointer {
		t := e.taken()
		if t == nil {
			return ""
		}
		return "(" + e.typeText(t) + ")(" + x.text + ")"
	}
	if p, ok := x.typ.Underlying().(*types.Pointer); ok && e.r.IntN(2) == 0 {
		text := "unsafe.Pointer(" + x.text + ")"
		if to := e.typeText(p.Elem()); to != "" && e.r.IntN(3) > 0 {
			text = "(*" + to + ")(" + text + ")"
		}
		return text
	}
	text := e.typeText(x.typ)
	if text == "" || !simple(x.text) {
		return ""
	}
	return "(*(*" + text + ")(unsafe.Pointer(&" + x.text + ")))"
}

// taken is the type of pointer that the program converts values of type unsafe.Pointer to; nil if there are none, or several.
func (e *exprs) taken() types.Type {
	var found types.Type
	several := false
	for _, f := range e.src.Files {
		ast.Inspect(f.AST, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 || !e.src.Info.Types[call.Fun].IsType() {
				return true
			}
			t, from := e.src.Info.TypeOf(call), e.src.Info.TypeOf(call.Args[0])
			if t == nil || from == nil {
				return true // of code that is not type-checked, such as calls of C
			}
			b, ok := from.Underlying().(*types.Basic)
			if !ok || b.Kind() != types.UnsafePointer || !isA[*types.Pointer](t) {
				return true
			}
			several = several || found != nil && !types.Identical(found, t)
			found = t
			return true
		})
	}
	if several {
		return nil
	}
	return found
}
