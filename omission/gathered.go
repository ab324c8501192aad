package omission

import (
	"context"
	"fmt"
	"go/ast"
	"go/types"
	"slices"
)

// A function that gives nil may have gathered what it gives otherwise: in a variable of its own, or in a field. That it gave nil is then an omission on what it
// gathers in, which no variable of its caller ever held.

// maxGivers is how many calls are followed to the one that gave nil.
const maxGivers = 4

// gathered are what the functions that gave a variable its value, which was nil, would have given back otherwise.
func (f *Finder) gathered(ctx context.Context, at *heldAt) []*Subject {
	if at == nil || at.v == nil || at.field != "" || !refers(at.v.Type()) {
		return nil
	}
	e := f.explainer(ctx)
	in := e.lastGiven(at)
	if in == nil {
		return nil
	}
	n := in.trace[in.i].node
	call, _ := n.givesWhole(in.fn, at.v).(*ast.CallExpr)
	result := resultOf(n, in.fn, at.v)
	var list []*Subject
	for range maxGivers {
		if call == nil {
			break
		}
		from, gave, ok := e.gave(*in, call, result)
		if !ok {
			break
		}
		for _, y := range from.fn.gives(result) {
			place, text := f.place(from.fn, gave.Pos()), types.ExprString(y)
			sub, err := f.variable(fmt.Sprintf("%s:%d:%s", place.File, place.Line, text), f.plan.Funcs[from.fn.id].File, place.Line, text)
			if err != nil || slices.ContainsFunc(list, func(o *Subject) bool { return o.Name == sub.Name && o.Field == sub.Field }) {
				continue // such as of a variable that is of a block
			}
			f.parts(sub)
			list = append(list, sub)
		}
		call, _ = ast.Unparen(gave).(*ast.CallExpr)
		in = &from
	}
	return list
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
