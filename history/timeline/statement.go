package timeline

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"misstep/history"
)

func (m *Run) findSwitches(f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		var body *ast.BlockStmt
		if init := initOf(n); init != nil {
			m.inits[init] = n
		}
		switch n := n.(type) {
		case *ast.ForStmt:
			if n.Post != nil {
				m.posts[n.Post] = true
			}
			return true
		case *ast.SwitchStmt:
			body = n.Body
		case *ast.TypeSwitchStmt:
			body = n.Body
		case *ast.SelectStmt:
			body = n.Body
		default:
			return true
		}
		m.Switches[n] = n
		for _, c := range body.List {
			m.Switches[c] = n
			if c, ok := c.(*ast.CommClause); ok && c.Comm != nil {
				m.Switches[c.Comm] = n
			}
		}
		return true
	})
}

// firstStatements finds on which lines a statement begins, and where the first
// does.
func (m *Run) firstStatements(file int, pkg *history.Package) map[int]token.Pos {
	out := map[int]token.Pos{}
	for _, f := range pkg.Files {
		if pkg.Fset.File(f.FileStart).Name() != m.Plan.Files[file].Path {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BlockStmt, *ast.EmptyStmt, *ast.LabeledStmt, nil:
				return true
			case *ast.CaseClause:
				m.clauses[lineKey{file, pkg.Fset.PositionFor(n.Colon, false).Line}] = true
				return true
			case *ast.CommClause:
				m.clauses[lineKey{file, pkg.Fset.PositionFor(n.Colon, false).Line}] = true
				return true
			case ast.Stmt, *ast.FuncDecl, *ast.FuncLit:
				l := pkg.Fset.PositionFor(n.Pos(), false).Line
				if p, ok := out[l]; !ok || n.Pos() < p {
					out[l] = n.Pos()
				} else {
					return true
				}
				// What comes first of these is their own first statement.
				if init := initOf(n); init != nil && pkg.Fset.PositionFor(init.Pos(), false).Line == l {
					out[l] = init.Pos()
				}
			}
			return true
		})
		// Where a line directive names lines, they cannot be told apart.
		for _, group := range f.Comments {
			for _, c := range group.List {
				if len(c.Text) > 7 && (c.Text[2:7] == "line ") {
					m.Why = "it has line directives"
				}
			}
		}
	}
	return out
}

// initOf is the statement in the head of an if or switch; nil if there is none.
func initOf(n ast.Node) ast.Stmt {
	switch n := n.(type) {
	case *ast.IfStmt:
		return n.Init
	case *ast.SwitchStmt:
		return n.Init
	case *ast.TypeSwitchStmt:
		return n.Init
	}
	return nil
}

// Begun is the statement that a node is the first part of, as that of the head of an if or a switch is;
// nil if it is none.
func (m *Run) Begun(n ast.Node) ast.Node { return m.inits[n] }

// extent is the source that a step executes.
func extent(s history.Step) (from, to token.Pos) {
	n := s.Node
	from, to = n.Pos(), n.End()-1
	switch n := n.(type) {
	case *ast.IfStmt:
		to = n.Body.Lbrace
	case *ast.ForStmt:
		to = n.Body.Lbrace
	case *ast.RangeStmt:
		to = n.Body.Lbrace
	case *ast.SwitchStmt:
		to = n.Body.Lbrace
	case *ast.TypeSwitchStmt:
		to = n.Body.Lbrace
	case *ast.SelectStmt:
		to = n.Body.End() - 1
	case *ast.CaseClause:
		to = n.Colon
	case *ast.LabeledStmt:
		to = n.Colon
	case *ast.BlockStmt:
		if s.Part == history.Return || s.Part == history.LoopEnd {
			from = n.Rbrace
			to = n.Rbrace
		} else {
			to = n.Lbrace
		}
	}
	return from, to
}

// inner are the lines within the bodies of the function literals of a statement.
func (m *Run) inner(pkg *history.Package, n ast.Node) []int {
	if lines, ok := m.inners[n]; ok {
		return lines
	}
	line := func(p token.Pos) int { return pkg.Fset.PositionFor(p, false).Line }
	var lines []int
	ast.Inspect(n, func(n ast.Node) bool {
		lit, ok := n.(*ast.FuncLit)
		if ok {
			for l := line(lit.Body.Lbrace) + 1; l < line(lit.Body.Rbrace); l++ {
				lines = append(lines, l)
			}
		}
		return !ok
	})
	m.inners[n] = lines
	return lines
}

