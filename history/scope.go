package history

import (
	_ "embed"
	"go/ast"
	"go/token"
	"go/types"
)

// Scope is the innermost scope at a place.
func (pkg *Package) Scope(pos token.Pos) *types.Scope {
	for n, s := range pkg.Info.Scopes {
		if _, file := n.(*ast.File); file && n.Pos() <= pos && pos < n.End() {
			return s.Innermost(pos)
		}
	}
	return types.NewScope(nil, 0, 0, "")
}
