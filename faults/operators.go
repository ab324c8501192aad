package faults

import (
	"go/ast"
	"go/parser"
	"go/token"
)

// operators are faults in what operators do with several operands. Both are there always, in the same way.
var operators = []Fault{
	{"left-to-right", "evaluates sums and products from left to right, as if * bound no tighter than +", ByReference, reordered(func(x *ast.BinaryExpr, text func(ast.Expr) string) string {
		y, ok := x.Y.(*ast.BinaryExpr)
		if !ok || x.Op.Precedence() != token.ADD.Precedence() || y.Op.Precedence() != token.MUL.Precedence() {
			return ""
		}
		return "(" + text(x.X) + " " + x.Op.String() + " " + text(y.X) + ") " + y.Op.String() + " " + text(y.Y)
	})},
	{"right-first", "evaluates the right operand of && and || first, and fails where that does", ByReference, reordered(func(x *ast.BinaryExpr, text func(ast.Expr) string) string {
		if x.Op != token.LAND && x.Op != token.LOR {
			return ""
		}
		return "(" + text(x.Y) + ") " + x.Op.String() + " (" + text(x.X) + ")"
	})},
}

// reordered has expressions evaluated as something else says that has their outermost operator; if that says nothing, as they are.
func reordered(as func(x *ast.BinaryExpr, text func(ast.Expr) string) string) func() handler {
	return func() handler {
		return func(p *pipe, m message) {
			if expr, ok := m.body()["expression"].(string); ok && m.is("request", "evaluate") {
				if x, err := parser.ParseExpr(expr); err == nil {
					if b, ok := ast.Unparen(x).(*ast.BinaryExpr); ok {
						if other := as(b, func(x ast.Expr) string { return expr[x.Pos()-1 : x.End()-1] }); other != "" {
							m.body()["expression"] = other
						}
					}
				}
			}
			p.pass(m)
		}
	}
}
