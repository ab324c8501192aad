package omission

import (
	"context"
	"fmt"
	"go/ast"
	"go/types"
	"slices"

	"misstep/history"
)

// A function that gives nil may have gathered what it gives otherwise: in a variable of its own, or in a field. That it gave nil is then an omission on what it
// gathers in, which no variable of its caller ever held.

// maxGivers is how many calls are followed to the one that gave nil.
const maxGivers = 4

// gathered are what the functions that gave a variable its value, which was nil, would have given back otherwise.
func (f *Finder) gathered(ctx context.Context, at *heldAt) []*Subject {
	if at == nil || at.fn < 0 || at.v == nil || at.field != "" || !refers(at.v.Type()) {
		return nil
	}
	fn := f.program.funcs[at.fn]
	if fn == nil {
		return nil
	}
	s, ok := f.stepAt(fn, at.line)
	if !ok {
		return nil
	}
	e := f.explainer(ctx)
	last := e.lastOf(s, e.assignments(at.v))
	if last == nil {
		return nil
	}
	call, nth := last.fn.givenBy(last.trace[last.i].node.at, at.v)
	var list []*Subject
	in := *last
	for range maxGivers {
		if call == nil {
			break
		}
		g, a := f.calledBy(in, call)
		if g == nil {
			break
		}
		step, ret := f.lastReturn(g, a)
		if ret == nil || nth >= len(ret.Results) || len(ret.Results) == 1 && nth > 0 {
			break
		}
		for _, y := range g.gives(nth) {
			place := f.place(g, ret.Pos())
			text := types.ExprString(y)
			sub, err := f.variable(fmt.Sprintf("%s:%d:%s", place.File, place.Line, text), f.plan.Funcs[g.id].File, place.Line, text)
			if err != nil || slices.ContainsFunc(list, func(o *Subject) bool { return o.Name == sub.Name && o.Field == sub.Field }) {
				continue // such as of a variable that is of a block
			}
			f.parts(sub)
			list = append(list, sub)
		}
		inner, _ := ast.Unparen(ret.Results[nth]).(*ast.CallExpr)
		call, in = inner, step
	}
	return list
}

// givenBy is the call that gives a variable its value in a statement, and which of its results that is; nil if no call does.
func (f *function) givenBy(n ast.Node, v types.Object) (call *ast.CallExpr, nth int) {
	var to, from []ast.Expr
	switch st := n.(type) {
	case *ast.AssignStmt:
		to, from = st.Lhs, st.Rhs
	case *ast.DeclStmt:
		decl, _ := st.Decl.(*ast.GenDecl)
		for _, spec := range decl.Specs {
			if vs, ok := spec.(*ast.ValueSpec); ok {
				for i, id := range vs.Names {
					if f.pkg.Info.ObjectOf(id) == v && len(vs.Values) > 0 {
						call, _ := ast.Unparen(vs.Values[min(i, len(vs.Values)-1)]).(*ast.CallExpr)
						if len(vs.Values) > 1 {
							i = 0
						}
						return call, i
					}
				}
			}
		}
		return nil, 0
	}
	for i, x := range to {
		if id, ok := x.(*ast.Ident); ok && f.pkg.Info.ObjectOf(id) == v && len(from) > 0 {
			if len(from) == len(to) {
				call, _ := ast.Unparen(from[i]).(*ast.CallExpr)
				return call, 0
			}
			call, _ := ast.Unparen(from[0]).(*ast.CallExpr)
			return call, i
		}
	}
	return nil, 0
}

// calledBy is the activation that a call of a step was, and its function; nil if it is not recorded.
func (f *Finder) calledBy(s step, call *ast.CallExpr) (*function, *history.Activation) {
	for _, c := range s.fn.calls {
		if c.expr != call {
			continue
		}
		calls := s.trace[s.i].calls
		for i := len(calls) - 1; i >= 0; i-- {
			if slices.Contains(c.callees, calls[i].Func) && f.program.funcs[calls[i].Func] != nil {
				return f.program.funcs[calls[i].Func], calls[i]
			}
		}
	}
	return nil, nil
}

// gives are the variables and fields that a function returns as one of its results, somewhere.
func (f *function) gives(nth int) []ast.Expr {
	var list []ast.Expr
	for _, n := range f.graph.nodes {
		ret, ok := n.at.(*ast.ReturnStmt)
		if !ok || nth >= len(ret.Results) {
			continue
		}
		x := ast.Unparen(ret.Results[nth])
		switch e := x.(type) {
		case *ast.Ident:
			if _, is := f.pkg.Info.Uses[e].(*types.Var); !is {
				continue
			}
		case *ast.SelectorExpr:
			if sel := f.pkg.Info.Selections[e]; sel == nil || sel.Kind() != types.FieldVal {
				continue
			}
		default:
			continue
		}
		if !slices.ContainsFunc(list, func(y ast.Expr) bool { return types.ExprString(x) == types.ExprString(y) }) {
			list = append(list, x)
		}
	}
	return list
}
