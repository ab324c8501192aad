package reference

import (
	"go/ast"
	"go/token"
	"go/types"

	"misstep/history"
)

// knownLiteral reports whether the compiler may use a constant in place of a variable that the session assigns to, where it
// becomes an interface's value or a slice's length: it does so, with optimisation or without, if nothing but its
// declaration gives the variable a value, and that is a constant's (cmd/compile, escape.rewriteWithLiterals; tolerance
// known-literals).
func knownLiteral(pkg *history.Package, at token.Pos, name string) bool {
	v := variableAt(pkg, at, name)
	if v == nil || !fixed(pkg, v, 0) {
		return false
	}
	found := false
	for _, f := range pkg.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return !found
			}
			for i, arg := range call.Args {
				if id, ok := ast.Unparen(arg).(*ast.Ident); ok && (pkg.Info.Uses[id] == v || follows(pkg, id, v)) && converted(pkg, call, i) {
					found = true
				}
			}
			return !found
		})
	}
	return found
}

// variableAt is the local variable that a name stands for at a position; nil if it is none.
func variableAt(pkg *history.Package, at token.Pos, name string) *types.Var {
	scope := pkg.Types.Scope().Innermost(at)
	if scope == nil {
		return nil
	}
	_, obj := scope.LookupParent(name, at)
	v, _ := obj.(*types.Var)
	if v == nil || v.Parent() == pkg.Types.Scope() {
		return nil
	}
	return v
}

// maxChain bounds how many variables are looked through, each of which is another's value.
const maxChain = 5

// fixed reports whether only its declaration gives a variable a value, a constant's or that of another such variable.
func fixed(pkg *history.Package, v *types.Var, depth int) bool {
	value, only := initial(pkg, v)
	if !only || value == nil {
		return false
	}
	if pkg.Info.Types[value].Value != nil {
		return true
	}
	id, ok := ast.Unparen(value).(*ast.Ident)
	if !ok || depth == maxChain {
		return false
	}
	other, ok := pkg.Info.Uses[id].(*types.Var)
	return ok && fixed(pkg, other, depth+1)
}

// follows reports whether a name is that of a variable which has another one's value.
func follows(pkg *history.Package, id *ast.Ident, v *types.Var) bool {
	for range maxChain {
		other, ok := pkg.Info.Uses[id].(*types.Var)
		if !ok {
			return false
		}
		value, only := initial(pkg, other)
		next, ok := value.(*ast.Ident)
		if !only || !ok {
			return false
		}
		if pkg.Info.Uses[next] == v {
			return true
		}
		id = next
	}
	return false
}

// initial is the value that a variable is declared with, and whether nothing else gives it one.
func initial(pkg *history.Package, v *types.Var) (value ast.Expr, only bool) {
	only = true
	is := func(x ast.Expr) bool {
		id, ok := ast.Unparen(x).(*ast.Ident)
		return ok && pkg.Info.Uses[id] == v
	}
	for _, f := range pkg.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for i, x := range n.Lhs {
					if id, ok := x.(*ast.Ident); ok && pkg.Info.Defs[id] == v && len(n.Lhs) == len(n.Rhs) {
						value = n.Rhs[i]
					}
					only = only && !is(x)
				}
			case *ast.ValueSpec:
				for i, id := range n.Names {
					if pkg.Info.Defs[id] == v && len(n.Names) == len(n.Values) {
						value = n.Values[i]
					}
				}
			case *ast.IncDecStmt:
				only = only && !is(n.X)
			case *ast.UnaryExpr:
				only = only && !(n.Op == token.AND && is(n.X))
			case *ast.RangeStmt:
				only = only && !(n.Key != nil && is(n.Key)) && !(n.Value != nil && is(n.Value))
			}
			return only
		})
	}
	return value, only
}

// converted reports whether an argument becomes an interface's value, or the length of a slice.
func converted(pkg *history.Package, call *ast.CallExpr, i int) bool {
	if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok && id.Name == "make" && i > 0 {
		return true
	}
	sig, ok := pkg.Info.TypeOf(call.Fun).(*types.Signature)
	if !ok {
		return types.IsInterface(pkg.Info.TypeOf(call.Fun)) // a conversion
	}
	var param types.Type
	switch n := sig.Params().Len(); {
	case sig.Variadic() && i >= n-1:
		slice, ok := sig.Params().At(n - 1).Type().(*types.Slice)
		if !ok || call.Ellipsis.IsValid() {
			return false
		}
		param = slice.Elem()
	case i < n:
		param = sig.Params().At(i).Type()
	default:
		return false
	}
	return types.IsInterface(param)
}
