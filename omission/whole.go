package omission

import (
	"go/ast"
	"go/token"

	"misstep/history/record"
)

// Where a branch is an operand of && or ||, the others may not bear that it goes the other way: in ok && x.Valid(), x is nothing if ok is
// false. The condition as a whole is inverted then, after its operands were evaluated as they were: that is the predicate that Zhang,
// Tallam, Gupta and Gupta (PLDI 2007) switch.

// whole is the condition that a branch is an operand of, and the evaluation of its first operand that belongs to a moment of the branch.
// It is false if the branch is a condition by itself.
func (f *Finder) whole(b *Branch, m Decided) (record.Turn, place, bool) {
	n := b.decision.node
	if n.cond == nil {
		return record.Turn{}, place{}, false
	}
	x := b.fn.around(n.cond)
	if x == nil || !record.PlainBool(b.fn.pkg.Info.TypeOf(x)) {
		return record.Turn{}, place{}, false
	}
	first := b.fn.graph.conds[leftmost(b.fn.graph, x)]
	at := f.activation(b.fn.id, m.Activation)
	if first == nil || at == nil {
		return record.Turn{}, place{}, false
	}
	p := place{node: first, call: m.Call}
	left := m.Evaluation
	for _, v := range f.trace(b.fn, at) {
		if v.node == first {
			p.evaluation++
		}
		if v.node == n {
			if left--; left == 0 {
				break
			}
		}
	}
	file := b.fn.pkg.Fset.File(b.fn.node.Pos())
	return record.Turn{File: file.Name(), Start: file.Offset(x.Pos()), End: file.Offset(x.End())}, p, left == 0 && p.evaluation > 0
}

// around is the largest condition that an operand is part of by && and ||; nil if there is none.
func (f *function) around(operand ast.Expr) ast.Expr {
	var found ast.Expr
	ast.Inspect(f.body, func(n ast.Node) bool {
		if n == nil || found != nil || operand.Pos() < n.Pos() || n.End() < operand.End() {
			return false
		}
		if x, ok := n.(*ast.BinaryExpr); ok && x != operand && (x.Op == token.LAND || x.Op == token.LOR) && f.hasOperand(x, operand) {
			found = x
		}
		return true
	})
	return found
}

// hasOperand reports whether an expression is one of those that others are made of by &&, || and !.
func (f *function) hasOperand(x ast.Expr, operand ast.Expr) bool {
	if x == operand || ast.Unparen(x) == operand {
		return true
	}
	switch e := ast.Unparen(x).(type) {
	case *ast.UnaryExpr:
		return e.Op == token.NOT && f.hasOperand(e.X, operand)
	case *ast.BinaryExpr:
		return (e.Op == token.LAND || e.Op == token.LOR) && (f.hasOperand(e.X, operand) || f.hasOperand(e.Y, operand))
	}
	return false
}

// leftmost is the operand of a condition that is evaluated first.
func leftmost(g *graph, x ast.Expr) ast.Expr {
	for g.conds[x] == nil {
		switch e := ast.Unparen(x).(type) {
		case *ast.UnaryExpr:
			x = e.X
		case *ast.BinaryExpr:
			x = e.X
		default:
			if e == x {
				return x
			}
			x = e
		}
	}
	return x
}
