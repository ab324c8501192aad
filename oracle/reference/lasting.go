package reference

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"

	"misstep/history"
	"misstep/history/timeline"
	"misstep/internal/source"
)

// lasting reports whether an expression has the same value during a statement's calls
// as before it: it reads only local variables of flat types that nothing else can
// reach.
func (m *Model) lasting(x *timeline.Activation, s timeline.Step, text string) bool {
	node, pkg := m.Code.Node(x.Func)
	expr, err := parser.ParseExpr(text)
	if err != nil || pkg == nil || s.Node == nil {
		return false
	}
	ok := true
	scope := pkg.Scope(s.Node.Pos())
	ast.Inspect(expr, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr, *ast.StarExpr, *ast.IndexExpr, *ast.SliceExpr:
			ok = false
		case *ast.Ident:
			_, obj := scope.LookupParent(n.Name, s.Node.Pos())
			switch obj := obj.(type) {
			case *types.Var:
				ok = ok && private(pkg, node, obj)
			case *types.TypeName, *types.Builtin, *types.Const, *types.Nil:
			default:
				ok = false
			}
		}
		return ok
	})
	return ok
}

// private reports whether a variable of a function has a basic type, and only the
// function's own statements change it.
func private(pkg *history.Package, fn ast.Node, v *types.Var) bool {
	_, basic := v.Type().Underlying().(*types.Basic)
	return basic && alone(pkg, fn, v)
}

// alone reports whether only the statements of a function reach a variable of it: none takes
// its address, and no literal uses it.
func alone(pkg *history.Package, fn ast.Node, v *types.Var) bool {
	if v.Pos() < fn.Pos() || v.Pos() > fn.End() {
		return false
	}
	ok := true
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.UnaryExpr:
			ok = ok && (n.Op != token.AND || !partOf(pkg, n.X, v))
		case *ast.SliceExpr:
			_, array := pkg.Info.TypeOf(n.X).Underlying().(*types.Array)
			ok = ok && (!array || !partOf(pkg, n.X, v))
		case *ast.FuncLit:
			if n == fn {
				return true
			}
			ok = ok && !mentions(pkg, n.Body, v)
			return false
		case *ast.RangeStmt:
			// The body of a loop over a function is one of its own.
			inside := n.Pos() <= v.Pos() && v.Pos() < n.End()
			ok = ok && (inside || !history.OverFunc(pkg.Info, n) || !mentions(pkg, n.Body, v) && !(isResult(fn, v) && source.Returns(n.Body)))
		case *ast.SelectorExpr:
			// A method with a pointer receiver takes the address.
			sel := pkg.Info.Selections[n]
			method := sel != nil && sel.Kind() == types.MethodVal
			ok = ok && (!method || !partOf(pkg, n.X, v))
		}
		return ok
	})
	return ok
}

// isResult reports whether a variable is a result of a function.
func isResult(fn ast.Node, v *types.Var) bool {
	var t *ast.FuncType
	switch fn := fn.(type) {
	case *ast.FuncDecl:
		t = fn.Type
	case *ast.FuncLit:
		t = fn.Type
	}
	return t != nil && t.Results != nil && t.Results.Pos() <= v.Pos() && v.Pos() < t.Results.End()
}

// partOf reports whether an operand is a variable, or a part that lies within it.
func partOf(pkg *history.Package, x ast.Expr, v *types.Var) bool {
	for {
		switch e := ast.Unparen(x).(type) {
		case *ast.Ident:
			return pkg.Info.Uses[e] == v
		case *ast.SelectorExpr:
			x = e.X
		case *ast.IndexExpr:
			x = e.X
		default:
			return false
		}
	}
}

// sets reports whether a statement itself assigns to a local variable that an expression
// mentions.
func (m *Model) sets(x *timeline.Activation, s timeline.Step, expr string) bool {
	var assigned []ast.Expr
	switch n := s.Node.(type) {
	case *ast.AssignStmt:
		assigned = n.Lhs
	case *ast.IncDecStmt:
		assigned = []ast.Expr{n.X}
	case *ast.RangeStmt:
		assigned = []ast.Expr{n.Key, n.Value}
	case *ast.ReturnStmt:
		for _, f := range resultFields(m.Code, x.Func) {
			for _, id := range f.Names {
				assigned = append(assigned, id)
			}
		}
	}
	e, err := parser.ParseExpr(expr)
	if err != nil {
		return true
	}
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			found = found || slices.ContainsFunc(assigned, func(e ast.Expr) bool {
				to, ok := e.(*ast.Ident)
				return ok && to.Name == id.Name
			})
		}
		return true
	})
	return found
}

