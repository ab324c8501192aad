package history

import (
	"go/ast"
	"go/types"
)

// IsPanic reports whether a statement is a call of panic, after which there must be
// nothing where a function ends in it.
func IsPanic(info *types.Info, s ast.Stmt) bool {
	x, ok := s.(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := ast.Unparen(x.X).(*ast.CallExpr)
	if !ok {
		return false
	}
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	return ok && id.Name == "panic" && info.Types[call.Fun].IsBuiltin()
}

// Callee is the declared function or method that a call calls, if that is known.
func Callee(info *types.Info, call *ast.CallExpr) *types.Func {
	fun := ast.Unparen(call.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = ast.Unparen(x.X)
	case *ast.IndexListExpr:
		fun = ast.Unparen(x.X)
	}
	var id *ast.Ident
	switch x := fun.(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		if sel := info.Selections[x]; sel != nil && types.IsInterface(sel.Recv()) {
			return nil
		}
		id = x.Sel
	default:
		return nil
	}
	fn, _ := info.Uses[id].(*types.Func)
	if fn != nil && fn.Signature().Recv() != nil && types.IsInterface(fn.Signature().Recv().Type()) {
		return nil // of an interface that is embedded
	}
	return fn
}
