package omission

import (
	"go/ast"
	"go/types"
)

// capturedBy adds the variables that function literals capture which others hold, and the receivers of such methods: what holds a function leads
// to them.
func (f *function) capturedBy(list map[ast.Expr]holding) {
	for x, h := range list {
		switch x := x.(type) {
		case *ast.FuncLit:
			for _, id := range f.captured(x) {
				list[id] = holding{owner: h.owner, field: joined(h.field, id.Name)}
			}
		case *ast.SelectorExpr:
			if sel := f.pkg.Info.Selections[x]; sel != nil && sel.Kind() == types.MethodVal && refers(typeOf(f, x.X)) {
				list[ast.Unparen(x.X)] = holding{owner: h.owner, field: h.field}
			}
		}
	}
}

// captured are the variables of a function that a literal in it mentions, each where it does so first.
func (f *function) captured(lit *ast.FuncLit) []*ast.Ident {
	var list []*ast.Ident
	seen := map[types.Object]bool{}
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		v := f.local(id)
		if v == nil || seen[v] || lit.Pos() <= v.Pos() && v.Pos() < lit.End() || v.Pos() < f.node.Pos() || f.node.End() <= v.Pos() {
			return true
		}
		seen[v] = true
		list = append(list, id)
		return true
	})
	return list
}
