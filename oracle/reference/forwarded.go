package reference

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/astutil"

	"misstep/history"
)

// forwarded reports whether the compiler may use the value that it has just stored in a
// variable, instead of the variable's, at a statement: even without optimisation it
// forwards a store to the loads after it, up to a call, another store or a place
// where two paths with such meet. What a debugger assigns to the variable there comes
// too late for the statement.
func forwarded(pkg *history.Package, stmt ast.Stmt, v types.Object) bool {
	stored, _ := reaching(pkg, before(pkg, stmt), v)
	return stored
}

// pending reports whether the compiler may use what it has stored before a statement, instead of what lies in memory then, in
// any place that a function which is called there can change.
func pending(pkg *history.Package, stmt ast.Stmt) bool { return forwarded(pkg, stmt, nil) }

// reaching looks for the store that reaches the end of what is executed one after the other: one to a variable, or
// without one to any place that a function can change. Known is false if it may be further up.
func reaching(pkg *history.Package, way []ast.Node, v types.Object) (stored, known bool) {
	for _, n := range slices.Backward(way) {
		if l, ok := n.(*ast.LabeledStmt); ok {
			n = l.Stmt
		}
		switch s := n.(type) {
		case *ast.AssignStmt, *ast.IncDecStmt, *ast.DeclStmt, *ast.ExprStmt, *ast.EmptyStmt:
			if assigns(pkg, s.(ast.Stmt), v) {
				return true, true
			}
			if history.Calls(pkg.Info, s) {
				return false, true
			}
		case *ast.RangeStmt:
			return storesInto(pkg, s.Key, v) || storesInto(pkg, s.Value, v), true
		case *ast.FuncDecl, *ast.FuncLit:
			return v != nil, true // parameters come in registers
		case ast.Expr:
			if history.Calls(pkg.Info, s) {
				return false, true
			}
		case *ast.BlockStmt:
			if stored, known := reaching(pkg, nodes(s), v); known {
				return stored, true
			}
		case *ast.ForStmt:
			if holds, known := constantly(pkg, s.Cond); known && !holds {
				continue // none of it is compiled
			}
			// One without a condition has a single way out where it has a single break.
			if out := breaks(s); s.Cond == nil && len(out) == 1 {
				return forwarded(pkg, out[0], v), true
			}
			return false, true
		case *ast.IfStmt:
			if holds, known := constantly(pkg, s.Cond); known {
				var way []ast.Node
				switch {
				case holds:
					way = nodes(s.Body)
				case s.Else != nil:
					way = []ast.Node{s.Else}
				}
				if stored, known := reaching(pkg, way, v); known {
					return stored, true
				}
				continue
			}
			other, _ := s.Else.(*ast.BlockStmt)
			through := s.Body
			switch {
			case s.Else == nil && (leaves(s.Body) || !stores(pkg, s.Body)):
				through = nil
			case other != nil && leaves(s.Body):
				through = other
			case other == nil || !leaves(other):
				return false, true // two ways meet
			}
			if through != nil {
				if stored, known := reaching(pkg, nodes(through), v); known {
					return stored, true
				}
			}
			if history.Calls(pkg.Info, s.Cond) {
				return false, true
			}
			if s.Init != nil {
				if stored, known := reaching(pkg, []ast.Node{s.Init}, v); known {
					return stored, true
				}
			}
		default:
			return false, true
		}
	}
	return false, false
}

// constantly reports whether a condition holds that constants decide; not known if they do not.
func constantly(pkg *history.Package, x ast.Expr) (holds, known bool) {
	if x == nil {
		return false, false
	}
	if v := pkg.Info.Types[x].Value; v != nil && v.Kind() == constant.Bool {
		return constant.BoolVal(v), true
	}
	b, ok := ast.Unparen(x).(*ast.BinaryExpr)
	if !ok || b.Op != token.LAND && b.Op != token.LOR {
		return false, false
	}
	left, known := constantly(pkg, b.X)
	switch {
	case known && left == (b.Op == token.LOR):
		return left, true
	case known:
		return constantly(pkg, b.Y)
	}
	return false, false
}

func nodes(b *ast.BlockStmt) []ast.Node {
	out := make([]ast.Node, len(b.List))
	for i, s := range b.List {
		out[i] = s
	}
	return out
}

// breaks are the statements that leave a loop for what comes after it; those with a label leave
// some loop or other.
func breaks(loop *ast.ForStmt) []ast.Stmt {
	var out []ast.Stmt
	var look func(n ast.Node, inner bool)
	look = func(n ast.Node, inner bool) {
		ast.Inspect(n, func(m ast.Node) bool {
			switch m := m.(type) {
			case *ast.FuncLit:
				return false
			case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
				if m != n {
					look(m, true)
					return false
				}
			case *ast.BranchStmt:
				if m.Tok == token.BREAK && (!inner || m.Label != nil) || m.Tok == token.GOTO {
					out = append(out, m)
				}
			}
			return true
		})
	}
	look(loop, false)
	return out
}

