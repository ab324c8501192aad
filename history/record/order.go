package record

import (
	"go/ast"
	"go/token"
	"go/types"

	"misstep/history"
)

// An expression that is passed on is evaluated before the calls to the right of it, which the
// language does not promise of a variable that is only read there. Where a call in the same
// statement may change it, it is left alone.

// hurried reports whether passing an expression on would evaluate it before a call in
// the same statement that may change it.
func (b *body) hurried(x ast.Expr) bool {
	if !b.calling || b.only != nil && b.only.Pos() <= x.Pos() && x.End() <= b.only.End() {
		return false // what a call is given is evaluated before it
	}
	switch x := ast.Unparen(x).(type) {
	case *ast.CallExpr, *ast.CompositeLit:
		return false
	case *ast.Ident:
		return b.in.shared[b.in.pkg.Info.Uses[x]]
	}
	return true
}

// calls notes, while a statement is instrumented, whether it calls anything.
func (b *body) calls(xs ...ast.Expr) func() {
	calling, only := b.calling, b.only
	for _, x := range xs {
		if x == nil || calling {
			continue
		}
		if b.in.receives(x) {
			b.calling, b.only = true, nil
			continue
		}
		for _, call := range b.in.disturbs(x) {
			b.only = call
			if b.calling {
				b.only = nil
			}
			b.calling = true
		}
	}
	return func() { b.calling, b.only = calling, only }
}

// disturbs are the calls in an expression, outside of literals, that may change variables:
// all but of conversions, builtins, and functions of package reflect that call nothing back.
func (in *instrumenter) disturbs(x ast.Expr) []*ast.CallExpr {
	var list []*ast.CallExpr
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			tv := in.pkg.Info.Types[n.Fun]
			if tv.IsType() || tv.IsBuiltin() {
				break
			}
			if fn := history.Callee(in.pkg.Info, n); fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == "reflect" && !history.ReflectCalls[fn.Name()] {
				break
			}
			list = append(list, n)
		}
		return true
	})
	return list
}

// share finds the variables that others than the function's own statements can reach.
func (in *instrumenter) share() {
	in.shared, in.addressed = map[types.Object]bool{}, map[types.Object]bool{}
	info := in.pkg.Info
	for _, obj := range info.Defs {
		if v, ok := obj.(*types.Var); ok && v.Pkg() != nil && v.Parent() == v.Pkg().Scope() {
			in.shared[v] = true
			in.addressed[v] = true
		}
	}
	for _, f := range in.pkg.Files {
		var lits []*ast.FuncLit
		var visit func(n ast.Node) bool
		visit = func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				lits = append(lits, n)
				ast.Inspect(n.Body, visit)
				lits = lits[:len(lits)-1]
				return false
			case *ast.Ident:
				v := info.Uses[n]
				if v != nil && len(lits) > 0 && v.Pos() < lits[len(lits)-1].Pos() {
					in.shared[v] = true
				}
			case *ast.UnaryExpr:
				if id, ok := ast.Unparen(n.X).(*ast.Ident); ok && n.Op == token.AND {
					in.shared[info.Uses[id]], in.addressed[info.Uses[id]] = true, true
				}
			case *ast.SelectorExpr:
				id, ok := ast.Unparen(n.X).(*ast.Ident)
				sel := info.Selections[n]
				if ok && sel != nil && sel.Kind() != types.FieldVal && !isPointer(sel.Recv()) && !types.IsInterface(sel.Recv()) {
					if fn, ok := sel.Obj().(*types.Func); ok && fn.Signature().Recv() != nil && isPointer(fn.Signature().Recv().Type()) {
						in.shared[info.Uses[id]], in.addressed[info.Uses[id]] = true, true
					}
				}
			}
			return true
		}
		ast.Inspect(f, visit)
	}
}
