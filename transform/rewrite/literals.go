package rewrite

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"misstep/transform"
)

// integerLiteral is the paper's seventh (table 1). Guards: the literal has an
// integer type and is no part of a constant, nor stands where one must; it is
// on the first line of its statement, as elements of a literal that are all
// constant need no code on their lines, and others do.
var integerLiteral = Rewrite{
	Name: "integer-literal",
	Doc:  "Replaces an integer literal by an expression over + - * /, folded by the compiler, or computed through a variable or a call: no difference.",
	Sites: func(s *Given) []Site {
		if s.assigns() {
			return nil
		}
		var sites []Site
		s.funcs(func(fn *ast.FuncDecl) {
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				lit, ok := n.(*ast.BasicLit)
				if !ok || lit.Kind != token.INT || s.constant(lit) || !s.plainLine(lit) {
					return true
				}
				tv := s.Source.Info.Types[lit]
				basic, ok := tv.Type.Underlying().(*types.Basic)
				if _, param := tv.Type.(*types.TypeParam); param || !ok || basic.Info()&types.IsInteger == 0 || basic.Info()&types.IsUntyped != 0 {
					return true
				}
				value, exact := constant.Int64Val(tv.Value)
				text, nameable := s.typeText(tv.Type, s.Source.FileOf(lit.Pos()))
				if !exact || value < 0 || value > 100 || !nameable {
					return true
				}
				sites = append(sites, Site{lit.Pos(), func(c *Change) {
					op, a, b := arithmetic(c, int(value))
					switch x := c.name(); c.R.IntN(3) {
					case 0:
						c.replace(lit, fmt.Sprintf("(%d %s %d)", a, op, b))
					case 1:
						c.declare(lit.Pos(), fmt.Sprintf("var %s %s = %d", x, text, a))
						c.replace(lit, fmt.Sprintf("(%s %s %d)", x, op, b))
					default:
						c.OwnFuncs["main."+x] = true
						c.declare(lit.Pos(), fmt.Sprintf("func %s(n %s) %s { return n }", x, text, text))
						c.replace(lit, fmt.Sprintf("(%s(%d) %s %d)", x, a, op, b))
					}
				}})
				return true
			})
		})
		return sites
	},
}

// arithmetic splits a number n of at most 100 into an operation of two that
// stay within a byte.
func arithmetic(c *Change, n int) (op string, a, b int) {
	switch c.R.IntN(4) {
	case 0:
		a = c.R.IntN(n + 1)
		return "+", a, n - a
	case 1:
		b = c.R.IntN(20)
		return "-", n + b, b
	case 2:
		return "*", n, 1
	}
	if n <= 60 {
		return "/", 2 * n, 2
	}
	return "/", n, 1
}

// booleanLiteral is the paper's eighth (table 1). Guards: the variable is of a
// basic type other than a float or a complex number, a pointer or a channel,
// so that comparing it with itself is neither false nor a panic; the literal is
// no condition, as the compiler leaves out the branches that a constant
// decides.
var booleanLiteral = Rewrite{
	Name: "boolean-literal",
	Doc:  "Replaces true or false by a comparison of a variable in scope with itself, or its negation: no difference.",
	Sites: func(s *Given) []Site {
		if s.assigns() || s.declares("true", "false") {
			return nil
		}
		var sites []Site
		s.funcs(func(fn *ast.FuncDecl) {
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				if !ok || id.Name != "true" && id.Name != "false" || s.constant(id) || !s.plainLine(id) || s.condition(id) {
					return true
				}
				// A field or key may have that name.
				obj, ok := s.Source.Info.Uses[id].(*types.Const)
				if !ok || obj.Pkg() != nil {
					return true
				}
				if b, ok := s.Source.Info.Types[id].Type.(*types.Basic); !ok || b.Kind() != types.Bool && b.Kind() != types.UntypedBool {
					return true // of a type of its own, which a comparison would have to be converted to
				}
				var vars []*types.Var
				for _, v := range s.inScope(id.Pos()) {
					if selfEqual(v.Type()) {
						vars = append(vars, v)
					}
				}
				if len(vars) == 0 {
					return true
				}
				sites = append(sites, Site{id.Pos(), func(c *Change) {
					x := transform.Pick(c.R, vars).Name()
					forms := []string{"(%s == %s)", "!(%s != %s)"}
					if id.Name == "false" {
						forms = []string{"(%s != %s)", "!(%s == %s)"}
					}
					c.replace(id, fmt.Sprintf(transform.Pick(c.R, forms), x, x))
				}})
				return true
			})
		})
		return sites
	},
}

// selfEqual reports whether each value of a type is comparable and equal to
// itself.
func selfEqual(t types.Type) bool {
	if _, ok := t.(*types.TypeParam); ok {
		return false
	}
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Info()&(types.IsFloat|types.IsComplex) == 0 && t.Kind() != types.Invalid
	case *types.Pointer, *types.Chan:
		return true
	}
	return false
}

// condition reports whether an expression decides a branch by itself or with
// others.
func (s *scope) condition(x ast.Expr) bool {
	parents := s.Source.Parents()
	for n := ast.Node(x); ; {
		p := parents[n]
		switch p := p.(type) {
		case *ast.ParenExpr:
			n = p
			continue
		case *ast.UnaryExpr:
			n = p
			continue
		case *ast.BinaryExpr:
			if p.Op == token.LAND || p.Op == token.LOR {
				return true
			}
		case *ast.IfStmt, *ast.ForStmt, *ast.SwitchStmt:
			return true
		}
		return false
	}
}
