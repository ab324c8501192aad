package source

import (
	"go/ast"
	"go/token"
	"slices"
)

// Early reports whether code of the program's package may run before main: an init function, or a call that gives a variable of the
// package its value.
func (s *Source) Early() bool {
	return slices.ContainsFunc(s.Files, func(f *File) bool {
		return slices.ContainsFunc(f.AST.Decls, func(d ast.Decl) bool {
			switch d := d.(type) {
			case *ast.FuncDecl:
				return d.Recv == nil && d.Name.Name == "init"
			case *ast.GenDecl:
				return d.Tok == token.VAR && slices.ContainsFunc(d.Specs, func(spec ast.Spec) bool {
					v, ok := spec.(*ast.ValueSpec)
					return ok && slices.ContainsFunc(v.Values, Calls)
				})
			}
			return false
		})
	})
}

// Calls reports whether an expression calls anything, and so may be something else each time.
func Calls(x ast.Expr) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		_, call := n.(*ast.CallExpr)
		found = found || call
		return !found
	})
	return found
}
