package reference

import (
	"go/ast"
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
	for _, n := range slices.Backward(before(pkg, stmt)) {
		switch s := n.(type) {
		case *ast.AssignStmt, *ast.IncDecStmt, *ast.DeclStmt, *ast.ExprStmt, *ast.EmptyStmt:
			if assigns(pkg, s.(ast.Stmt), v) {
				return true
			}
			if history.Calls(pkg.Info, s) {
				return false
			}
		case *ast.RangeStmt:
			return mentions(pkg, s.Key, v) || mentions(pkg, s.Value, v)
		case *ast.FuncDecl, *ast.FuncLit:
			return true // parameters come in registers
		case ast.Expr:
			if history.Calls(pkg.Info, s) {
				return false
			}
		case *ast.IfStmt:
			if history.Calls(pkg.Info, s.Cond) || s.Else != nil || !leaves(s.Body) && stores(pkg, s.Body) {
				return false
			}
		default:
			return false
		}
	}
	return false
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
			list = n.List
		case *ast.CaseClause:
			list = n.Body
			for _, x := range slices.Backward(n.List) {
				out = append(out, x)
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

// assigns reports whether a statement gives a variable a value.
func assigns(pkg *history.Package, s ast.Stmt, v types.Object) bool {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return slices.ContainsFunc(s.Lhs, func(x ast.Expr) bool { return mentions(pkg, x, v) })
	case *ast.IncDecStmt:
		return mentions(pkg, s.X, v)
	case *ast.DeclStmt:
		return mentions(pkg, s, v)
	}
	return false
}

func mentions(pkg *history.Package, n ast.Node, v types.Object) bool {
	found := false
	if n == nil {
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
