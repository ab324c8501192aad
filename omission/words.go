package omission

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"misstep/history"
	"misstep/internal/source"
)

// place is where a position is.
func (f *Finder) place(fn *function, pos token.Pos) Position {
	p := fn.pkg.Fset.PositionFor(pos, false)
	return Position{f.plan.Files[f.plan.Funcs[fn.id].File].Name, p.Line, p.Column}
}

// source is the text of a node.
func (f *Finder) source(fn *function, n ast.Node) string {
	file := fn.pkg.Fset.File(n.Pos())
	text := f.plan.Files[f.plan.Funcs[fn.id].File].Text
	from, to := file.Offset(n.Pos()), file.Offset(n.End())
	if from < 0 || to > len(text) || from > to {
		return ""
	}
	return text[from:to]
}

// maxText is how many letters of the source are shown.
const maxText = 89

// shortSource is the beginning of the text of a node.
func (f *Finder) shortSource(fn *function, n ast.Node) string {
	return source.Shorten(f.source(fn, n), maxText)
}

// withSubject is the text of an operation with the subject's name in the place of the
// operand, as in <List:1>.add(n).
func (f *Finder) withSubject(op *operation, s *Subject) string {
	text := f.source(op.fn, op.expr)
	if op.operand == nil || op.of != s || !s.names(op.fn, op.operand) || len(s.Instances) != 1 || len(s.Vars) > 0 {
		return source.Shorten(text, maxText)
	}
	file := op.fn.pkg.Fset.File(op.expr.Pos())
	from := file.Offset(op.operand.Pos()) - file.Offset(op.expr.Pos())
	to := file.Offset(op.operand.End()) - file.Offset(op.expr.Pos())
	if from < 0 || to > len(text) {
		return source.Shorten(text, maxText)
	}
	return source.Shorten(text[:from]+s.Name+text[to:], maxText)
}

// names reports whether an expression is the object itself, and no pointer into it, so that
// the object's name may stand for it.
func (s *Subject) names(f *function, x ast.Expr) bool {
	p, ok := typeOf(f, x).Underlying().(*types.Pointer)
	return !ok || s.Type == nil || same(p.Elem(), s.Type)
}

// describeBranch says where a branch is and what happened there.
func (f *Finder) describeBranch(b *Branch) {
	n := b.decision.node
	b.Func = b.fn.name
	at := n.at
	if at == nil {
		at = n.cond
	}
	b.Place, b.Text = f.place(b.fn, at.Pos()), f.stepText(n)
	b.Moments = b.sample.list()
	for i := range b.Moments {
		b.Moments[i].Call = f.callNumber(b.fn.id, b.Moments[i].Activation)
	}
	slices.SortFunc(b.Moments, func(x, y Decided) int {
		return cmp.Or(cmp.Compare(x.Time, y.Time), cmp.Compare(x.Activation, y.Activation))
	})
	b.Outcome = f.outcome(b)
	b.judges = f.judged(b)
	if b.call != nil && b.Distance > 0 {
		b.Via = &Inner{f.place(b.fn, b.call.expr.Pos()), f.shortSource(b.fn, b.call.expr), b.fn.name}
	}
}

// stepText is the source of a step or a condition; of a statement with a body, without that.
func (f *Finder) stepText(n *node) string {
	switch s := n.at.(type) {
	case nil:
		return f.shortSource(n.fn, n.cond)
	case *ast.RangeStmt:
		return "for range " + f.shortSource(n.fn, s.X)
	case *ast.SwitchStmt:
		if s.Tag == nil {
			return "switch"
		}
		return "switch " + f.shortSource(n.fn, s.Tag)
	case *ast.TypeSwitchStmt:
		return "switch " + f.shortSource(n.fn, s.Assign)
	case *ast.SelectStmt:
		return "select"
	case *ast.CaseClause:
		return "case " + f.caseText(n.fn, s)
	}
	return f.shortSource(n.fn, n.at)
}

// outcome says in words what happened at a branch.
func (f *Finder) outcome(b *Branch) string {
	n := b.decision.node
	switch b.decision.kind {
	case "lost":
		return "was left by a panic, Goexit or the program's end"
	case "left":
		return "left the loop"
	case "dispatch":
		return "called another function"
	case "uncalled":
		return "did not call it"
	}
	switch s := n.at.(type) {
	case nil:
		if n.joins() {
			return "was evaluated"
		}
		if b.decision.alt == 0 {
			return "was false"
		}
		return "was true"
	case *ast.CaseClause:
		if b.decision.alt == 0 {
			return "did not fit"
		}
		return "fitted"
	case *ast.RangeStmt:
		switch {
		case b.decision.alt != 0 && n.part == history.Head:
			return "had elements"
		case b.decision.alt != 0:
			return "had another element"
		case n.part == history.Head:
			return "had no element"
		}
		return "had no further element"
	case *ast.SwitchStmt:
		return f.clause(b, s.Body)
	case *ast.TypeSwitchStmt:
		return f.clause(b, s.Body)
	case *ast.SelectStmt:
		return f.clause(b, s.Body)
	}
	return "went another way"
}

// caseText are the expressions of a clause.
func (f *Finder) caseText(fn *function, c *ast.CaseClause) string {
	var list []string
	for _, x := range c.List {
		list = append(list, f.source(fn, x))
	}
	return source.Shorten(strings.Join(list, ", "), maxText)
}

// clause says which clause was taken instead of the one that leads to the operation.
func (f *Finder) clause(b *Branch, body *ast.BlockStmt) string {
	name := func(i int) string {
		if i < 0 || i >= len(body.List) {
			return "no case"
		}
		switch c := body.List[i].(type) {
		case *ast.CaseClause:
			if c.List == nil {
				return "default"
			}
			return "case " + f.caseText(b.fn, c)
		case *ast.CommClause:
			if c.Comm == nil {
				return "default"
			}
			return "case " + f.shortSource(b.fn, c.Comm)
		}
		return "another case"
	}
	// Clauses without statements cannot be told apart, nor from none.
	taken, same := b.Moments[0].taken, 0
	for _, s := range b.decision.node.succs {
		if taken >= 0 && s == b.decision.node.succs[taken] {
			same++
		}
	}
	if taken < 0 || same > 1 {
		return "did not take " + name(b.decision.alt)
	}
	return fmt.Sprintf("took %s, not %s", name(taken), name(b.decision.alt))
}

// callNumber is the number, from 1, of the activation of a function that began at a time.
func (f *Finder) callNumber(fn int, start int64) int {
	n, _ := slices.BinarySearchFunc(f.events.byFunc[fn], start, func(a *history.Activation, start int64) int { return cmp.Compare(a.Start, start) })
	return n + 1
}
