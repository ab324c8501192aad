package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"misstep/internal/srcedit"
)

// forToRange turns a loop that counts from zero into a range over an integer.
// Guards: neither the counter nor the bound is assigned to in the body or has
// its address taken, and no literal captures them; the bound is a literal or a
// local variable, of the counter's type. The line of the loop's head is vague:
// the three clauses and the range pause there differently often (tolerance
// loop-heads).
var forToRange = Rewrite{
	Name: "for-to-range",
	Doc:  "Turns for i := 0; i < n; i++ into for i := range n: but for pauses at the head itself, no difference.",
	Sites: func(s *Given) []Site {
		if s.assigns() || !s.Source.AtLeast("go1.22") {
			return nil
		}
		var sites []Site
		s.loops(func(fn *ast.FuncDecl, n ast.Stmt) {
			loop, ok := n.(*ast.ForStmt)
			if !ok {
				return
			}
			i, bound, ok := s.counting(loop)
			if !ok || s.breaksIn(loop.Pos(), loop.Body.Lbrace) {
				return
			}
			sites = append(sites, Site{loop.Pos(), func(c *Change) {
				c.replaceRange(loop.Init.Pos(), loop.Body.Lbrace, i.Name+" := range "+s.text(bound)+" ")
				c.vague(loop.Pos())
			}})
		})
		return sites
	},
}

// loops calls f for each loop whose head is on one line and whose body is not.
func (s *scope) loops(f func(fn *ast.FuncDecl, loop ast.Stmt)) {
	s.funcs(func(fn *ast.FuncDecl) {
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			var body *ast.BlockStmt
			switch n := n.(type) {
			case *ast.ForStmt:
				body = n.Body
			case *ast.RangeStmt:
				body = n.Body
			default:
				return true
			}
			line := s.Source.Line(n.Pos())
			_, first := s.indent(n.Pos())
			if _, label := s.Source.Parents()[n].(*ast.LabeledStmt); label {
				return true
			}
			if first && len(body.List) > 0 && s.Source.Line(body.Lbrace) == line && s.Source.Line(body.List[0].Pos()) > line {
				f(fn, n.(ast.Stmt))
			}
			return true
		})
	})
}

// vague makes a line one at which neither run need pause.
func (c *Change) vague(pos token.Pos) {
	if c.Vague == nil {
		c.Vague = map[srcedit.Line]bool{}
	}
	c.Vague[srcedit.Line{File: c.Given.Source.FileOf(pos).Name, Line: c.Given.Source.Line(pos)}] = true
}

// counting takes apart a loop that counts from zero up to a bound.
func (s *scope) counting(loop *ast.ForStmt) (i *ast.Ident, bound ast.Expr, ok bool) {
	init, ok := loop.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE || len(init.Lhs) != 1 || len(init.Rhs) != 1 {
		return nil, nil, false
	}
	i, ok = init.Lhs[0].(*ast.Ident)
	zero, okZero := init.Rhs[0].(*ast.BasicLit)
	cond, okCond := loop.Cond.(*ast.BinaryExpr)
	post, okPost := loop.Post.(*ast.IncDecStmt)
	if !ok || !okZero || zero.Value != "0" || !okCond || cond.Op != token.LSS || !okPost || post.Tok != token.INC {
		return nil, nil, false
	}
	obj := s.Source.Info.Defs[i]
	same := func(x ast.Expr) bool {
		id, ok := x.(*ast.Ident)
		return ok && s.Source.Info.Uses[id] == obj
	}
	used := slices.ContainsFunc(s.uses(obj), func(id *ast.Ident) bool { return loop.Body.Pos() < id.Pos() && id.Pos() < loop.Body.End() })
	if obj == nil || !used || !same(cond.X) || !same(post.X) || s.changes(loop.Body, obj) {
		return nil, nil, false
	}
	return i, cond.Y, s.bounds(cond.Y, obj.Type(), loop.Body)
}

// bounds reports whether an expression is the same number of a type at each iteration of a
// loop.
func (s *scope) bounds(x ast.Expr, t types.Type, body *ast.BlockStmt) bool {
	switch b := x.(type) {
	case *ast.BasicLit:
		return types.Identical(t, types.Typ[types.Int])
	case *ast.Ident:
		v, ok := s.Source.Info.Uses[b].(*types.Var)
		if !ok || !s.local(v) || !types.Identical(v.Type(), t) || s.changes(body, v) {
			return false
		}
		basic, ok := v.Type().(*types.Basic)
		// Captured by reference somewhere, it may change while the body calls.
		return ok && basic.Info()&types.IsInteger != 0 && !s.captured(v)
	case *ast.CallExpr:
		return types.Identical(t, types.Typ[types.Int]) && s.fixedLength(b, body)
	}
	return false
}

