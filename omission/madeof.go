package omission

import (
	"fmt"
	"go/ast"
	"go/types"
)

// A value that others are given is copied, and nothing happens to it itself: that it is not in the text that a marshaler made of it is an
// omission on the text.

// madeOf is the variable that has what was made of a value: the result of the last call, up to the end of its line or in the function at
// all, which was given the value or a part of it; nil if there is none.
func (f *Finder) madeOf(at *heldAt) *Subject {
	if at == nil || at.fn < 0 || at.v == nil || refers(at.v.Type()) {
		return nil
	}
	fn := f.program.funcs[at.fn]
	if fn == nil {
		return nil
	}
	ran := map[*node]bool{}
	for _, a := range f.events.byFunc[fn.id] {
		for _, v := range f.trace(fn, a) {
			ran[v.node] = true
		}
	}
	var sub *Subject
	var line int
	for _, n := range fn.graph.nodes {
		st, ok := n.at.(*ast.AssignStmt)
		if !ok || !ran[n] || len(st.Rhs) != 1 {
			continue
		}
		call, ok := ast.Unparen(st.Rhs[0]).(*ast.CallExpr)
		if !ok || !fn.isGiven(call, at.v) {
			continue
		}
		here := f.place(fn, n.at.Pos()).Line
		if sub != nil && (here < line || here > at.line && line <= at.line) {
			continue
		}
		for _, to := range st.Lhs {
			id, ok := to.(*ast.Ident)
			if !ok || id.Name == "_" || isError(typeOf(fn, id)) {
				continue
			}
			made, err := f.variable(fmt.Sprintf("%s:%d:%s", f.plan.Files[f.plan.Funcs[fn.id].File].Name, here, id.Name), f.plan.Funcs[fn.id].File, here, id.Name)
			if err == nil {
				f.parts(made)
				sub, line = made, here
				sub.Note = fmt.Sprintf("%s at line %d was given a copy of %s; what follows is about %s, which came of it", types.ExprString(call.Fun), here, at.v.Name(), id.Name)
			}
			break
		}
	}
	return sub
}

// isGiven reports whether a call is given a variable's value, or a part of it.
func (f *function) isGiven(call *ast.CallExpr, v types.Object) bool {
	for _, x := range call.Args {
		if id := root(x); id != nil && f.pkg.Info.Uses[id] == v {
			return true
		}
	}
	return false
}
