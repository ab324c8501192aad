package timeline

import (
	"go/ast"
	"go/token"

	"misstep/history"
)

type probeKey struct {
	path   string
	offset int
}

// Watched is what is asked at the statement of a step, or at the end of a function or the next
// iteration of a loop; nil if nothing is.
func (m *Run) Watched(x *Activation, s Step) *history.Watched {
	_, pkg := m.Code.Node(x.Func)
	if s.Node == nil || pkg == nil {
		return nil
	}
	f := m.Plan.Files[m.Plan.Funcs[x.Func].File]
	asked := func(pos token.Pos) *history.Watched {
		return m.probes[probeKey{f.Path, pkg.Fset.File(pos).Offset(pos)}]
	}
	at := s.Node
	switch n := at.(type) {
	case *ast.RangeStmt:
		if s.Part == history.Next && x.Of == nil {
			return asked(n.Body.Rbrace)
		}
	case *ast.ForStmt:
		if s.Part == history.Condition {
			return asked(n.Cond.Pos())
		}
	case *ast.BlockStmt:
		if s.Part == history.Return {
			return asked(n.Rbrace)
		}
	}
	if s.Part != history.Whole && s.Part != history.Head {
		return nil
	}
	if initOf(at) != nil {
		return nil // that has run already
	}
	if around := m.inits[at]; around != nil {
		at = around
	}
	return asked(at.Pos())
}
