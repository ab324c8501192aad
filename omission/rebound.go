package omission

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"

	"misstep/history"
)

// Values that are never changed, but of which changed ones are made, such as requests, contexts and loggers, are omitted to be
// changed where the new one comes nowhere: r = r.WithContext(ctx) in a function that was given r, and does not give it back.

// makers are functions that make a changed one of what they are given, by their names.
var makers = regexp.MustCompile(`^[Ww]ith($|[^a-z])|^(add|append|insert|merge|put|set|update)($|[^a-z])`)

// A rebinding is a statement that gives a parameter a new value, which is made of the old one and does not leave the function.
type rebinding struct {
	node  *node
	v     types.Object
	param int
	call  *ast.CallExpr
}

// rebindings are those of a function.
func (f *function) rebindings() []rebinding {
	var list []rebinding
	for _, n := range f.graph.nodes {
		st, ok := n.at.(*ast.AssignStmt)
		if !ok || st.Tok != token.ASSIGN || len(st.Lhs) != 1 || len(st.Rhs) != 1 {
			continue
		}
		id, ok := st.Lhs[0].(*ast.Ident)
		call, calls := ast.Unparen(st.Rhs[0]).(*ast.CallExpr)
		if !ok || !calls {
			continue
		}
		v, _ := f.pkg.Info.ObjectOf(id).(*types.Var)
		param := slices.Index(f.params, v)
		fn := history.Callee(f.pkg.Info, call)
		if v == nil || param < 0 || !refers(v.Type()) || fn == nil || !makers.MatchString(fn.Name()) && !changers.MatchString(fn.Name()) {
			continue
		}
		if mentions(f, call, v) && !f.leaves(v) {
			list = append(list, rebinding{n, v, param, call})
		}
	}
	return list
}

// givesBack reports whether a result is a variable's value, or may be made of it: what a method says of it is not.
func (f *function) givesBack(x ast.Expr, v types.Object) bool {
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok || f.pkg.Info.Types[call.Fun].IsType() {
		return mentions(f, x, v)
	}
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && mentions(f, sel.X, v) && types.Identical(f.pkg.Info.TypeOf(call), v.Type()) {
		return true
	}
	return slices.ContainsFunc(call.Args, func(x ast.Expr) bool { return mentions(f, x, v) })
}

// leaves reports whether a variable's value may leave a function: it is returned, stored or sent, a literal has it, or others are given its
// address. That others are given the value is not enough.
func (f *function) leaves(v types.Object) bool {
	found := slices.Contains(f.results(), v)
	is := func(x ast.Expr) bool {
		id, ok := ast.Unparen(x).(*ast.Ident)
		return ok && f.pkg.Info.Uses[id] == v
	}
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.GoStmt:
			found = found || mentions(f, n, v)
		case *ast.ReturnStmt:
			for _, x := range n.Results {
				found = found || f.givesBack(x, v)
			}
		case *ast.AssignStmt:
			for _, x := range n.Rhs {
				found = found || is(x)
			}
		case *ast.ValueSpec:
			found = found || slices.ContainsFunc(n.Values, is)
		case *ast.CompositeLit:
			for _, x := range n.Elts {
				if kv, ok := x.(*ast.KeyValueExpr); ok {
					x = kv.Value
				}
				found = found || is(x)
			}
		case *ast.SendStmt:
			found = found || is(n.Value)
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && is(n.X)
		}
		return !found
	})
	return found
}

// rebound finds new values that were made of some objects, and given to a parameter only, while whoever gave the object as an argument went
// on with it.
func (f *Finder) rebound(of map[*history.Instance]bool) []*LostChange {
	var list []*LostChange
	if len(of) == 0 {
		return nil
	}
	for _, fn := range f.program.funcs {
		if fn == nil || len(f.events.byFunc[fn.id]) == 0 {
			continue
		}
		for _, r := range fn.rebindings() {
			var l *LostChange
			for _, a := range f.events.byFunc[fn.id] {
				n := copyChange{changedPart: changedPart{node: r.node}}.count(f.trace(fn, a))
				from, call := f.calledFrom(fn, a)
				if n == 0 || call == nil {
					continue
				}
				x := call.argument(fn, r.param)
				if x == nil {
					continue
				}
				given, ok := f.events.is(f.program, from.a, x, a.Start)
				if !ok || !of[given.of] || !f.touchedAfter(given.of, a.End) {
					continue
				}
				if l == nil {
					c := copiedVariable{v: r.v, param: r.param, how: "a parameter; what was given for it at %s is as it was"}
					l = f.lostChange(copyChange{fn, c, changedPart{node: r.node}}, f.place(from.fn, call.expr.Pos()))
					list = append(list, l)
				}
				l.Count += n
			}
		}
	}
	slices.SortFunc(list, func(x, y *LostChange) int { return comparePlaces(x.Place, y.Place) })
	return list
}

// touchedAfter reports whether an object was used after a time.
func (f *Finder) touchedAfter(of *history.Instance, time int64) bool {
	if time < 0 {
		return false
	}
	for _, list := range f.events.touches {
		if slices.ContainsFunc(list, func(t touch) bool { return t.of == of && t.time > time }) {
			return true
		}
	}
	return false
}

// gaveTo are the objects in what gave a variable its value, as a line ended.
func (f *Finder) gaveTo(at *heldAt, e *explainer) map[*history.Instance]bool {
	last := e.lastGiven(at)
	if last == nil {
		return nil
	}
	n := last.trace[last.i].node.at
	objects := map[*history.Instance]bool{}
	for _, t := range f.events.touches[last.a] {
		if x := f.events.exprs[t.site]; x != nil && n.Pos() <= x.Pos() && x.End() <= n.End() {
			objects[t.of] = true
		}
	}
	return objects
}
