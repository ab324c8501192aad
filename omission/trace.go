package omission

import (
	"go/ast"
	"go/token"

	"misstep/history"
)

// A visit is one execution of a node in an activation.
type visit struct {
	node *node
	time int64
	// calls are the activations that it called.
	calls []*history.Activation
}

// trace is what an activation executed, as a way through its function's graph.
func (f *function) trace(code *history.Code, a *history.Activation) []visit {
	var list []visit
	operands := map[ast.Expr]history.Step{}
	var condition func(x ast.Expr, at int64)
	condition = func(x ast.Expr, at int64) {
		switch e := ast.Unparen(x).(type) {
		case *ast.UnaryExpr:
			if n := f.graph.conds[x]; n == nil && e.Op == token.NOT {
				condition(e.X, at)
				return
			}
		case *ast.BinaryExpr:
			if !f.graph.marked(e) {
				break
			}
			condition(e.X, at)
			if s, evaluated := operands[e]; evaluated {
				condition(e.Y, s.Time)
			}
			return
		}
		n := f.graph.conds[x]
		if n == nil {
			return
		}
		b := graphBuilder{graph: f.graph}
		for _, op := range b.operators(x) {
			condition(op, at)
		}
		list = append(list, visit{node: n, time: at})
	}
	code.Walk(a, func(s history.Step) {
		if s.Part == history.Operand {
			operands[s.Node.(ast.Expr)] = s
			return
		}
		k := key{s.Node, s.Part}
		before := len(list)
		for _, x := range f.graph.logic[k] {
			condition(x, s.Time)
		}
		clear(operands)
		if n := f.graph.steps[k]; n != nil {
			list = append(list, visit{node: n, time: s.Time, calls: s.Calls})
			return
		}
		// What a condition called is known of the whole only.
		if n := len(list); n > before {
			list[before].calls = append(list[before].calls, s.Calls...)
		}
	})
	if !a.Abrupt && a.End >= 0 {
		list = append(list, visit{node: f.graph.exit, time: a.End})
	}
	return list
}
