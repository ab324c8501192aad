package reference

import (
	"go/ast"
	"go/token"
	"slices"

	"misstep/history"
	"misstep/history/timeline"
)

// revisits reports whether a pause at a moment after another may be at an earlier one
// as well: where a switch or select has no clause to execute, or one ends, its own
// line and those of its clauses come again, in an order of the compiler's.
func (m *Model) revisits(from, to int) bool {
	was, is := m.Moments[from], m.Moments[to]
	// The step of the activation that is paused in now, if a call of it was left.
	x, step := was.Activation, was.Step
	for x != is.Activation && x.Parent != nil {
		x, step = x.Parent, x.Call
	}
	if step < 0 || x == is.Activation && step == is.Step {
		return false // it is where it was, or behind a call there
	}
	node, at := is.Activation.Steps[is.Step].Node, x.Steps[step].Node
	if to == from || node == nil || at == nil {
		return false
	}
	around := m.Switches[node]
	if around == nil {
		around = m.Switches[m.Begun(node)]
	}
	return around != nil && around.Pos() <= at.Pos() && at.Pos() < around.End()
}

// closes reports whether a step from one moment to another may have ended where the body of an
// if statement ends, on a jump to which the compiler gives the statement's line: it would have
// passed by another statement on the way to the next execution of that.
func (m *Model) closes(from, to int) bool {
	was, is := m.Moments[from], m.Moments[to]
	at := is.Activation.Steps[is.Step].Node
	if around := m.Begun(at); around != nil {
		at = around
	}
	s, ok := at.(*ast.IfStmt)
	node := was.Activation.Steps[was.Step].Node
	if !ok || was.Activation != is.Activation || node == nil || node.Pos() <= s.Pos() || node.Pos() >= s.End() {
		return false
	}
	for n := was.Step + 1; n < is.Step; n++ {
		if is.Activation.Steps[n].IsClear {
			return true
		}
	}
	return false
}

// ends reports whether a frame's line is that of an if, switch or select around the statement at a
// moment, or around a call that it is in: where one ends, its line may come again.
func (m *Model) ends(from int, f frame) bool {
	if from < 0 || from >= len(m.Moments) {
		return false
	}
	x, step := m.Moments[from].Activation, m.Moments[from].Step
	for x != nil && !slices.Contains(f.funs, x.Func) {
		x, step = x.Parent, x.Call
	}
	if x == nil || step < 0 || x.Steps[step].Node == nil {
		return false
	}
	at := x.Steps[step].Node.Pos()
	fn, pkg := m.Code.Node(x.Func)
	found := false
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n.(type) {
		case nil:
			return false
		case *ast.IfStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			found = found || n.Pos() < at && at < n.End() && pkg.Fset.PositionFor(n.Pos(), false).Line == f.line
		}
		return !found && n.Pos() <= at && at < n.End()
	})
	return found
}

// loopAt reports whether a loop that begins on a line is around what is executed at a moment.
func (m *Model) loopAt(mo timeline.Moment, line int) bool {
	at := mo.Activation.Steps[mo.Step].Node
	fn, pkg := m.Code.Node(mo.Activation.Func)
	if at == nil || pkg == nil {
		return false
	}
	found := false
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n.(type) {
		case nil:
			return false
		case *ast.ForStmt, *ast.RangeStmt:
			found = found || n.Pos() < at.Pos() && at.Pos() < n.End() && pkg.Fset.PositionFor(n.Pos(), false).Line == line
		}
		return !found && n.Pos() <= at.Pos() && at.Pos() < n.End()
	})
	return found
}

// fallsTo reports whether a step is the head of a switch, and a line that of a clause which the
// one before it falls through to.
func (m *Model) fallsTo(x *timeline.Activation, s *timeline.Step, line int) bool {
	node, ok := s.Node.(*ast.SwitchStmt)
	_, pkg := m.Code.Node(x.Func)
	if !ok || pkg == nil {
		return false
	}
	for n, c := range node.Body.List {
		if n == 0 || pkg.Fset.PositionFor(c.Pos(), false).Line != line {
			continue
		}
		before := node.Body.List[n-1].(*ast.CaseClause).Body
		if len(before) > 0 {
			b, ok := before[len(before)-1].(*ast.BranchStmt)
			return ok && b.Tok == token.FALLTHROUGH
		}
	}
	return false
}

// searches reports whether a line is of a clause among which a step, the head of a switch, has
// to find the one to execute, in an order of the compiler's. What is computed to be compared with comes
// in the order of the source, and is a step of its own.
func (m *Model) searches(x *timeline.Activation, s *timeline.Step, line int) bool {
	body := searched(s)
	_, pkg := m.Code.Node(x.Func)
	if body == nil || pkg == nil {
		return false
	}
	return slices.ContainsFunc(body.List, func(n ast.Stmt) bool {
		c := n.(*ast.CaseClause)
		return c.List != nil && !anyCalls(pkg, c.List) && pkg.Fset.PositionFor(c.Pos(), false).Line <= line && line <= pkg.Fset.PositionFor(c.Colon, false).Line
	})
}

// computes reports whether a clause of a switch calls something for what the tag is compared with.
func (m *Model) computes(x *timeline.Activation, s *ast.SwitchStmt) bool {
	_, pkg := m.Code.Node(x.Func)
	return slices.ContainsFunc(s.Body.List, func(n ast.Stmt) bool { return anyCalls(pkg, n.(*ast.CaseClause).List) })
}

// anyCalls reports whether expressions call a function.
func anyCalls(pkg *history.Package, list []ast.Expr) bool {
	return slices.ContainsFunc(list, func(x ast.Expr) bool { return history.Calls(pkg.Info, x) })
}

// compares reports whether a line is that of the head of a switch, and a step the expressions of a clause: what
// they are compared with was computed there.
func (m *Model) compares(x *timeline.Activation, s *timeline.Step, line int) bool {
	if s.Part != history.Cases {
		return false
	}
	around, ok := m.Switches[s.Node].(*ast.SwitchStmt)
	_, pkg := m.Code.Node(x.Func)
	return ok && around.Tag != nil && pkg.Fset.PositionFor(around.Pos(), false).Line == line
}

// searched are the clauses of a switch on a value or a type, of which a step is the head; nil if
// it is none.
func searched(s *timeline.Step) *ast.BlockStmt {
	if s.Part != history.Head {
		return nil
	}
	switch n := s.Node.(type) {
	case *ast.SwitchStmt:
		if n.Tag != nil {
			return n.Body
		}
	case *ast.TypeSwitchStmt:
		return n.Body
	}
	return nil
}