// before lists what is executed on the way to a statement: statements in front of
// it, conditions around it, and what all that is the body of, outermost first.
func before(pkg *history.Package, stmt ast.Stmt) []ast.Node {
	var file *ast.File
	for _, f := range pkg.Files {
		if f.FileStart <= stmt.Pos() && stmt.Pos() < f.FileEnd {
			file = f
		}
	}
	if file == nil {
		return nil
	}
	path, _ := astutil.PathEnclosingInterval(file, stmt.Pos(), stmt.End())
	i := slices.IndexFunc(path, func(n ast.Node) bool { return n == ast.Node(stmt) })
	var out []ast.Node // innermost first
	for child := ast.Node(stmt); i >= 0 && i+1 < len(path); i++ {
		var list []ast.Stmt
		switch n := path[i+1].(type) {
		case *ast.BlockStmt:
			switch child.(type) {
			case *ast.CaseClause, *ast.CommClause: // none of them is on the way to another
			default:
				list = n.List
			}
		case *ast.CaseClause:
			list = n.Body
			for _, x := range slices.Backward(n.List) {
				out = append(out, x)
			}
		case *ast.CommClause:
			list = n.Body
			if n.Comm != nil && child != ast.Node(n.Comm) {
				list = append([]ast.Stmt{n.Comm}, n.Body...)
			}
		case *ast.IfStmt:
			if child != ast.Node(n.Cond) {
				out = append(out, n.Cond)
			}
			if n.Init != nil {
				out = append(out, n.Init)
			}
		case *ast.SwitchStmt:
			if n.Tag != nil {
				out = append(out, n.Tag)
			}
			if n.Init != nil {
				out = append(out, n.Init)
			}
		case *ast.ForStmt: // where each iteration begins, two ways meet
			return reversed(out)
		default: // a function, a loop and the like
			return append([]ast.Node{n}, reversed(out)...)
		}
		at := slices.IndexFunc(list, func(s ast.Stmt) bool { return ast.Node(s) == child })
		for at--; at >= 0; at-- {
			out = append(out, list[at])
		}
		child = path[i+1]
	}
	return reversed(out)
}

func reversed(list []ast.Node) []ast.Node {
	slices.Reverse(list)
	return list
}

// leaves reports whether a block ends with a statement that goes elsewhere.
func leaves(b *ast.BlockStmt) bool {
	if len(b.List) == 0 {
		return false
	}
	switch s := b.List[len(b.List)-1].(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return true
	case *ast.ExprStmt:
		c, ok := s.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		id, ok := c.Fun.(*ast.Ident)
		return ok && id.Name == "panic"
	}
	return false
}

// stores reports whether a block assigns to anything or calls.
func stores(pkg *history.Package, b *ast.BlockStmt) bool {
	found := history.Calls(pkg.Info, b)
	ast.Inspect(b, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.AssignStmt, *ast.IncDecStmt, *ast.DeclStmt, *ast.RangeStmt:
			found = true
		}
		return !found
	})
	return found
}

// assigns reports whether a statement gives a variable a value; without a variable, one that a function which is called can
// change.
func assigns(pkg *history.Package, s ast.Stmt, v types.Object) bool {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return slices.ContainsFunc(s.Lhs, func(x ast.Expr) bool { return storesInto(pkg, x, v) })
	case *ast.IncDecStmt:
		return storesInto(pkg, s.X, v)
	case *ast.DeclStmt:
		d, _ := s.Decl.(*ast.GenDecl)
		return mentions(pkg, s, v) || v == nil && d != nil && slices.ContainsFunc(d.Specs, func(s ast.Spec) bool {
			vars, is := s.(*ast.ValueSpec)
			return is && slices.ContainsFunc(vars.Names, func(id *ast.Ident) bool { return storesInto(pkg, id, nil) })
		})
	}
	return false
}

// storesInto reports whether what is assigned to lies in a variable, or without one, where a function that is called can change it.
func storesInto(pkg *history.Package, x ast.Expr, v types.Object) bool {
	if x == nil || v != nil {
		return mentions(pkg, x, v)
	}
	id, ok := ast.Unparen(x).(*ast.Ident)
	if !ok {
		return true
	}
	local, ok := pkg.Info.ObjectOf(id).(*types.Var)
	if !ok {
		return id.Name != "_"
	}
	return local.Parent() == pkg.Types.Scope() || exposed(pkg, local)
}

// exposed reports whether others than its function may change a local variable: a literal mentions it, its address is taken, or may be
// by a method or a slice of it.
func exposed(pkg *history.Package, v *types.Var) bool {
	switch v.Type().Underlying().(type) {
	case *types.Struct, *types.Array:
		return true
	}
	if _, named := types.Unalias(v.Type()).(*types.Named); named {
		return true
	}
	found := false
	for _, f := range pkg.Files {
		if v.Pos() < f.FileStart || v.Pos() >= f.FileEnd {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.UnaryExpr:
				found = found || n.Op == token.AND && mentions(pkg, n.X, v)
			case *ast.FuncLit:
				found = found || (v.Pos() < n.Pos() || v.Pos() >= n.End()) && mentions(pkg, n.Body, v)
			}
			return !found
		})
	}
	return found
}

func mentions(pkg *history.Package, n ast.Node, v types.Object) bool {
	found := false
	if n == nil || v == nil {
		return false
	}
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && (pkg.Info.Uses[id] == v || pkg.Info.Defs[id] == v) {
			found = true
		}
		return !found
	})
	return found
}

// afterCall reports whether a call comes right before a statement, so that the compiler uses no value that
// it has stored in, or loaded from, a part of a variable or what one leads to.
func afterCall(pkg *history.Package, stmt ast.Stmt, v types.Object) bool {
	way := before(pkg, stmt)
	if len(way) == 0 {
		return false
	}
	switch s := way[len(way)-1].(type) {
	case *ast.ExprStmt:
		return history.Calls(pkg.Info, s)
	case *ast.AssignStmt:
		for _, x := range s.Lhs {
			if _, ok := x.(*ast.Ident); !ok || assigns(pkg, s, v) {
				return false
			}
		}
		return history.Calls(pkg.Info, s)
	}
	return false
}
