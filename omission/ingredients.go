package omission

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
)

// What a text is made of is often gathered in a value that is replaced again and again, as `style = style.Bold()`, or the request of a
// builder that is passed by value. That it was not replaced once more is an omission on the text.

// maxIngredients is through how many variables it is followed what a value was made of.
const maxIngredients = 3

// ingredients adds to a variable those that an expression was made of until a moment of an activation, as far as they gather something:
// somewhere they are given what is made of themselves. It gives their names.
func (f *Finder) ingredients(s *Subject, at step, x ast.Expr) (names []string) {
	if x == nil {
		return nil
	}
	level := map[types.Object]bool{}
	at.fn.variablesIn(x, func(v types.Object) { level[v] = true })
	seen := maps.Clone(level)
	whole := at.fn.variable(ast.Unparen(x)) // which is what was copied, see copiedFrom
	for range maxIngredients {
		for _, u := range slices.SortedFunc(maps.Keys(level), func(a, b types.Object) int { return int(a.Pos() - b.Pos()) }) {
			if u != whole && at.fn.replaces(u) && !s.Vars[u] {
				s.Vars[u] = true
				names = append(names, fmt.Sprintf("%s at %s", u.Name(), f.place(at.fn, u.Pos())))
			}
		}
		next := map[types.Object]bool{}
		for _, visit := range at.trace[:at.i+1] {
			at.fn.usedFor(visit.node.at, level, func(u types.Object) {
				if !seen[u] {
					seen[u], next[u] = true, true
				}
			})
		}
		level = next
	}
	return names
}

// variablesIn calls do with the variables of functions that an expression mentions.
func (f *function) variablesIn(x ast.Expr, do func(types.Object)) {
	ast.Inspect(x, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := f.pkg.Info.Uses[id].(*types.Var); ok && !v.IsField() && v.Parent() != v.Pkg().Scope() {
				do(v)
			}
		}
		return true
	})
}

// usedFor calls do with the variables whose values a node puts into one of some: in an assignment to it, or as arguments of a method that is
// called of it.
func (f *function) usedFor(n ast.Node, into map[types.Object]bool, do func(types.Object)) {
	switch st := n.(type) {
	case *ast.AssignStmt:
		for i, x := range st.Lhs {
			if id, ok := ast.Unparen(x).(*ast.Ident); !ok || !into[f.pkg.Info.ObjectOf(id)] {
				continue
			}
			if len(st.Rhs) == len(st.Lhs) {
				f.variablesIn(st.Rhs[i], do)
				continue
			}
			for _, y := range st.Rhs {
				f.variablesIn(y, do)
			}
		}
	case *ast.ExprStmt:
		call, ok := ast.Unparen(st.X).(*ast.CallExpr)
		if !ok {
			return
		}
		if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
			if id := root(sel.X); id != nil && into[f.pkg.Info.Uses[id]] {
				for _, y := range call.Args {
					f.variablesIn(y, do)
				}
			}
		}
	}
}

// replaces reports whether the function somewhere gives a variable what is made of itself, as append and methods of values do, or += of texts.
// Numbers that are counted are not meant.
func (f *function) replaces(v types.Object) bool {
	if b, ok := v.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsString == 0 {
		return false
	}
	return slices.ContainsFunc(f.graph.nodes, func(n *node) bool {
		st, ok := n.at.(*ast.AssignStmt)
		if !ok || len(st.Lhs) != 1 {
			return false
		}
		id, ok := ast.Unparen(st.Lhs[0]).(*ast.Ident)
		if !ok || f.pkg.Info.ObjectOf(id) != v {
			return false
		}
		itself := st.Tok != token.ASSIGN && st.Tok != token.DEFINE
		f.variablesIn(st.Rhs[0], func(u types.Object) { itself = itself || u == v })
		return itself
	})
}
