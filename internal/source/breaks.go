package source

import (
	"go/ast"
	"go/types"
)

// Breaks reports whether the program calls the function of the runtime that pauses it under a debugger.
func (s *Source) Breaks() bool {
	found := false
	for _, f := range s.Files {
		ast.Inspect(f.AST, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "Breakpoint" {
				fn, is := s.Info.Uses[sel.Sel].(*types.Func)
				found = found || is && fn.Pkg() != nil && fn.Pkg().Path() == "runtime"
			}
			return !found
		})
	}
	return found
}
