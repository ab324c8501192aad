package omission

import (
	"go/ast"
	"go/types"
)

// capturedBy adds the variables that a function literal captures which another value holds, and the receiver of such a method: what holds a
// function leads to them.
func (f *function) capturedBy(x ast.Expr, h holding, add func(ast.Expr, holding)) {
	switch x := x.(type) {
	case *ast.FuncLit:
		for _, id := range f.captured(x) {
			add(id, holding{owner: h.owner, field: joined(h.field, id.Name)})
		}
	case *ast.SelectorExpr:
		if sel := f.pkg.Info.Selections[x]; sel != nil && sel.Kind() == types.MethodVal && refers(typeOf(f, x.X)) {
			add(ast.Unparen(x.X), holding{owner: h.owner, field: h.field})
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
