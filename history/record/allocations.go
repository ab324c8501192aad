package record

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"misstep/history"
)

// elements goes on inside of a composite literal. Literals whose types are left out
// cannot be passed on.
func (b *body) elements(n *ast.CompositeLit) {
	for _, e := range n.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if _, field := kv.Key.(*ast.Ident); !field {
				b.element(kv.Key)
			}
			b.element(kv.Value)
			continue
		}
		b.element(e)
	}
}

func (b *body) element(x ast.Expr) {
	if c, ok := x.(*ast.CompositeLit); ok && c.Type == nil {
		b.elements(c)
		return
	}
	b.got(x)
}

// fresh passes a new object on.
func (b *body) fresh(n ast.Expr, pass string, kind history.Kind, inside func()) {
	site := b.site(kind, n.Pos())
	b.in.plan.Sites[site].Type, b.in.plan.Sites[site].End = b.in.short(b.in.pkg.Info.TypeOf(n)), b.in.offset(n.End())
	b.in.insert(n.Pos(), fmt.Sprintf("%s%s(%s, %d, ", b.in.qualifier, pass, buffer, site))
	inside()
	b.in.insert(n.End(), ")")
}

// makes passes on what new, make and append give, and the operands of the builtins
// that change an object.
func (b *body) makes(n *ast.CallExpr) bool {
	info := b.in.pkg.Info
	if fn := history.Callee(info, n); fn != nil && fn.FullName() == "reflect.New" {
		b.fresh(n, "MisstepRNew", history.Alloc, func() { b.expr(n.Args[0]) })
		return true
	}
	id, ok := ast.Unparen(n.Fun).(*ast.Ident)
	if !ok || !info.Types[n.Fun].IsBuiltin() {
		return false
	}
	args := func() {
		for _, x := range n.Args {
			if !info.Types[x].IsType() {
				b.expr(x)
			}
		}
	}
	t := info.TypeOf(n)
	switch id.Name {
	case "new":
		b.fresh(n, "MisstepNew", history.Alloc, args)
		return true
	case "make":
		switch {
		case passes(t) == "":
			return false
		case isSlice(t):
			b.fresh(n, "MisstepSlice", history.Alloc, args)
		default:
			b.fresh(n, "MisstepMake", history.Alloc, args)
		}
		return true
	case "append":
		if passes(t) == "" {
			return false
		}
		b.fresh(n, "MisstepSlice", history.Append, args)
		return true
	case "delete", "clear", "copy", "close":
		for i, x := range n.Args {
			if i > 0 || !b.object(x, history.Store) {
				b.expr(x)
			}
		}
		return true
	}
	return false
}

// stored goes through the left side of an assignment.
func (b *body) stored(x ast.Expr) {
	if x != nil && !b.touches(ast.Unparen(x), history.Store) {
		b.expr(x)
	}
}

// objectless reports whether nothing in a node can lead to an object.
func (in *instrumenter) objectless(n ast.Node) bool {
	if !in.objects {
		return true
	}
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IndexExpr, *ast.StarExpr, *ast.CompositeLit:
			found = true
		case *ast.SelectorExpr:
			found = found || in.pkg.Info.Selections[n] != nil
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND || n.Op == token.ARROW
		case *ast.CallExpr:
			found = found || !in.pkg.Info.Types[n.Fun].IsType()
		case *ast.Ident:
			// A parameter is passed in.
			if v, ok := in.pkg.Info.Defs[n].(*types.Var); ok && passes(v.Type()) != "" {
				found = true
			}
		case *ast.ReturnStmt:
			for _, x := range n.Results {
				found = found || passes(in.pkg.Info.TypeOf(x)) != ""
			}
		}
		return !found
	})
	return !found
}

func isSlice(t types.Type) bool {
	_, ok := t.Underlying().(*types.Slice)
	return ok
}

func isSliceOrMap(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Slice, *types.Map:
		return true
	}
	return false
}
