package dap

import (
	"context"
	"go/ast"
	"go/parser"
	"strings"
)

// holder finds what a variable, or a part of one such as a.b[1] or (*p).c, is a child of, and the name that
// it has there: with these it is assigned to. What a pointer points to is a child of the pointer, without a
// name or with whatever name the adapter gives it.
func (s *Session) holder(ctx context.Context, scopes []Scope, text string) (ref int, name string, err error) {
	x, err := parser.ParseExpr(text)
	if err != nil {
		return 0, "", &refusedError{"misstep: " + text + " is no variable"}
	}
	if id, ok := x.(*ast.Ident); ok {
		// With several scopes, the one that shows the variable; with one, that.
		for _, sc := range scopes {
			if ref == 0 || findVar([]Scope{sc}, id.Name) != nil {
				ref = sc.ref
			}
		}
		return ref, id.Name, nil
	}
	ref, name, _, err = s.follow(ctx, scopes, x)
	return ref, name, err
}

// follow finds an operand step by step, asking for the children of each.
func (s *Session) follow(ctx context.Context, scopes []Scope, x ast.Expr) (ref int, name string, v Variable, err error) {
	none := &refusedError{"misstep: the pause shows no such variable"}
	pick := func(parent Variable, want func(Variable) bool) (int, string, Variable, error) {
		list := []Variable{parent}
		if err := s.expand(ctx, list, 1, 0); err != nil {
			return 0, "", Variable{}, err
		}
		for _, c := range list[0].Children {
			if want(c) {
				return parent.ref, c.Name, c, nil
			}
		}
		return 0, "", Variable{}, none
	}
	// deref goes from a pointer to what it points to.
	deref := func(v Variable) (int, string, Variable, error) {
		return pick(v, func(Variable) bool { return true })
	}
	switch x := x.(type) {
	case *ast.ParenExpr:
		return s.follow(ctx, scopes, x.X)
	case *ast.Ident:
		for _, sc := range scopes {
			ref, name, v, err = pick(Variable{ref: sc.ref}, func(c Variable) bool { return strings.Trim(c.Name, "()&") == x.Name })
			if err != none {
				return ref, name, v, err
			}
		}
	case *ast.StarExpr:
		if _, _, v, err = s.follow(ctx, scopes, x.X); err != nil {
			return 0, "", v, err
		}
		return deref(v)
	case *ast.SelectorExpr:
		if _, _, v, err = s.follow(ctx, scopes, x.X); err != nil {
			return 0, "", v, err
		}
		if strings.HasPrefix(v.Type, "*") {
			if _, _, v, err = deref(v); err != nil {
				return 0, "", v, err
			}
		}
		return pick(v, func(c Variable) bool { return c.Name == x.Sel.Name })
	case *ast.IndexExpr:
		lit, ok := x.Index.(*ast.BasicLit)
		if !ok {
			return 0, "", v, none
		}
		if _, _, v, err = s.follow(ctx, scopes, x.X); err != nil {
			return 0, "", v, err
		}
		return pick(v, func(c Variable) bool { return c.Name == "["+lit.Value+"]" })
	}
	return 0, "", Variable{}, none
}
