package source

import (
	"go/ast"
	"go/types"
	"slices"
	"strconv"
)

// byChance are packages whose functions give something else in each run, or in another order.
var byChance = []string{"crypto/rand", "maps", "math/rand", "math/rand/v2"}

// Chance reports whether what the program does may differ between two runs by the language's own dice: it ranges
// over a map, chooses among the cases of a select, starts goroutines, or asks for random numbers.
func (s *Source) Chance() bool {
	if s.Concurrent() {
		return true
	}
	found := false
	for _, f := range s.Files {
		for _, spec := range f.AST.Imports {
			if path, err := strconv.Unquote(spec.Path.Value); err == nil && slices.Contains(byChance, path) {
				return true
			}
		}
		ast.Inspect(f.AST, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectStmt:
				found = found || len(n.Body.List) > 1
			case *ast.RangeStmt:
				if t := s.Info.TypeOf(n.X); t != nil {
					_, is := types.Unalias(t).Underlying().(*types.Map)
					found = found || is
				}
			}
			return !found
		})
	}
	return found
}
