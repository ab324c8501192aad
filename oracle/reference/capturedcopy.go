package reference

import (
	"go/ast"
	"go/token"

	"misstep/history"
)

// capturedCopy reports whether a session assigns to a variable, or to a part of one, of which a function literal
// has a copy: the compiler captures by value what only its declaration gives a value, so that the assignment
// changes the variable or a copy, and which of the two the rest of the program sees is the compiler's choice
// (cmd/compile, closure.captureVars; tolerance captured-copies).
func capturedCopy(pkg *history.Package, at token.Pos, name string) bool {
	v := variableAt(pkg, at, rootOf(name))
	in := declarationAt(pkg, at)
	if v == nil || in == nil {
		return false
	}
	if _, only := initial(pkg, in, v); !only {
		return false
	}
	captured := false
	ast.Inspect(in, func(n ast.Node) bool {
		var body ast.Node
		switch n := n.(type) {
		case *ast.FuncLit:
			body = n.Body
		case *ast.RangeStmt:
			if history.OverFunc(pkg.Info, n) {
				body = n.Body // a function of the compiler's
			}
		}
		if body == nil || n.Pos() <= v.Pos() && v.Pos() < n.End() {
			return !captured
		}
		ast.Inspect(body, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			captured = captured || ok && pkg.Info.Uses[id] == v
			return !captured
		})
		return !captured
	})
	return captured
}
