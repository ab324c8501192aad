package omission

import (
	"cmp"
	"go/ast"
	"go/types"
	"maps"
	"slices"

	"misstep/history"
)

// A holding is an expression whose value a field holds then: a field that is read, a value
// that is assigned to one, or that a literal gives it; or what a method gives that is not recorded, or not known.
type holding struct {
	owner ast.Expr
	field string
	// given says that it is a method's result, which may be a copy.
	given bool
}

// holdings are those of a function's expressions.
func (f *function) holdings() map[ast.Expr]holding {
	info := f.pkg.Info
	list := map[ast.Expr]holding{}
	note := func(value, place ast.Expr) {
		value = ast.Unparen(value)
		t := info.TypeOf(value)
		if sel, ok := ast.Unparen(place).(*ast.SelectorExpr); ok && t != nil && refers(t) && info.Selections[sel] != nil {
			if owner, field, _ := f.operand(sel); owner != nil && field != "" {
				list[value] = holding{owner: owner, field: field}
			}
		}
	}
	var literal func(x, owner ast.Expr, in string) // of the field of the owner that the literal is for, or all of it
	literal = func(x, owner ast.Expr, in string) {
		lit, ok := ast.Unparen(x).(*ast.CompositeLit)
		if !ok {
			return
		}
		st := structOf(typeOf(f, lit))
		for i, e := range lit.Elts {
			name := ""
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				if id, ok := kv.Key.(*ast.Ident); ok {
					name, e = id.Name, kv.Value
				}
			} else if st != nil && i < st.NumFields() {
				name = st.Field(i).Name()
			}
			switch t := info.TypeOf(e); {
			case name == "" || t == nil:
			case refers(t):
				list[ast.Unparen(e)] = holding{owner: owner, field: joined(in, name)}
			default:
				literal(e, owner, joined(in, name))
			}
		}
	}
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.SelectorExpr:
			note(n, n)
		case *ast.AssignStmt:
			if len(n.Lhs) == len(n.Rhs) {
				for i, x := range n.Rhs {
					note(x, n.Lhs[i])
					literal(x, n.Lhs[i], "")
				}
			}
		case *ast.ValueSpec:
			if len(n.Names) == len(n.Values) {
				for i, x := range n.Values {
					literal(x, n.Names[i], "")
				}
			}
		case *ast.UnaryExpr:
			literal(n.X, n, "")
		}
		return true
	})
	for _, c := range f.calls {
		// A map has no other place than that which the method knows, if it is the same each time.
		sel, ok := ast.Unparen(c.expr.Fun).(*ast.SelectorExpr)
		if t := info.TypeOf(c.expr); ok && t != nil && len(c.expr.Args) == 0 && info.Selections[sel] != nil && (c.dynamic || c.external != nil) && isMap(t) {
			list[c.expr] = holding{sel.X, sel.Sel.Name + "()", true}
		}
	}
	return list
}

// isMap reports whether values of a type are maps.
func isMap(t types.Type) bool {
	_, ok := t.Underlying().(*types.Map)
	return ok
}

// container reports whether values of a type are maps, slices or channels.
func container(t types.Type) bool {
	if t == nil {
		return false
	}
	switch t.Underlying().(type) {
	case *types.Map, *types.Slice, *types.Chan:
		return true
	}
	return false
}

// parts finds the containers that fields of a subject's objects held in the run.
func (f *Finder) parts(s *Subject) {
	if len(s.Instances) == 0 || s.Type == nil {
		return
	}
	for field, set := range f.held(s, container) {
		part := f.ofInstances(field, byFirst(set))
		s.Parts = append(s.Parts, part)
	}
	slices.SortFunc(s.Parts, func(a, b *Subject) int { return cmp.Compare(a.Name, b.Name) })
}

// byFirst is a set of objects in the order in which they came.
func byFirst(set map[*history.Instance]bool) []*history.Instance {
	return slices.SortedFunc(maps.Keys(set), func(a, b *history.Instance) int {
		return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(a.String(), b.String()))
	})
}

// held are the objects that fields of a subject's objects held in the run, by the fields: of
// those types that are wanted.
func (f *Finder) held(s *Subject, wanted func(types.Type) bool) map[string]map[*history.Instance]bool {
	held := map[string]map[*history.Instance]bool{}
	given := map[*history.Instance]int{}
	known := map[int]map[ast.Expr]holding{}
	for a, touches := range f.events.touches {
		fn := f.program.funcs[a.Func]
		if fn == nil {
			continue
		}
		list, ok := known[a.Func]
		if !ok {
			list = fn.holdings()
			known[a.Func] = list
		}
		if len(list) == 0 {
			continue
		}
		for _, t := range touches {
			x := ast.Unparen(f.events.exprs[t.site])
			h, ok := list[x]
			if !ok || s.Instances[t.of] || !wanted(fn.pkg.Info.TypeOf(x)) {
				continue
			}
			if v := fn.variable(h.owner); v == nil || !s.Vars[v] {
				if owner, ok := f.events.is(f.program, a, h.owner, t.time); !ok || !s.Instances[owner.of] {
					continue
				}
			}
			if h.given {
				if given[t.of]++; given[t.of] < 2 {
					continue
				}
			}
			if held[h.field] == nil {
				held[h.field] = map[*history.Instance]bool{}
			}
			held[h.field][t.of] = true
		}
	}
	return held
}
