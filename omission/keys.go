package omission

import (
	"go/ast"
	"go/token"
	"go/types"
)

// keysPut are the expressions of a function whose values are keys: that are put into a map, or ranged over.
func (f *function) keysPut() map[ast.Expr]holding {
	list := map[ast.Expr]holding{}
	put := func(key, owner ast.Expr) {
		if t := typeOf(f, owner); isMap(t) && refers(t.Underlying().(*types.Map).Key()) {
			list[ast.Unparen(key)] = holding{owner: owner, field: keys}
		}
	}
	ranged := map[types.Object]ast.Expr{}
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				if x, ok := ast.Unparen(l).(*ast.IndexExpr); ok {
					put(x.Index, x.X)
				}
			}
		case *ast.CompositeLit:
			for _, e := range n.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					put(kv.Key, n)
				}
			}
		case *ast.RangeStmt:
			if v := f.local(n.Key); v != nil && n.Tok == token.DEFINE {
				ranged[v] = n.X
			}
		case *ast.Ident:
			if x := ranged[f.pkg.Info.Uses[n]]; x != nil {
				put(n, x)
			}
		}
		return true
	})
	return list
}

// keys stands in a field's path for one of the keys of a map.
const keys = "[key]"