// codeLines are the lines on which a step surely has code that each of its executions runs:
// the first, if it is clear, and those of the calls that it surely makes. What begins on them
// is no other statement's.
func (m *Run) codeLines(pkg *history.Package, s history.Step, first int, starts map[int]token.Pos, fn history.Func) []int {
	var lines []int
	// What a clause of a select sends or receives is done by the select.
	if m.Switches[s.Node] == nil && clear(pkg, s) && starts[first] == s.Node.Pos() && first != fn.Line {
		lines = append(lines, first)
	}
	if m.Switches[s.Node] != nil || s.Part != history.Whole && s.Part != history.Head {
		return lines
	}
	line := func(p token.Pos) int { return pkg.Fset.PositionFor(p, false).Line }
	from, to := extent(s)
	if line(from) == line(to) {
		return lines
	}
	if _, ok := s.Node.(*ast.ExprStmt); ok {
		lines = nil // what begins on the first line may be part of a call on a later one
	}
	// On lines with what is not always evaluated, that may come first.
	perhaps := map[int]bool{}
	ast.Inspect(s.Node, func(n ast.Node) bool {
		var part ast.Node
		switch n := n.(type) {
		case *ast.FuncLit:
			part = n
		case *ast.BinaryExpr:
			if n.Op == token.LAND || n.Op == token.LOR {
				part = n.Y
			}
		}
		if part != nil {
			for l := line(part.Pos()); l <= line(part.End()); l++ {
				perhaps[l] = true
			}
		}
		return true
	})
	surely(pkg, s.Node, func(c *ast.CallExpr) {
		l := line(calledAt(c))
		_, begins := starts[l]
		if c.Pos() >= from && c.Pos() <= to && (l > first && !begins || l == first && starts[first] == s.Node.Pos()) && !perhaps[l] && l != fn.EndLine && !slices.Contains(lines, l) {
			lines = append(lines, l)
		}
	})
	return lines
}

// calledAt is where the compiler says that a call is: where its operand begins, or the name
// of the method.
func calledAt(c *ast.CallExpr) token.Pos {
	if sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok {
		return sel.Sel.Pos()
	}
	return c.Fun.Pos()
}

// surely calls f for the calls that each execution of a statement makes.
func surely(pkg *history.Package, n ast.Node, f func(*ast.CallExpr)) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.BlockStmt:
			return false
		case *ast.GoStmt:
			surelyIn(pkg, n.Call, f)
			return false
		case *ast.DeferStmt:
			surelyIn(pkg, n.Call, f)
			return false
		case *ast.BinaryExpr:
			if n.Op == token.LAND || n.Op == token.LOR {
				surely(pkg, n.X, f)
				return false
			}
		case *ast.ForStmt, *ast.SelectStmt:
			return false
		case *ast.IfStmt:
			if n.Init != nil {
				return false // a step of its own
			}
			surely(pkg, n.Cond, f)
			return false
		case *ast.CallExpr:
			tv := pkg.Info.Types[n.Fun]
			_, lit := ast.Unparen(n.Fun).(*ast.FuncLit)
			if !tv.IsType() && !tv.IsBuiltin() && !lit {
				f(n)
			}
		}
		return true
	})
}

// surelyIn is surely for a call that is not made now: its function and its arguments are
// evaluated.
func surelyIn(pkg *history.Package, c *ast.CallExpr, f func(*ast.CallExpr)) {
	if _, lit := ast.Unparen(c.Fun).(*ast.FuncLit); !lit {
		surely(pkg, c.Fun, f)
	}
	for _, x := range c.Args {
		surely(pkg, x, f)
	}
}

