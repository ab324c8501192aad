package omission

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"misstep/history"
	"misstep/internal/source"
)

// An access is a touch of an object, and what an expression there does with it: it stores into a field, reads one, or both
// are false if it goes on as a whole, which whoever gets it then touches.
type access struct {
	touch
	fn *function
	a  *history.Activation
	usage
	x ast.Expr
}

// A usage is what the text says of an expression that may be an object.
type usage struct {
	field         string
	stores, reads bool
	keeps         bool // it is given to what is not recorded
	node          *node
}

// usages are what a function does with expressions that may be objects, where it does more than hand them on.
func (f *function) usages() map[ast.Expr]usage {
	if f.used != nil {
		return f.used
	}
	used := map[ast.Expr]usage{}
	for _, n := range f.graph.nodes {
		for _, x := range n.stores() {
			if object, field, _ := f.operand(x); object != nil && field != "" {
				used[object] = usage{field: field, stores: true, node: n}
			}
		}
	}
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr, *ast.IndexExpr:
			if object, field, _ := f.operand(n.(ast.Expr)); object != nil && field != "" {
				if _, known := used[object]; !known {
					used[object] = usage{field: field, reads: true}
				}
			}
		case *ast.StarExpr:
			if _, known := used[n.X]; !known {
				used[n.X] = usage{reads: true}
			}
		}
		return true
	})
	// What is not recorded may keep what it is given, and read it at any time.
	for _, c := range f.calls {
		if len(c.callees) > 0 && c.external == nil {
			continue
		}
		for _, x := range c.operands {
			if _, known := used[x]; !known && x != nil {
				used[x] = usage{reads: true, keeps: true}
			}
		}
	}
	f.used = used
	return used
}

// accesses are those of an object, in the order of time.
func (f *Finder) accesses(of *history.Instance) []access {
	if f.accessed == nil {
		f.accessed = map[*history.Instance][]access{}
		for a, touches := range f.events.touches {
			fn := f.program.funcs[a.Func]
			for _, t := range touches {
				// Only variables can be copies.
				x := f.events.exprs[t.site]
				if fn == nil || x == nil || t.of.Made < 0 || f.plan.Sites[t.of.Made].Variable == 0 {
					continue
				}
				f.accessed[t.of] = append(f.accessed[t.of], access{t, fn, a, fn.usages()[x], x})
			}
		}
		for _, list := range f.accessed {
			slices.SortFunc(list, func(x, y access) int { return cmp.Compare(x.time, y.time) })
		}
	}
	return f.accessed[of]
}

// escaped finds changes of copies of a subject, or of a subject that is a copy itself, whose address others were given, by which
// the change came about, and which nothing reads after that.
func (f *Finder) escaped(s *Subject) []*LostChange {
	var list []*LostChange
	for _, fn := range f.program.funcs {
		if fn == nil || len(f.events.byFunc[fn.id]) == 0 {
			continue
		}
		for _, c := range fn.copiedVariables() {
			if !aggregate(c.v.Type()) {
				continue
			}
			for _, copied := range f.variableInstances(c.v) {
				list = f.escapedTo(s, fn, c, copied, list)
			}
		}
	}
	slices.SortFunc(list, func(x, y *LostChange) int { return comparePlaces(x.Place, y.Place) })
	return list
}

// escapedTo adds the changes of one copy.
func (f *Finder) escapedTo(s *Subject, fn *function, c copiedVariable, copied *history.Instance, list []*LostChange) []*LostChange {
	all := f.accesses(copied)
	i := slices.IndexFunc(all, func(x access) bool { return x.fn == fn })
	if i < 0 || !slices.ContainsFunc(all, func(x access) bool { return x.stores }) || slices.ContainsFunc(all, func(x access) bool { return x.keeps }) {
		return list
	}
	place, is := f.ofSubject(s, fn, all[i].a, c)
	if !is && s.Instances[copied] && !fn.returnsAddress(c.v) {
		place, is = f.original(fn, all[i].a, c)
	}
	if !is {
		return list
	}
	for _, x := range f.thrownAway(all, fn, c) {
		if s.Field != "" && !s.concerns(x.field) {
			continue
		}
		l := f.lostChange(copyChange{x.fn, c, changedPart{x.node, x.field}}, place)
		if k := slices.IndexFunc(list, func(old *LostChange) bool { return old.Place == l.Place && old.Copied == l.Copied }); k >= 0 {
			list[k].Count++
			continue
		}
		l.Count = 1
		list = append(list, l)
	}
	return list
}

