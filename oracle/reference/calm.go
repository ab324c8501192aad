package reference

import (
	"go/ast"
	"go/types"

	"misstep/history"
	"misstep/history/timeline"
)

// calm reports whether nothing that is executed from one moment up to another stores to what other
// functions can reach, so that what has the same value before and after has it all the while.
func (j *judge) calm(from, to int) bool {
	if j.stirs == nil {
		j.stirs = make([]int, len(j.m.Moments)+1)
		known := map[ast.Node]bool{}
		for n, mo := range j.m.Moments {
			j.stirs[n+1] = j.stirs[n]
			s := &mo.Activation.Steps[mo.Step]
			if mo.Call != 0 || s.Node == nil {
				continue
			}
			stirs, ok := known[s.Node]
			if !ok {
				stirs = j.m.stirs(mo.Activation, s)
				known[s.Node] = stirs
			}
			if stirs {
				j.stirs[n+1]++
			}
		}
	}
	from, to = max(from, 0), min(to, len(j.m.Moments))
	return from >= to || j.stirs[to] == j.stirs[from]
}

// stirs reports whether a statement stores, by itself, to anything but variables of its own function.
func (m *Model) stirs(x *timeline.Activation, s *timeline.Step) bool {
	fn, pkg := m.Code.Node(x.Func)
	if pkg == nil {
		return true
	}
	own := func(e ast.Expr) bool { return e == nil || ownVariable(pkg, fn, e) }
	switch n := s.Node.(type) {
	case *ast.AssignStmt:
		for _, l := range n.Lhs {
			if !own(l) {
				return true
			}
		}
		return touches(n)
	case *ast.IncDecStmt:
		return !own(n.X)
	case *ast.RangeStmt:
		return !own(n.Key) || !own(n.Value) || touches(n.X)
	case *ast.ExprStmt, *ast.ReturnStmt, *ast.DeclStmt, *ast.DeferStmt, *ast.GoStmt:
		return touches(n)
	case *ast.SendStmt:
		return true
	case *ast.FuncDecl, *ast.FuncLit:
		return false
	case *ast.IfStmt:
		return touches(n.Cond)
	case *ast.ForStmt:
		return n.Cond != nil && touches(n.Cond)
	case *ast.SwitchStmt:
		return n.Tag != nil && touches(n.Tag)
	case *ast.TypeSwitchStmt:
		return touches(n.Assign)
	case *ast.CaseClause:
		for _, e := range n.List {
			if touches(e) {
				return true
			}
		}
		return false
	case *ast.BlockStmt, *ast.LabeledStmt, *ast.BranchStmt:
		return false
	}
	return true
}

// ownVariable reports whether an expression is a variable that a function declares, or the blank one.
func ownVariable(pkg *history.Package, fn ast.Node, e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return false
	}
	if id.Name == "_" {
		return true
	}
	obj := pkg.Info.ObjectOf(id)
	v, ok := obj.(*types.Var)
	return ok && fn.Pos() <= v.Pos() && v.Pos() < fn.End()
}
