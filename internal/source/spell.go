package source

import (
	"go/ast"
	"go/parser"
	"go/types"
	"strings"
)

// Plain is an expression in Go's spelling. Debuggers want calls to be announced, and take the name of
// the package in front of what the package itself declares; some want it there. Lookup says what a
// name means where the expression is for.
func Plain(text string, pkg *types.Package, lookup func(name string) types.Object) string {
	text = strings.TrimPrefix(text, "call ")
	if pkg == nil || !strings.Contains(text, pkg.Name()+".") {
		return text
	}
	x, err := parser.ParseExpr(text)
	if err != nil {
		return text
	}
	return edited(text, x, func(n ast.Node) (at, end int, with string, ok bool) {
		sel, is := n.(*ast.SelectorExpr)
		if !is {
			return
		}
		id, is := sel.X.(*ast.Ident)
		if !is || id.Name != pkg.Name() || pkg.Scope().Lookup(sel.Sel.Name) == nil {
			return
		}
		switch lookup(id.Name).(type) {
		case *types.Var, *types.PkgName:
			return // something else of that name
		}
		return int(sel.X.Pos()) - 1, int(sel.Sel.Pos()) - 1, "", true
	})
}

// Qualified puts the name of the package in front of what an expression names of it: of types, which
// debuggers do not know without, and of what else is asked for.
func Qualified(text string, pkg *types.Package, lookup func(name string) types.Object, also bool) string {
	bare := strings.TrimPrefix(text, "call ")
	x, err := parser.ParseExpr(bare)
	if err != nil {
		return text
	}
	switch lookup(pkg.Name()).(type) {
	case *types.Var, *types.PkgName:
		return text
	}
	members := map[*ast.Ident]bool{}
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			members[n.Sel] = true
			if id, ok := n.X.(*ast.Ident); ok && id.Name == pkg.Name() {
				members[id] = true // it stands there, and a function of that name has no members
			}
		case *ast.KeyValueExpr:
			if id, ok := n.Key.(*ast.Ident); ok {
				members[id] = true
			}
		}
		return true
	})
	return text[:len(text)-len(bare)] + edited(bare, x, func(n ast.Node) (at, end int, with string, ok bool) {
		id, is := n.(*ast.Ident)
		if !is || members[id] {
			return
		}
		obj := lookup(id.Name)
		if obj == nil || obj.Parent() != pkg.Scope() {
			return
		}
		if _, typ := obj.(*types.TypeName); !typ && !also {
			return
		}
		return int(id.Pos()) - 1, int(id.Pos()) - 1, pkg.Name() + ".", true
	})
}

// edited is a text with the edits that a function asks for at the nodes of its syntax tree, in order.
func edited(text string, x ast.Expr, edit func(ast.Node) (at, end int, with string, ok bool)) string {
	var b strings.Builder
	done := 0
	ast.Inspect(x, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		if at, end, with, ok := edit(n); ok && at >= done && end <= len(text) {
			b.WriteString(text[done:at])
			b.WriteString(with)
			done = end
		}
		return true
	})
	return b.String() + text[done:]
}

// Text is a node as it is written.
func (s *Source) Text(n ast.Node) string {
	f := s.FileOf(n.Pos())
	if f == nil {
		return ""
	}
	return string(f.Text[f.tok.Offset(n.Pos()):f.tok.Offset(n.End())])
}