// fixedLength reports whether an expression is the length of a local variable that
// a loop's body does not change.
func (s *scope) fixedLength(call *ast.CallExpr, body *ast.BlockStmt) bool {
	fn, ok := call.Fun.(*ast.Ident)
	if !ok || len(call.Args) != 1 {
		return false
	}
	if b, ok := s.Source.Info.Uses[fn].(*types.Builtin); !ok || b.Name() != "len" {
		return false
	}
	return s.fixed(call.Args[0], body)
}

// fixed reports whether an expression is a local variable that a loop's body does
// not change.
func (s *scope) fixed(x ast.Expr, body *ast.BlockStmt) bool {
	id, ok := x.(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := s.Source.Info.Uses[id].(*types.Var)
	return ok && s.local(v) && !s.changes(body, v) && !s.captured(v)
}

// changes reports whether a node assigns to a variable, takes its address, or has
// a function literal that uses it.
func (s *scope) changes(n ast.Node, obj types.Object) bool {
	is := func(x ast.Expr) bool {
		id, ok := ast.Unparen(x).(*ast.Ident)
		return ok && (s.Source.Info.Uses[id] == obj || s.Source.Info.Defs[id] == obj)
	}
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				found = found || is(l)
			}
		case *ast.IncDecStmt:
			found = found || is(n.X)
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && is(n.X)
		case *ast.RangeStmt:
			found = found || n.Key != nil && is(n.Key) || n.Value != nil && is(n.Value)
		case *ast.FuncLit:
			ast.Inspect(n, func(m ast.Node) bool {
				if id, ok := m.(*ast.Ident); ok && s.Source.Info.Uses[id] == obj {
					found = true
				}
				return true
			})
		case *ast.SelectorExpr:
			// A method with a pointer receiver takes the address.
			if sel := s.Source.Info.Selections[n]; sel != nil && sel.Kind() == types.MethodVal && is(n.X) {
				found = true
			}
		}
		return !found
	})
	return found
}

// captured reports whether a function literal uses a variable from outside, or
// its address is taken.
func (s *scope) captured(v *types.Var) bool {
	parents := s.Source.Parents()
	for _, id := range s.uses(v) {
		for n := ast.Node(id); n != nil; n = parents[n] {
			if lit, ok := n.(*ast.FuncLit); ok && v.Pos() < lit.Pos() {
				return true
			}
		}
		if u, ok := parents[id].(*ast.UnaryExpr); ok && u.Op == token.AND {
			return true
		}
	}
	return false
}

// rangeToFor is the way back.
var rangeToFor = Rewrite{
	Name: "range-to-for",
	Doc:  "Turns for i := range n, or over a slice or an array, into for i := 0; i < n; i++: but for pauses at the head itself, no difference.",
	Sites: func(s *Given) []Site {
		if s.assigns() {
			return nil
		}
		var sites []Site
		s.loops(func(fn *ast.FuncDecl, n ast.Stmt) {
			loop, ok := n.(*ast.RangeStmt)
			if !ok || loop.Tok != token.DEFINE || loop.Value != nil || s.breaksIn(loop.Pos(), loop.Body.Lbrace) {
				return
			}
			i, ok := loop.Key.(*ast.Ident)
			if !ok || i.Name == "_" || i.Name == "len" || s.changes(loop.Body, s.Source.Info.Defs[i]) {
				return
			}
			bound := s.text(loop.X)
			_, literal := loop.X.(*ast.BasicLit)
			if bound == i.Name || !literal && !s.fixed(loop.X, loop.Body) {
				return
			}
			switch t := s.Source.Info.TypeOf(loop.X).(type) {
			case *types.Basic:
				if t.Kind() != types.Int {
					return
				}
			case *types.Slice, *types.Array:
				if s.declares("len") {
					return
				}
				bound = "len(" + bound + ")"
			default:
				return
			}
			sites = append(sites, Site{loop.Pos(), func(c *Change) {
				c.replaceRange(loop.Key.Pos(), loop.Body.Lbrace, fmt.Sprintf("%s := 0; %s < %s; %s++ ", i.Name, i.Name, bound, i.Name))
				c.vague(loop.Pos())
			}})
		})
		return sites
	},
}

