package pointsto

import (
	"go/ast"
	"go/token"
)

// place has the objects begin where their expressions do. What instructions say is where
// the brackets of a literal or call are.
func (r *Result) place(files []*ast.File) {
	begin := map[token.Pos]token.Pos{}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CompositeLit:
				if _, ok := begin[n.Lbrace]; !ok {
					begin[n.Lbrace] = n.Pos()
				}
			case *ast.UnaryExpr:
				if lit, ok := ast.Unparen(n.X).(*ast.CompositeLit); ok && n.Op == token.AND {
					begin[lit.Lbrace] = n.Pos()
				}
			case *ast.CallExpr:
				switch id, _ := ast.Unparen(n.Fun).(*ast.Ident); {
				case id != nil && id.Name == "new":
					begin[n.Rparen] = n.Pos()
					begin[n.Lparen] = n.Pos()
				default:
					begin[n.Lparen] = n.Pos()
				}
			}
			return true
		})
	}
	for _, o := range r.a.objects {
		if at, ok := begin[o.pos]; ok {
			o.pos = at
		}
	}
}