// clear reports whether a statement surely has code at its first line.
func clear(pkg *history.Package, s history.Step) bool {
	switch n := s.Node.(type) {
	case *ast.ExprStmt:
		call, ok := ast.Unparen(n.X).(*ast.CallExpr)
		if !ok {
			return false
		}
		if _, lit := ast.Unparen(call.Fun).(*ast.FuncLit); lit {
			return false // its code may lie on the line of its end
		}
		return !pkg.Info.Types[call.Fun].IsBuiltin() && !pkg.Info.Types[call.Fun].IsType()
	case *ast.AssignStmt:
		// The compiler says that an assignment is where its operator is.
		if line := func(p token.Pos) int { return pkg.Fset.PositionFor(p, false).Line }; line(n.TokPos) != line(n.Pos()) {
			return false
		}
		for _, l := range n.Lhs {
			if id, ok := l.(*ast.Ident); ok && id.Name == "_" {
				return false
			}
		}
		for i, r := range n.Rhs {
			if i < len(n.Lhs) && types.ExprString(n.Lhs[i]) == types.ExprString(r) {
				return false // nothing to do
			}
			switch r := ast.Unparen(r).(type) {
			case *ast.CompositeLit, *ast.FuncLit:
				return false
			case *ast.CallExpr:
				if pkg.Info.Types[r.Fun].IsBuiltin() && len(r.Args) == 1 && i < len(n.Lhs) && types.ExprString(n.Lhs[i]) == types.ExprString(r.Args[0]) {
					return false // append of nothing
				}
			case *ast.UnaryExpr:
				if _, ok := r.X.(*ast.CompositeLit); ok {
					return false
				}
			}
			t := pkg.Info.TypeOf(r)
			if t == nil || sizeless(t) {
				return false
			}
		}
		return true
	case *ast.GoStmt:
		_, lit := ast.Unparen(n.Call.Fun).(*ast.FuncLit)
		return !lit && !pkg.Info.Types[n.Call.Fun].IsBuiltin()
	case *ast.DeferStmt:
		_, lit := ast.Unparen(n.Call.Fun).(*ast.FuncLit)
		return !lit && !pkg.Info.Types[n.Call.Fun].IsBuiltin()
	case *ast.SendStmt:
		return true
	case *ast.IncDecStmt:
		return true
	case *ast.ReturnStmt:
		return true
	case *ast.IfStmt:
		return n.Init == nil && pkg.Info.Types[n.Cond].Value == nil && !hasConstant(pkg, n.Cond)
	}
	return false
}

// hasConstant reports whether a constant decides part of a condition.
func hasConstant(pkg *history.Package, x ast.Expr) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		if b, ok := n.(*ast.BinaryExpr); ok && (b.Op == token.LAND || b.Op == token.LOR) {
			found = found || pkg.Info.Types[b.X].Value != nil || pkg.Info.Types[b.Y].Value != nil
		}
		return !found
	})
	return found
}

// calls reports whether an expression, which may be nil, calls a function.
func calls(pkg *history.Package, x ast.Expr) bool { return x != nil && history.Calls(pkg.Info, x) }

// nested reports whether a step belongs to a loop over a function.
func nested(pkg *history.Package, n ast.Node) bool {
	r, ok := n.(*ast.RangeStmt)
	return ok && history.OverFunc(pkg.Info, r)
}

// library reports whether a step may call what is not recorded before, or between,
// its recorded calls: a call that has a recorded one among its arguments comes
// after that.
func (m *Run) library(pkg *history.Package, s history.Step) bool {
	return slices.ContainsFunc(callsOf(pkg, s), func(x *ast.CallExpr) bool { return m.unrecorded(pkg, x) })
}

// foreign reports whether a step calls a function that surely is not recorded, as it is named.
func (m *Run) foreign(pkg *history.Package, s history.Step) bool {
	return slices.ContainsFunc(callsOf(pkg, s), func(x *ast.CallExpr) bool {
		return m.unrecorded(pkg, x) && history.Callee(pkg.Info, x) != nil
	})
}

// unrecorded reports whether a call may be of what is not recorded, with nothing recorded among its
// arguments.
func (m *Run) unrecorded(pkg *history.Package, x *ast.CallExpr) bool {
	return !m.Code.Recorded(pkg.Info, x) && !m.calls(pkg, x.Args)
}

// callsOf are the calls of functions that a step has, whether it makes them or not.
func callsOf(pkg *history.Package, s history.Step) (all []*ast.CallExpr) {
	from, to := extent(s)
	ast.Inspect(s.Node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if tv := pkg.Info.Types[n.Fun]; n.Pos() >= from && n.Pos() <= to && !tv.IsType() && !tv.IsBuiltin() {
				all = append(all, n)
			}
		}
		return true
	})
	return all
}

// calls reports whether expressions call something that is recorded.
func (m *Run) calls(pkg *history.Package, xs []ast.Expr) bool {
	found := false
	for _, x := range xs {
		ast.Inspect(x, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.CallExpr:
				found = found || m.Code.Recorded(pkg.Info, n)
			}
			return !found
		})
	}
	return found
}

// sizeless reports whether values of a type take no memory, so that assigning one is
// no code.
func sizeless(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if !sizeless(f.Type()) {
				return false
			}
		}
		return true
	case *types.Array:
		return u.Len() == 0 || sizeless(u.Elem())
	case *types.Tuple:
		return false
	}
	return false
}
