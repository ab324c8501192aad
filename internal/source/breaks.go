package source

import (
	"go/ast"
	"go/types"
)

// Breaks reports whether a file calls the function of the runtime that pauses a program under a debugger, at one of some lines; of no
// lines, anywhere.
func (s *Source) Breaks(file string, lines ...int) bool {
	found := false
	for _, f := range s.Files {
		if file != "" && f.Name != file {
			continue
		}
		ast.Inspect(f.AST, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok || sel.Sel.Name != "Breakpoint" {
				return !found
			}
			fn, is := s.Info.Uses[sel.Sel].(*types.Func)
			if !is || fn.Pkg() == nil || fn.Pkg().Path() != "runtime" {
				return !found
			}
			found = found || len(lines) == 0
			for _, line := range lines {
				found = found || s.line(sel.Pos()) == line
			}
			return !found
		})
	}
	return found
}
