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
	v := variableAt(pkg, at, rootOf(name))
	in := declarationAt(pkg, at)
	if v == nil || in == nil || !fixed(pkg, in, v) {
		return false
	}
	found := false
	ast.Inspect(in, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return !found
		}
		for i, arg := range call.Args {
			if id, ok := ast.Unparen(arg).(*ast.Ident); ok && converted(pkg, call, i) && follows(pkg, in, id, v) {
				found = true
			}
		}
		return !found
	})
	return found
}

// declarationAt is the declaration around a position, in which all uses of its local variables are; nil if there is
// none.
func declarationAt(pkg *history.Package, at token.Pos) ast.Node {
	for _, f := range pkg.Files {
		for _, d := range f.Decls {
			if d.Pos() <= at && at < d.End() {
				return d
			}
		}
	}
	return nil
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
func fixed(pkg *history.Package, in ast.Node, v *types.Var) bool {
	for range maxChain {
		value, only := initial(pkg, in, v)
		if !only || value == nil {
			return false
		}
		if static(pkg, value) {
			return true
		}
		if v = variable(pkg, value); v == nil {
			return false
		}
	}
	return false
}

// static reports whether a value is a constant, or a literal of an array or a struct with nothing but constants in it, which the compiler
// has in the binary as it is.
func static(pkg *history.Package, x ast.Expr) bool {
	if pkg.Info.Types[x].Value != nil {
		return true
	}
	lit, ok := ast.Unparen(x).(*ast.CompositeLit)
	t := pkg.Info.TypeOf(x)
	if !ok || t == nil {
		return false
	}
	switch t.Underlying().(type) {
	case *types.Array, *types.Struct:
	default:
		return false
	}
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			e = kv.Value
		}
		if !static(pkg, e) {
			return false
		}
	}
	return true
}

// follows reports whether an operand is a variable, or another whose only value that one is.
func follows(pkg *history.Package, in ast.Node, x ast.Expr, v *types.Var) bool {
	for range maxChain {
		other := variable(pkg, x)
		if other == nil || other == v {
			return other != nil
		}
		var only bool
		if x, only = initial(pkg, in, other); !only || x == nil {
			return false
		}
	}
	return false
}

// variable is the variable that an expression names; nil if it is another expression.
func variable(pkg *history.Package, x ast.Expr) *types.Var {
	id, _ := ast.Unparen(x).(*ast.Ident)
	v, _ := pkg.Info.Uses[id].(*types.Var)
	return v
}

// initial is the value that a variable is declared with, and whether nothing else gives it one.
func initial(pkg *history.Package, in ast.Node, v *types.Var) (value ast.Expr, only bool) {
	only = true
	is := func(x ast.Expr) bool { return x != nil && variable(pkg, x) == v }
	ast.Inspect(in, func(n ast.Node) bool {
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
			only = only && !is(n.Key) && !is(n.Value)
		}
		return only
	})
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
