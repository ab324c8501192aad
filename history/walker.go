package history

import (
	"go/ast"
	"go/token"
)

func (w *walker) stmts(list []ast.Stmt) control {
	for i := 0; i < len(list); i++ {
		ctl := w.stmt(list[i], "")
		for ctl == jumps {
			// To a label in this list, or in one around it.
			target, label := -1, (*ast.LabeledStmt)(nil)
			for j, s := range list {
				for l, ok := s.(*ast.LabeledStmt); ok; l, ok = l.Stmt.(*ast.LabeledStmt) {
					if l.Label.Name == w.label {
						target, label = j, l
					}
				}
			}
			if target < 0 {
				return ctl
			}
			if site, ok := w.site(Label, label.Pos()); ok && !w.next(site) {
				return leaves // it was not reached: the history ends before
			}
			i = target
			ctl = w.stmt(list[i], "")
		}
		if ctl != falls {
			return ctl
		}
	}
	return falls
}

// stmt replays a statement; label is its own.
func (w *walker) stmt(s ast.Stmt, label string) control {
	switch s := s.(type) {
	case nil, *ast.EmptyStmt:
		return falls
	case *ast.BlockStmt:
		w.step(s, Head)
		return w.stmts(s.List)
	case *ast.LabeledStmt:
		w.take(Label, s.Pos())
		w.step(s, Head)
		ctl := w.stmt(s.Stmt, s.Label.Name)
		if ctl == breaks && w.label == s.Label.Name {
			return falls
		}
		return ctl
	case *ast.IfStmt:
		if ctl := w.stmt(s.Init, ""); ctl != falls {
			return ctl
		}
		if w.head(s, Head, s.Pos(), s.Cond) {
			return leaves
		}
		if w.take(Then, s.Pos()) {
			return w.stmts(s.Body.List)
		}
		if w.over(s.Pos(), s.Cond.End()) {
			return leaves
		}
		return w.stmt(s.Else, "")
	case *ast.ForStmt:
		return w.forLoop(s, label)
	case *ast.RangeStmt:
		return w.rangeLoop(s, label)
	case *ast.SwitchStmt:
		if ctl := w.stmt(s.Init, ""); ctl != falls {
			return ctl
		}
		if w.head(s, Head, s.Pos(), s.Tag) {
			return leaves
		}
		return w.clauses(s.Body, label)
	case *ast.TypeSwitchStmt:
		if ctl := w.stmt(s.Init, ""); ctl != falls {
			return ctl
		}
		if w.head(s, Head, s.Pos(), assigned(s.Assign)) {
			return leaves
		}
		return w.clauses(s.Body, label)
	case *ast.SelectStmt:
		var xs []ast.Expr
		for _, c := range s.Body.List {
			xs = append(xs, operands(c.(*ast.CommClause).Comm)...)
		}
		if w.head(s, Head, s.Pos(), xs...) {
			return leaves
		}
		return w.clauses(s.Body, label)
	}
	return w.simple(s)
}

// simple replays a statement that has no others in it.
func (w *walker) simple(s ast.Stmt) control {
	if site, ok := w.site(After, s.Pos()); ok {
		w.end = site
		defer func() { w.end = -1 }()
	}
	switch s := s.(type) {
	case *ast.ReturnStmt:
		w.exprs(s.Results...)
		w.step(s, Whole)
		return leaves
	case *ast.BranchStmt:
		w.step(s, Whole)
		w.label = ""
		if s.Label != nil {
			w.label = s.Label.Name
		}
		return map[token.Token]control{token.BREAK: breaks, token.CONTINUE: continues, token.GOTO: jumps, token.FALLTHROUGH: falling}[s.Tok]
	case *ast.ExprStmt:
		w.exprs(s.X)
		w.upTo(w.end)
		w.step(s, Whole)
		if w.take(Last, s.Pos()) {
			return leaves
		}
		if IsPanic(w.pkg.Info, s) {
			return leaves
		}
	case *ast.AssignStmt:
		w.exprs(s.Lhs...)
		w.exprs(s.Rhs...)
		w.upTo(w.end)
		w.step(s, Whole)
	case *ast.DeferStmt:
		w.exprs(s.Call.Fun)
		w.exprs(s.Call.Args...)
		w.deferred = append(w.deferred, s.Call)
		w.step(s, Whole)
	case *ast.GoStmt:
		w.exprs(s.Call.Fun)
		w.exprs(s.Call.Args...)
		w.step(s, Whole)
	case *ast.SendStmt:
		w.exprs(s.Chan, s.Value)
		w.upTo(w.end)
		w.step(s, Whole)
	case *ast.IncDecStmt:
		w.exprs(s.X)
		w.upTo(w.end)
		w.step(s, Whole)
	case *ast.DeclStmt:
		ast.Inspect(s, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok {
				w.exprs(v.Values...)
				return false
			}
			return true
		})
		w.upTo(w.end)
		w.step(s, Whole)
	}
	if w.over(s.Pos(), s.End()) {
		return leaves
	}
	return falls
}

