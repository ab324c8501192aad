package omission

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"misstep/history"
	"misstep/internal/source"
)

// A copied variable is one that holds a copy, and of what.
type copiedVariable struct {
	v types.Object
	// from is what it is a copy of, in the function itself; nil of a parameter, which is the
	// nth.
	from  ast.Expr
	param int
	at    token.Pos
	how   string
}

// readsChanged reports whether a function reads, anywhere, a field of a variable that a node
// changes.
func (f *function) readsChanged(n *node, v types.Object) bool {
	changed := map[string]bool{}
	stored := map[ast.Expr]bool{}
	for _, x := range n.stores() {
		if w, field := f.partOf(x); w == v {
			changed[field] = true
		}
	}
	found := false
	is := func(x ast.Expr) bool {
		id, ok := ast.Unparen(x).(*ast.Ident)
		return ok && f.pkg.Info.Uses[id] == v
	}
	var visit func(x ast.Node) bool
	visit = func(x ast.Node) bool {
		if e, ok := x.(ast.Expr); ok && stored[e] {
			if index, ok := e.(*ast.IndexExpr); ok {
				ast.Inspect(index.Index, visit)
			}
			return false
		}
		switch x := x.(type) {
		case *ast.AssignStmt:
			if x.Tok == token.ASSIGN {
				for _, l := range x.Lhs {
					stored[l] = true
				}
			}
		case *ast.SelectorExpr:
			if s := f.pkg.Info.Selections[x]; is(x.X) && s != nil && s.Kind() != types.FieldVal {
				found = true // a method may read all
			}
			if w, field := f.partOf(x); w == v {
				for c := range changed {
					found = found || overlap(c, field)
				}
				return false
			}
		case *ast.Ident:
			found = found || is(x) // as a whole, or its address
		}
		return !found
	}
	ast.Inspect(f.node, visit)
	return found
}

// copiedVariables are the variables of a function that are given copies of values others
// hold.
func (f *function) copiedVariables() []copiedVariable {
	info := f.pkg.Info
	var list []copiedVariable
	for i, v := range f.params {
		if v == nil {
			continue
		}
		switch v.Type().Underlying().(type) {
		case *types.Struct, *types.Array:
			how := "a parameter that is a value, copied at %s"
			if d, ok := f.node.(*ast.FuncDecl); ok && d.Recv != nil && i == 0 {
				how = "a receiver that is a value, copied at %s"
			}
			list = append(list, copiedVariable{v: v, param: i, at: v.Pos(), how: how})
		case *types.Slice:
			list = append(list, copiedVariable{v: v, param: i, at: v.Pos(), how: "a parameter, given the slice at %s"})
		}
	}
	add := func(x ast.Expr, from ast.Expr, how string) {
		id, ok := x.(*ast.Ident)
		if !ok || from == nil {
			return
		}
		v, ok := info.ObjectOf(id).(*types.Var)
		if !ok || v.Parent() == v.Pkg().Scope() {
			return
		}
		list = append(list, copiedVariable{v: v, from: from, at: id.Pos(), how: how})
	}
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.RangeStmt:
			if n.Value != nil && aggregate(info.TypeOf(n.Value)) {
				add(n.Value, n.X, "a variable of the range at %s")
			}
		case *ast.AssignStmt:
			if len(n.Lhs) != len(n.Rhs) {
				if len(n.Rhs) == 1 && len(n.Lhs) == 2 && aggregate(info.TypeOf(n.Lhs[0])) {
					if x, ok := ast.Unparen(n.Rhs[0]).(*ast.IndexExpr); ok {
						add(n.Lhs[0], x.X, "a copy of the value that was read at %s")
					}
				}
				break
			}
			for i, x := range n.Rhs {
				f.copiedBy(n.Lhs[i], x, add)
			}
		case *ast.ValueSpec:
			if len(n.Names) == len(n.Values) {
				for i, x := range n.Values {
					f.copiedBy(n.Names[i], x, add)
				}
			}
		}
		return true
	})
	return list
}

// copiedBy notes a variable that is given a copy by an assignment.
func (f *function) copiedBy(to, value ast.Expr, add func(x, from ast.Expr, how string)) {
	t := f.pkg.Info.TypeOf(value)
	if t == nil {
		return
	}
	_, slice := t.Underlying().(*types.Slice)
	switch x := ast.Unparen(value).(type) {
	case *ast.StarExpr:
		if aggregate(t) {
			add(to, x.X, "a copy of what was there at %s")
		}
	case *ast.IndexExpr:
		if aggregate(t) && f.pkg.Info.Types[x.X].IsValue() {
			add(to, x.X, "a copy of the element that was read at %s")
		}
	case *ast.SelectorExpr:
		if slice || aggregate(t) {
			if object, field, _ := f.operand(x); object != nil && field != "" {
				how := "a copy of the field that was read at %s"
				if slice {
					how = "a variable with the slice of the field that was read at %s"
				}
				add(to, object, how)
			}
		}
	case *ast.Ident:
		if v, ok := f.pkg.Info.ObjectOf(x).(*types.Var); ok && v != nil && aggregate(t) {
			add(to, x, "a copy of the variable that was read at %s")
		}
	}
}

