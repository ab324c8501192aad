package omission

import (
	"go/ast"
	"go/token"
	"go/types"
)

// elementsPut are the expressions of a function whose values are elements: that are put into a map, a slice or a channel, or read from one.
func (f *function) elementsPut() map[ast.Expr]holding {
	list := map[ast.Expr]holding{}
	put := func(value, owner ast.Expr) {
		if value = ast.Unparen(value); refers(typeOf(f, value)) {
			list[value] = holding{owner: owner, field: elements}
		}
	}
	// An array is part of what it is in.
	ofArray := func(value ast.Expr, x *ast.IndexExpr) {
		if _, is := typeOf(f, x.X).Underlying().(*types.Array); !is || !refers(typeOf(f, x)) {
			return
		}
		if owner, field, _ := f.operand(x); owner != nil && field != "" {
			list[ast.Unparen(value)] = holding{owner: owner, field: field}
		}
	}
	// values are those of a literal that is an element of another, or a field of that.
	var values func(lit *ast.CompositeLit, owner ast.Expr, in string)
	values = func(lit *ast.CompositeLit, owner ast.Expr, in string) {
		_, array := typeOf(f, lit).Underlying().(*types.Array)
		f.fieldsOf(lit, func(field string, x ast.Expr) {
			path := joined(in, field)
			inner, is := ast.Unparen(x).(*ast.CompositeLit)
			switch {
			case refers(typeOf(f, x)):
				list[ast.Unparen(x)] = holding{owner: owner, field: path}
			case is && (structOf(typeOf(f, inner)) != nil || array):
				values(inner, owner, path)
			}
		})
	}
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.AssignStmt:
			if len(n.Lhs) == len(n.Rhs) {
				for i, l := range n.Lhs {
					if x, ok := ast.Unparen(l).(*ast.IndexExpr); ok && container(typeOf(f, x.X)) {
						put(n.Rhs[i], x.X)
					} else if ok {
						ofArray(n.Rhs[i], x)
					}
				}
			}
		case *ast.IndexExpr:
			if container(typeOf(f, n.X)) {
				put(n, n.X)
			} else {
				ofArray(n, n)
			}
		case *ast.SendStmt:
			put(n.Value, n.Chan)
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				put(n, n.X)
			}
		case *ast.CallExpr:
			if f.appends(n) {
				for _, v := range n.Args[1:] {
					put(v, n)
				}
			}
		case *ast.CompositeLit:
			if !container(typeOf(f, n)) {
				return true
			}
			for _, e := range n.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					e = kv.Value
				}
				put(e, n)
				if lit, ok := ast.Unparen(e).(*ast.CompositeLit); ok && !refers(typeOf(f, lit)) {
					values(lit, n, elements)
				}
			}
		}
		return true
	})
	return list
}
