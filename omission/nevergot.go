package omission

import (
	"context"
	"go/ast"
	"go/token"
	"go/types"

	"misstep/history"
)

// An analysis of the whole program knows what a variable may hold. A variable that should have got the subject, and that nothing gives it to,
// holds nothing of it then, and what is done with the variable is no operation on the subject. It is looked for by types, where a branch says
// that the variable held nothing: by nil, or by the second value that came with it.

// neverGot looks for changes that were omitted as a variable held nothing which might have held the subject, and, after them, for who
// should have read that. It is nil if there are none, or f goes by types already.
func (q *Query) neverGot(ctx context.Context, f *Finder, rec *history.Recording, dir string) (*Answer, error) {
	g := f.byTypes(rec)
	if g == nil {
		return nil, nil
	}
	s, err := g.Subject(q.Object)
	if err == nil && q.Field != "" {
		err = s.Of(q.Field)
	}
	if err != nil {
		return nil, err
	}
	found, err := g.Find(ctx, s, q.Options)
	if err != nil {
		return nil, err
	}
	var list []*Balloon
	for _, b := range found {
		var ops []*Operation
		for _, op := range b.Operations {
			if op.heldNothing() {
				ops = append(ops, op)
			}
		}
		if b.Operations = ops; len(ops) > 0 {
			list = append(list, b)
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	reads := q.Options
	reads.Reads = true
	more, err := g.Find(ctx, s, reads)
	if err != nil {
		return nil, err
	}
	list = Merge(list, untold(more, list))
	s.note("no change that the analysis of the program has of it was omitted; what follows might have been one of it, had a variable held it that held nothing, or would have read it")
	return q.verified(ctx, g, rec, s, list, dir)
}

// heldNothing reports whether a branch of an operation says that the operand held nothing.
func (op *Operation) heldNothing() bool {
	x, ok := ast.Unparen(op.goal.operand).(*ast.Ident)
	if op.goal.operand == nil || !ok {
		return false
	}
	for _, br := range op.Branches {
		if br.saysNothing(x) {
			return true
		}
	}
	return false
}

// saysNothing reports whether a branch was decided by a variable's being nil, or by the second value that was assigned with it.
func (b *Branch) saysNothing(x *ast.Ident) bool {
	fn, cond := b.fn, b.decision.node.cond
	if cond == nil {
		return false
	}
	v := fn.pkg.Info.ObjectOf(x)
	is := func(e ast.Expr) bool {
		id, ok := ast.Unparen(e).(*ast.Ident)
		return ok && v != nil && fn.pkg.Info.ObjectOf(id) == v
	}
	switch c := ast.Unparen(cond).(type) {
	case *ast.BinaryExpr:
		if c.Op != token.NEQ && c.Op != token.EQL || !is(c.X) || !fn.pkg.Info.Types[c.Y].IsNil() {
			return false
		}
		// It held nothing if the way that leads on is the one of what is not nil.
		return (c.Op == token.NEQ) == (b.decision.alt == 0)
	case *ast.Ident:
		flag, isVar := fn.pkg.Info.ObjectOf(c).(*types.Var)
		return isVar && b.decision.alt == 0 && fn.together(v, flag)
	}
	return false
}

// together reports whether two variables get their values by one assignment, of what may be there and whether it is.
func (f *function) together(v types.Object, flag *types.Var) bool {
	found := false
	ast.Inspect(f.body, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if ok && len(a.Lhs) == 2 && len(a.Rhs) == 1 {
			x, one := a.Lhs[0].(*ast.Ident)
			y, two := a.Lhs[1].(*ast.Ident)
			found = found || one && two && f.pkg.Info.ObjectOf(x) == v && f.pkg.Info.ObjectOf(y) == flag
		}
		return !found
	})
	return found
}
