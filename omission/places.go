package omission

import (
	"go/ast"
	"go/token"
	"go/types"
)

// place is where the value of an expression lies: in which field or element of what. It is not known of variables, and of what is computed.
func (f *function) place(x ast.Expr) (holding, bool) {
	switch x := ast.Unparen(x).(type) {
	case *ast.IndexExpr:
		if container(typeOf(f, x.X)) {
			return holding{owner: x.X, field: elements}, true
		}
	case *ast.UnaryExpr:
		if x.Op == token.ARROW {
			return holding{owner: x.X, field: elements}, true
		}
		return holding{}, false
	case *ast.SelectorExpr:
		if f.pkg.Info.Selections[x] == nil {
			return holding{}, false
		}
	case *ast.StarExpr:
	default:
		return holding{}, false
	}
	owner, field, _ := f.operand(ast.Unparen(x))
	if owner == nil {
		return holding{}, false
	}
	return holding{owner: owner, field: field}, true
}

// places are where the values of a function's variables come from, and where they are put, as copies: of those that refer to nothing themselves,
// as structs and arrays, which share with their copies what their fields lead to.
func (f *function) places() map[types.Object][]holding {
	all := map[types.Object][]holding{}
	note := func(v ast.Expr, h holding) {
		if w := f.local(v); w != nil && !refers(w.Type()) && f.local(h.owner) != w {
			all[w] = append(all[w], h)
		}
	}
	// moved is a value that is given to something.
	moved := func(to, from ast.Expr) {
		if h, ok := f.place(from); ok {
			note(to, h)
		}
		if h, ok := f.place(to); ok {
			note(from, h)
		}
		if v := f.local(from); v != nil && f.local(to) != nil {
			note(to, holding{owner: ast.Unparen(from)})
			note(from, holding{owner: ast.Unparen(to)})
		}
	}
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.AssignStmt:
			if n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
				break
			}
			for i, l := range n.Lhs[:min(len(n.Lhs), len(n.Rhs))] { // with one value for two, the first
				moved(l, n.Rhs[i])
			}
		case *ast.ValueSpec:
			for i, id := range n.Names[:min(len(n.Names), len(n.Values))] {
				moved(id, n.Values[i])
			}
		case *ast.RangeStmt:
			if n.Value == nil {
				break
			}
			if container(typeOf(f, n.X)) {
				note(n.Value, holding{owner: n.X, field: elements})
			} else if h, ok := f.place(n.X); ok {
				note(n.Value, holding{owner: h.owner, field: joined(h.field, elements)})
			} else if f.local(n.X) != nil {
				note(n.Value, holding{owner: n.X, field: elements})
			}
		case *ast.SendStmt:
			note(n.Value, holding{owner: n.Chan, field: elements})
		case *ast.CallExpr:
			if f.appends(n) {
				for _, x := range n.Args[1:] {
					note(x, holding{owner: n, field: elements})
				}
			}
		case *ast.CompositeLit:
			f.fieldsOf(n, func(field string, x ast.Expr) { note(x, holding{owner: n, field: field}) })
		}
		return true
	})
	return all
}

// throughValues adds to what is held by variables that are values what holds the copies of these.
func (f *function) throughValues(all map[ast.Expr][]holding) {
	places := f.places()
	for x, list := range all {
		for _, h := range list {
			seen := map[types.Object]bool{}
			var follow func(h holding, hops int)
			follow = func(h holding, hops int) {
				v := f.local(h.owner)
				if v == nil || hops == 0 || seen[v] {
					return
				}
				seen[v] = true
				for _, p := range places[v] {
					copied := holding{owner: p.owner, field: joined(p.field, h.field)}
					all[x] = append(all[x], copied)
					follow(copied, hops-1)
				}
			}
			follow(h, maxCopies)
		}
	}
}

// fieldsOf calls do with the fields, or elements, that a literal gives a value.
func (f *function) fieldsOf(lit *ast.CompositeLit, do func(field string, x ast.Expr)) {
	st := structOf(typeOf(f, lit))
	for i, x := range lit.Elts {
		field := elements
		if kv, ok := x.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok && st != nil {
				field = id.Name
			}
			x = kv.Value
		} else if st != nil && i < st.NumFields() {
			field = st.Field(i).Name()
		}
		do(field, x)
	}
}

// local is the variable that an expression names, if it is none of a package.
func (f *function) local(x ast.Expr) types.Object {
	if x == nil {
		return nil
	}
	id, ok := ast.Unparen(x).(*ast.Ident)
	if !ok {
		return nil
	}
	if v, ok := f.pkg.Info.ObjectOf(id).(*types.Var); ok && !v.IsField() && v.Pkg() != nil && !inPackage(v) {
		return v
	}
	return nil
}

// appends reports whether a call appends single values.
func (f *function) appends(n *ast.CallExpr) bool {
	id, ok := ast.Unparen(n.Fun).(*ast.Ident)
	return ok && id.Name == "append" && f.pkg.Info.Types[n.Fun].IsBuiltin() && !n.Ellipsis.IsValid() && len(n.Args) > 0
}