// original is where a variable was copied.
func (f *Finder) original(fn *function, a *history.Activation, c copiedVariable) (Position, bool) {
	if c.from != nil {
		return f.place(fn, c.at), true
	}
	from, call := f.calledFrom(fn, a)
	if call == nil || call.argument(fn, c.param) == nil {
		return Position{}, false
	}
	return f.place(from.fn, call.expr.Pos()), true
}

// thrownAway are the stores into a copy after which nothing reads what they stored.
func (f *Finder) thrownAway(all []access, fn *function, c copiedVariable) []access {
	var list []access
	for i, x := range all {
		if !x.stores || x.node == nil {
			continue
		}
		read := slices.ContainsFunc(all[i+1:], func(y access) bool {
			// What a statement stores into, it evaluates before what it stores.
			same := y.a == x.a && x.node.at.Pos() <= y.x.Pos() && y.x.End() <= x.node.at.End()
			return !same && (y.reads && overlap(x.field, y.field) || y.fn.readsBy(y.x, x.field))
		})
		if !read && !f.readsPart(fn, c.v, x.field) {
			list = append(list, x)
		}
	}
	return list
}

// readsBy reports whether a function reads a field by the same variable as an expression: of several in one activation, the history may
// have the first.
func (f *function) readsBy(x ast.Expr, field string) bool {
	v := f.variable(x)
	if v == nil {
		return false
	}
	for y, u := range f.usages() {
		if u.reads && overlap(field, u.field) && f.variable(y) == v {
			return true
		}
	}
	return false
}

// returnsAddress reports whether a function gives a variable's address back, so that its copy is what others have.
func (f *function) returnsAddress(v types.Object) bool {
	found := false
	ast.Inspect(f.body, func(n ast.Node) bool {
		ret, ok := n.(*ast.ReturnStmt)
		if !ok {
			return !found
		}
		for _, x := range ret.Results {
			if u, ok := ast.Unparen(x).(*ast.UnaryExpr); ok && u.Op == token.AND {
				id, ok := ast.Unparen(u.X).(*ast.Ident)
				found = found || ok && f.pkg.Info.ObjectOf(id) == v
			}
		}
		return !found
	})
	return found
}

// readsPart reports whether a function reads, anywhere, a field of its variable by the variable's name, or all of it.
// What others do by its address, the history tells.
func (f *Finder) readsPart(fn *function, v types.Object, field string) bool {
	info := fn.pkg.Info
	found := false
	ast.Inspect(fn.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if w, g := fn.partOf(n); w == v {
				found = found || overlap(field, g) && !fn.usages()[source.Root(n)].stores
				return false
			}
			id, ok := ast.Unparen(n.X).(*ast.Ident)
			if method, is := info.Uses[n.Sel].(*types.Func); ok && is && info.ObjectOf(id) == v {
				recv := method.Signature().Recv()
				if recv != nil && isPointer(recv.Type()) && method.Pkg() != nil && f.program.byPkg[method.Pkg().Path()] != nil {
					return false
				}
			}
		case *ast.UnaryExpr:
			if id, ok := ast.Unparen(n.X).(*ast.Ident); ok && n.Op == token.AND && info.ObjectOf(id) == v {
				return false
			}
		case *ast.Ident:
			found = found || info.Uses[n] == v
		}
		return !found
	})
	return found
}