// late reports whether a debugger may pause on a step's lines when the step has done something
// already: it has several lines, the parts of which come in an order of the compiler's, or
// returns where deferred functions run before its line comes again, or is a select with one clause, of which
// the compiler makes a plain operation, with the code of the head after it.
func (m *Model) late(x *timeline.Activation, s timeline.Step) bool {
	if sel, ok := s.Node.(*ast.SelectStmt); ok && len(sel.Body.List) == 1 {
		return true
	}
	_, returns := s.Node.(*ast.ReturnStmt)
	returns = returns || s.Part == history.Return
	return s.First != s.Last && (len(s.Children) > 0 || s.Library) || returns && m.Plan.Funcs[x.Func].Defers
}

// visible is what a name stands for at a step, in which function and package; all are nil if that is not known, and the object by itself if there
// is none.
func (m *Model) visible(x *timeline.Activation, s timeline.Step, name string) (node ast.Node, pkg *history.Package, obj types.Object) {
	node, pkg = m.Code.Node(x.Func)
	if pkg == nil || s.Node == nil {
		return nil, nil, nil
	}
	_, obj = pkg.Scope(s.Node.Pos()).LookupParent(name, s.Node.Pos())
	return node, pkg, obj
}

// alone reports whether only the statements of an activation's function reach a variable that a
// step can see, though perhaps not what it leads to.
func (m *Model) alone(x *timeline.Activation, s timeline.Step, name string) bool {
	node, pkg, obj := m.visible(x, s, name)
	if pkg == nil {
		return false
	}
	v, ok := obj.(*types.Var)
	return ok && alone(pkg, node, v)
}

// needed reports whether something that is executed after a step, or by it if it calls nothing,
// mentions a variable: else the collector may have taken what that leads to.
func (m *Model) needed(x *timeline.Activation, s timeline.Step, name string) bool {
	node, pkg, obj := m.visible(x, s, name)
	if pkg == nil {
		return true
	}
	lines := map[int]bool{}
	over := map[ast.Node]bool{} // the loops that range over what it leads to and begin after the step
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if obj != nil && pkg.Info.Uses[n] == obj {
				lines[pkg.Fset.PositionFor(n.Pos(), false).Line] = true
			}
		case *ast.RangeStmt:
			// A loop looks at what it ranges over once, when it begins.
			if obj != nil && !history.OverFunc(pkg.Info, n) && mentions(pkg, n.X, obj) {
				if within := n.Pos() <= s.Node.Pos() && s.Node.Pos() < n.End(); !within || m.again(x, s, n) {
					over[n] = true
				}
				ast.Inspect(n.Body, visit)
				return false
			}
		}
		return true
	}
	ast.Inspect(node, visit)
	for _, o := range x.Steps {
		if o.Node == nil || o.Begin < s.Begin || o.Begin == s.Begin && (s.Library || len(s.Children) > 0) {
			continue
		}
		if over[o.Node] {
			return true
		}
		for l := o.First; l <= o.Last; l++ {
			if lines[l] {
				return true
			}
		}
	}
	return false
}

// points are the kinds of what may lead to the stack.
var points = map[string]bool{"pointer": true, "slice": true, "map": true}

// left reports whether something was called, by a step or before it, since a variable was mentioned last: the stack may have grown, and what is in
// use alone is told where everything is since.
func (m *Model) left(x *timeline.Activation, s timeline.Step, name string) bool {
	node, pkg, obj := m.visible(x, s, name)
	if pkg == nil {
		return false
	}
	lines := map[int]bool{}
	ast.Inspect(node, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && obj != nil && (pkg.Info.Uses[id] == obj || pkg.Info.Defs[id] == obj) {
			lines[pkg.Fset.PositionFor(id.Pos(), false).Line] = true
		}
		return true
	})
	for i := len(x.Steps) - 1; i >= 0; i-- {
		o := x.Steps[i]
		if o.Begin > s.Begin || o.Node == nil {
			continue
		}
		if len(o.Children) > 0 || o.Library {
			return true
		}
		for l := o.First; l <= o.Last; l++ {
			if lines[l] {
				return false
			}
		}
	}
	return false
}

// again reports whether a loop begins again after a step: a statement outside of it comes first.
func (m *Model) again(x *timeline.Activation, s timeline.Step, r *ast.RangeStmt) bool {
	left := false
	for _, o := range x.Steps {
		if o.Node == nil || o.Begin <= s.Begin {
			continue
		}
		if o.Node == r && left {
			return true
		}
		left = left || o.Node.Pos() < r.Pos() || o.Node.Pos() >= r.End()
	}
	return false
}
