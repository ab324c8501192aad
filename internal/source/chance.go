package source

import (
	"go/ast"
	"go/types"
	"slices"
)

// dice are functions and methods of the standard library that give something else in each run, or call back or go through
// what they are given in another order; of packages that throw them throughout, the path with a slash.
var dice = map[string]bool{
	"crypto/rand/": true, "hash/maphash/": true, "maps/": true, "math/rand/": true, "math/rand/v2/": true,
	"(*sync.Map).Range": true, "(reflect.Value).MapKeys": true, "(reflect.Value).MapRange": true, "(reflect.Value).Seq": true, "(reflect.Value).Seq2": true,
	"reflect.Select": true,
}

// ThrowsDice reports whether syntax that is type-checked throws the language's own dice: it ranges over a map, chooses
// among the cases of a select, or uses what the standard library has of this kind. What comes first is the runtime's
// choice then, which many runs in a row make alike.
func ThrowsDice(files []*ast.File, info *types.Info) bool {
	for _, obj := range info.Uses {
		if fn, ok := obj.(*types.Func); ok && fn.Pkg() != nil && (dice[fn.Origin().FullName()] || dice[fn.Pkg().Path()+"/"]) {
			return true
		}
	}
	return slices.ContainsFunc(files, func(f *ast.File) bool {
		found := false
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectStmt:
				found = found || len(n.Body.List) > 1
			case *ast.RangeStmt:
				_, overMap := Core(info.TypeOf(n.X)).(*types.Map)
				found = found || overMap
			}
			return !found
		})
		return found
	})
}

// Chance reports whether what the program does may differ between two runs: it throws dice, starts goroutines, or
// imports packages beyond the standard library, which may do so.
func (s *Source) Chance() bool {
	return s.Concurrent() || s.beyond || s.ThrowsDice()
}

// ThrowsDice reports whether the program's main package throws the language's own dice, see [ThrowsDice].
func (s *Source) ThrowsDice() bool {
	files := make([]*ast.File, len(s.Files))
	for i, f := range s.Files {
		files[i] = f.AST
	}
	return ThrowsDice(files, s.Info)
}
