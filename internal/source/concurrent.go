package source

import "go/ast"

// Concurrent reports whether the program starts goroutines itself.
func (s *Source) Concurrent() bool {
	starts := false
	for _, f := range s.Files {
		ast.Inspect(f.AST, func(n ast.Node) bool {
			_, is := n.(*ast.GoStmt)
			starts = starts || is
			return !starts
		})
	}
	return starts
}