// aggregate reports whether values of a type are copied with all that is in them.
func aggregate(t types.Type) bool {
	if t == nil || history.IsReflectValue(t) {
		return false
	}
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return true
	}
	return false
}

// A changedPart is a statement that changes a variable's value in place, and the field or the
// element of it; no field where it is a slice that is appended to.
type changedPart struct {
	node  *node
	field string
}

// changesOf are the statements that change a variable's value in place.
func (f *function) changesOf(v types.Object) []changedPart {
	var list []changedPart
	_, slice := v.Type().Underlying().(*types.Slice)
	for _, n := range f.graph.nodes {
		for i, x := range n.stores() {
			object, field, _ := f.operand(x)
			id, ok := object.(*ast.Ident)
			if !ok || f.pkg.Info.ObjectOf(id) != v {
				continue
			}
			st, assigns := n.at.(*ast.AssignStmt)
			switch _, plain := x.(*ast.Ident); {
			case !slice && field != "":
				list = append(list, changedPart{n, field})
			case slice && plain && f.pkg.Info.Uses[id] == v && assigns && len(st.Rhs) == len(st.Lhs) && appends(f.pkg.Info, st.Rhs[i], v):
				list = append(list, changedPart{n, ""})
			}
		}
	}
	return list
}

// appends reports whether an expression appends to a variable.
func appends(info *types.Info, x ast.Expr, v types.Object) bool {
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok || len(call.Args) == 0 || !info.Types[call.Fun].IsBuiltin() {
		return false
	}
	name, ok := ast.Unparen(call.Fun).(*ast.Ident)
	id, isIdent := ast.Unparen(call.Args[0]).(*ast.Ident)
	return ok && isIdent && name.Name == "append" && info.ObjectOf(id) == v
}

// goesOn reports whether a variable's value as a whole goes anywhere from a function: it is
// returned, assigned, passed on, sent, or its address is taken.
func (f *function) goesOn(v types.Object) bool {
	info := f.pkg.Info
	parts := map[*ast.Ident]bool{} // uses that read or change a part only
	found := false
	ast.Inspect(f.node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if id, ok := ast.Unparen(n.X).(*ast.Ident); ok {
				sel := info.Selections[n]
				if sel != nil && sel.Kind() == types.FieldVal {
					parts[id] = true
				} else if fn, ok := info.Uses[n.Sel].(*types.Func); ok && sel != nil && fn.Signature().Recv() != nil && !isPointer(fn.Signature().Recv().Type()) {
					parts[id] = true
				}
			}
		case *ast.IndexExpr:
			if id, ok := ast.Unparen(n.X).(*ast.Ident); ok {
				parts[id] = true
			}
		case *ast.RangeStmt:
			if id, ok := ast.Unparen(n.X).(*ast.Ident); ok {
				parts[id] = true
			}
		case *ast.AssignStmt:
			for i, x := range n.Lhs {
				if id, ok := x.(*ast.Ident); ok {
					parts[id] = true
					if len(n.Lhs) == len(n.Rhs) && info.ObjectOf(id) == v && appends(info, n.Rhs[i], v) {
						parts[ast.Unparen(ast.Unparen(n.Rhs[i]).(*ast.CallExpr).Args[0]).(*ast.Ident)] = true
					}
				}
			}
		case *ast.CallExpr:
			if id, ok := ast.Unparen(n.Fun).(*ast.Ident); ok && info.Types[n.Fun].IsBuiltin() && (id.Name == "len" || id.Name == "cap") {
				if x, ok := ast.Unparen(n.Args[0]).(*ast.Ident); ok {
					parts[x] = true
				}
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				if root := source.Root(n.X); root != nil && info.ObjectOf(root) == v {
					found = true
				}
			}
		case *ast.Ident:
			found = found || info.Uses[n] == v && !parts[n]
		}
		return !found
	})
	// A naked return gives it.
	return found || slices.Contains(f.results(), v)
}

// results are the named results of a function.
func (f *function) results() []types.Object {
	var typ *ast.FuncType
	switch n := f.node.(type) {
	case *ast.FuncDecl:
		typ = n.Type
	case *ast.FuncLit:
		typ = n.Type
	}
	var list []types.Object
	if typ != nil && typ.Results != nil {
		for _, field := range typ.Results.List {
			for _, id := range field.Names {
				list = append(list, f.pkg.Info.Defs[id])
			}
		}
	}
	return list
}
