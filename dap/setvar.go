package dap

import (
	"context"
	"go/ast"
	"go/parser"
	"slices"
	"strings"

	"github.com/google/go-dap"
)

func (s *Session) doSetVar(ctx context.Context, a Action) Output {
	of, frame, out := s.frame(ctx, a)
	if out != nil {
		return *out
	}
	return a.about(of, s.setVar(ctx, a, frame))
}

func (s *Session) setVar(ctx context.Context, a Action, frame Frame) Output {
	var scopes []Scope
	if a.Frame == 0 && a.Thread == 0 {
		scopes = s.pause.Scopes
	} else {
		var err error
		if scopes, err = s.scopeList(ctx, frame.id); err != nil {
			return *s.answerError(err)
		}
	}
	ref, name, err := s.holder(ctx, scopes, a.Name)
	if err != nil {
		return *s.answerError(err)
	}
	paused := s.stopped
	r, err := s.ask(ctx, "setVariable", dap.SetVariableArguments{VariablesReference: ref, Name: name, Value: a.Value})
	if err != nil {
		return *s.fail(err)
	}
	if out := s.moved(ctx, paused); out != nil {
		return *out
	}
	set, ok := r.(*dap.SetVariableResponse)
	if !ok {
		return Output{Kind: Refused, Text: normalText(refusal(r))}
	}
	v := []Variable{{Type: set.Body.Type, Value: set.Body.Value}}
	normalVars(v)
	return Output{Kind: Answered, Value: &v[0]}
}

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
	// child is one of a variable's by name; any if there is none.
	child := func(parent Variable, names ...string) (int, string, Variable, error) {
		list := []Variable{parent}
		if err := s.expand(ctx, list, 1, 0); err != nil {
			return 0, "", Variable{}, err
		}
		for _, c := range list[0].Children {
			if len(names) == 0 || slices.Contains(names, c.Name) {
				return parent.ref, c.Name, c, nil
			}
		}
		return 0, "", Variable{}, none
	}
	switch x := x.(type) {
	case *ast.ParenExpr:
		return s.follow(ctx, scopes, x.X)
	case *ast.Ident:
		for _, sc := range scopes {
			// A name in parentheses is that of a variable which this one hides.
			if ref, name, v, err = child(Variable{ref: sc.ref}, x.Name, "&"+x.Name); err != none {
				return ref, name, v, err
			}
		}
	case *ast.StarExpr:
		if _, _, v, err = s.follow(ctx, scopes, x.X); err != nil {
			return 0, "", v, err
		}
		return child(v)
	case *ast.SelectorExpr:
		if _, _, v, err = s.follow(ctx, scopes, x.X); err != nil {
			return 0, "", v, err
		}
		if strings.HasPrefix(v.Type, "*") {
			if _, _, v, err = child(v); err != nil {
				return 0, "", v, err
			}
		}
		return child(v, x.Sel.Name)
	case *ast.IndexExpr:
		lit, ok := x.Index.(*ast.BasicLit)
		if !ok {
			return 0, "", v, none
		}
		if _, _, v, err = s.follow(ctx, scopes, x.X); err != nil {
			return 0, "", v, err
		}
		return child(v, "["+lit.Value+"]")
	}
	return 0, "", Variable{}, none
}