// head replays expressions and reports whether the activation ends there.
func (w *walker) head(n ast.Node, part Part, from token.Pos, xs ...ast.Expr) bool {
	w.exprs(xs...)
	w.step(n, part)
	if len(xs) == 0 || xs[len(xs)-1] == nil {
		return false
	}
	return w.a.Abrupt && w.marks == 0 && w.over(from, xs[len(xs)-1].End()) && w.i >= len(w.a.Items)
}

func assigned(s ast.Stmt) ast.Expr {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return s.Rhs[0]
	case *ast.ExprStmt:
		return s.X
	}
	return nil
}

func operands(s ast.Stmt) []ast.Expr {
	switch s := s.(type) {
	case *ast.SendStmt:
		return []ast.Expr{s.Chan, s.Value}
	case *ast.ExprStmt:
		return []ast.Expr{s.X}
	case *ast.AssignStmt:
		return s.Rhs
	}
	return nil
}

// mine reports whether a break or continue is meant for a statement with a label.
func (w *walker) mine(label string) bool {
	return w.label == "" || w.label == label
}

// again reports whether a loop goes on after its body, and how it ends otherwise.
func (w *walker) again(body control, label string) (bool, control) {
	switch {
	case body == breaks && w.mine(label):
		return false, falls
	case body == falls, body == continues && w.mine(label):
		return true, falls
	}
	return false, body
}

func (w *walker) forLoop(s *ast.ForStmt, label string) control {
	w.step(s, Head)
	if ctl := w.stmt(s.Init, ""); ctl != falls {
		return ctl
	}
	for {
		if s.Cond != nil && w.head(s, Condition, s.Cond.Pos(), s.Cond) {
			return leaves
		}
		if !w.take(Body, s.Pos()) {
			if s.Cond == nil || w.over(s.Cond.Pos(), s.Cond.End()) {
				return leaves
			}
			return falls
		}
		ctl := w.stmts(s.Body.List)
		if again, ctl := w.again(ctl, label); !again {
			return ctl
		}
		if ctl := w.stmt(s.Post, ""); ctl != falls {
			return ctl
		}
	}
}

func (w *walker) rangeLoop(s *ast.RangeStmt, label string) control {
	site, nested := w.site(Nested, s.Pos())
	if nested && w.a.split {
		return w.loopOver(s, site, label)
	}
	kind := Body
	if nested {
		kind = Nested
		w.expr(s.X)
		w.enter(w.value) // the iterator
		w.step(s, Head)
	} else if w.head(s, Head, s.Pos(), s.X) {
		return leaves
	}
	for n := 0; ; n++ {
		assigns := false
		if site, ok := w.site(kind, s.Pos()); ok && s.Tok == token.ASSIGN && w.upcoming(site, s.Key, s.Value) {
			w.exprs(s.Key, s.Value)
			assigns = true
		}
		if n > 0 || assigns {
			w.step(s, Next)
		}
		if !w.take(kind, s.Pos()) {
			if w.over(s.Pos(), s.X.End()) {
				return leaves
			}
			return falls
		}
		ctl := w.stmts(s.Body.List)
		w.ends()
		if again, ctl := w.again(ctl, label); !again {
			return ctl
		}
	}
}

func (w *walker) clauses(block *ast.BlockStmt, label string) control {
	chosen := -1
	for i, s := range block.List {
		if c, ok := s.(*ast.CaseClause); ok {
			if len(c.List) == 0 {
				continue // a default comes last, wherever it stands
			}
			w.exprs(c.List...)
			w.step(c, Cases)
			if w.a.Abrupt && w.over(c.Pos(), c.Colon) {
				return leaves // one of them panics
			}
		}
		w.receivers(s)
		if w.clause(s) {
			chosen = i
			break
		}
	}
	if chosen < 0 {
		for i, s := range block.List {
			if c, ok := s.(*ast.CaseClause); ok && c.List == nil && w.clause(s) {
				chosen = i
			}
		}
	}
	if chosen < 0 {
		if len(block.List) > 0 {
			if _, sel := block.List[0].(*ast.CommClause); sel {
				return leaves // it waits for ever
			}
		}
		if w.over(block.Pos(), block.Pos()) {
			return leaves
		}
		return falls
	}
	for {
		var body []ast.Stmt
		switch c := block.List[chosen].(type) {
		case *ast.CaseClause:
			body = c.Body
		case *ast.CommClause:
			if c.Comm != nil {
				w.step(c.Comm, Whole)
			}
			body = c.Body
		}
		ctl := w.stmts(body)
		switch {
		case ctl == falling:
			chosen++
			if chosen < len(block.List) && w.clause(block.List[chosen]) {
				continue
			}
			return leaves
		case ctl == breaks && w.mine(label):
			return falls
		}
		return ctl
	}
}

// receivers replays what a clause of a select assigns to, which is evaluated after it has received.
func (w *walker) receivers(s ast.Stmt) {
	c, ok := s.(*ast.CommClause)
	if !ok {
		return
	}
	if a, ok := c.Comm.(*ast.AssignStmt); ok {
		if site, ok := w.site(Case, s.Pos()); ok && w.upcoming(site, a.Lhs...) {
			w.exprs(a.Lhs...)
		}
	}
}

// clause passes the mark of a clause.
func (w *walker) clause(s ast.Stmt) bool { return w.take(Case, s.Pos()) }
