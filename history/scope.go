package history

import (
	_ "embed"
	"go/ast"
	"go/token"
	"go/types"

	"misstep/internal/source"
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

// Plain is an expression at a position as Go has it; see [source.Plain].
func (pkg *Package) Plain(pos token.Pos, text string) string {
	scope := pkg.Scope(pos)
	return source.Plain(text, pkg.Types, func(name string) types.Object {
		_, obj := scope.LookupParent(name, pos)
		return obj
	})
}

// Check type-checks an expression at a position.
func (pkg *Package) Check(pos token.Pos, x ast.Expr) (*types.Info, error) {
	return source.Check(pkg.Fset, pkg.Types, pos, x)
}