// rangeToFunc ranges over a function that yields what the slice holds. The body
// is a function then, whose frames the debugger names after the function around
// it; the iterator's frame and the frame of the loop are between. Guards: a
// slice of a type that can be named, which the body does not change; control
// leaves the body at its end only; no parameter or result would be captured by
// reference, as debuggers show such ones twice (finding escaped-parameter).
var rangeToFunc = Rewrite{
	Name: "range-to-func",
	Doc:  "Ranges over a function that yields the elements of a slice instead of the slice: but for the frames of the iterator, and for pauses at the head itself, no difference.",
	Sites: func(s *Given) []Site {
		if s.assigns() || s.calls() || !s.Source.AtLeast("go1.23") || s.declares("int", "bool", "any") {
			return nil
		}
		var sites []Site
		s.loops(func(fn *ast.FuncDecl, n ast.Stmt) {
			loop, ok := n.(*ast.RangeStmt)
			if !ok || loop.Tok != token.DEFINE || loop.Key == nil || s.breaksIn(loop.Pos(), loop.Body.Lbrace) || s.conditionsIn(loop.Pos(), loop.End()) || s.breaksIn(loop.Body.Rbrace, loop.Body.Rbrace) {
				return
			}
			if _, ok := s.Source.Info.TypeOf(loop.X).(*types.Slice); !ok || !s.stays(loop.Body.List) || s.labels(loop.Body.List) || s.escapes(fn, loop.Body) {
				return
			}
			sites = append(sites, Site{loop.Pos(), func(c *Change) {
				f := c.ownFunc()
				c.declare(loop.Pos(), strings.Join([]string{
					"func " + f + "[E any](s []E) func(func(int, E) bool) {",
					"	return func(yield func(int, E) bool) {",
					"		for i, e := range s {",
					"			if !yield(i, e) {",
					"				return",
					"			}",
					"		}",
					"	}",
					"}",
				}, "\n"))
				c.insert(loop.X.Pos(), f+"(")
				c.insert(loop.X.End(), ")")
				c.vague(loop.Pos())
				c.vague(loop.Body.Rbrace) // the body returns there now
				c.RangeFunc = append(c.RangeFunc, s.lines(loop))
				c.Outermost = true
			}})
		})
		return sites
	},
}

// escapes reports whether code that becomes a function literal would capture a
// parameter or a result of a function around it by reference, or a variable whose
// declaration takes several lines: in which order those run depends on how the
// variable is stored (tolerance lines-of-a-call).
func (s *scope) escapes(fn *ast.FuncDecl, body *ast.BlockStmt) bool {
	found := false
	parents := s.Source.Parents()
	for id, obj := range s.Source.Info.Defs {
		v, ok := obj.(*types.Var)
		if !ok || v.IsField() || id.Pos() < fn.Pos() || body.Pos() < id.Pos() || !slices.ContainsFunc(s.uses(v), func(id *ast.Ident) bool { return body.Pos() < id.Pos() && id.Pos() < body.End() }) {
			continue
		}
		if stmt, ok := parents[id].(ast.Stmt); ok && s.Source.Line(stmt.Pos()) != s.Source.Line(stmt.End()) {
			if _, loop := stmt.(*ast.RangeStmt); !loop {
				found = true
			}
		}
	}
	signature := func(t *ast.FuncType, recv *ast.FieldList, around *ast.BlockStmt) {
		for _, list := range []*ast.FieldList{recv, t.Params, t.Results} {
			if list == nil {
				continue
			}
			for _, field := range list.List {
				for _, name := range field.Names {
					v, ok := s.Source.Info.Defs[name].(*types.Var)
					if !ok || !slices.ContainsFunc(s.uses(v), func(id *ast.Ident) bool { return body.Pos() < id.Pos() && id.Pos() < body.End() }) {
						continue
					}
					found = found || list == t.Results || s.captured(v) || s.changes(around, v)
				}
			}
		}
	}
	signature(fn.Type, fn.Recv, fn.Body)
	for _, lit := range s.literalsAround(body.Pos()) {
		signature(lit.Type, nil, lit.Body)
	}
	return found
}
