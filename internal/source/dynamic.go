package source

import (
	"go/ast"

	"golang.org/x/tools/go/types/typeutil"
)

// DynamicCalls are the lines of calls of which the source does not say what function they go to: of function values, and through interfaces.
func (s *Source) DynamicCalls() []Place {
	var places []Place
	for _, f := range s.Files {
		ast.Inspect(f.AST, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			tv := s.Info.Types[call.Fun]
			if _, literal := ast.Unparen(call.Fun).(*ast.FuncLit); !literal && tv.Type != nil && !tv.IsType() && !tv.IsBuiltin() && typeutil.StaticCallee(s.Info, call) == nil {
				places = append(places, s.Named(f.Name, s.Line(call.Pos())))
			}
			return true
		})
	}
	return places
}
