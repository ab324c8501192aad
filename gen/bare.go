package gen

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
)

// bare is an expression without the parentheses that it does not need, as people write it: what operators do then follows from
// their precedence, and from their order. What go/parser does not read stays as it is.
func bare(text string) string {
	x, err := parser.ParseExpr(text)
	if err != nil {
		return text
	}
	x = loose(x)
	if p, ok := x.(*ast.ParenExpr); ok {
		x = p.X
	}
	var b bytes.Buffer
	if err := format.Node(&b, token.NewFileSet(), x); err != nil || bytes.ContainsRune(b.Bytes(), '\n') {
		return text
	}
	return b.String()
}

// loose takes parentheses out of an expression, but not those around all of it.
func loose(x ast.Expr) ast.Expr {
	switch x := x.(type) {
	case *ast.ParenExpr:
		x.X = loose(x.X)
	case *ast.BinaryExpr:
		p := x.Op.Precedence()
		x.X, x.Y = operand(x.X, p), operand(x.Y, p+1) // operators of one precedence go from left to right
	case *ast.UnaryExpr:
		x.X = operand(x.X, token.UnaryPrec+1)
	case *ast.CallExpr:
		for i := range x.Args {
			x.Args[i] = enclosed(x.Args[i])
		}
	case *ast.IndexExpr:
		x.Index = enclosed(x.Index)
	case *ast.SliceExpr:
		for _, bound := range []*ast.Expr{&x.Low, &x.High, &x.Max} {
			if *bound != nil {
				*bound = enclosed(*bound)
			}
		}
	}
	return x
}

// enclosed is an expression that stands between other brackets.
func enclosed(x ast.Expr) ast.Expr {
	x = loose(x)
	if p, ok := x.(*ast.ParenExpr); ok {
		return p.X
	}
	return x
}

// operand is an operand whose parentheses are not needed if what is in them binds at least so tightly.
func operand(x ast.Expr, least int) ast.Expr {
	x = loose(x)
	p, ok := x.(*ast.ParenExpr)
	if !ok {
		return x
	}
	binds := token.HighestPrec
	switch in := p.X.(type) {
	case *ast.Ident, *ast.BasicLit, *ast.CallExpr, *ast.IndexExpr, *ast.SelectorExpr:
	case *ast.BinaryExpr:
		binds = in.Op.Precedence()
	case *ast.UnaryExpr, *ast.StarExpr:
		binds = token.UnaryPrec
	default:
		return x
	}
	if binds < least {
		return x
	}
	return p.X
}
