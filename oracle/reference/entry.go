package reference

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/finding"
	"misstep/history"
	"misstep/history/timeline"
)

// entered judges the variables at a function's entry: its parameters, with the values that
// they have when its first statement begins, and the variables from outside that a literal
// uses.
func (j *judge) entered(i int, p *dap.Pause, x *timeline.Activation) {
	node, pkg := j.m.Code.Node(x.Func)
	if pkg == nil {
		j.unjudged(finding.Variables, foreign, count(p.Scopes))
		return
	}
	var typ *ast.FuncType
	params := map[string]bool{}
	outer := map[string]types.Type{}
	fields := []*ast.Field{}
	switch n := node.(type) {
	case *ast.FuncDecl:
		typ = n.Type
		if n.Recv != nil {
			fields = append(fields, n.Recv.List...)
		}
	case *ast.FuncLit:
		typ = n.Type
		history.Compiled(pkg.Info, n.Body, func(m ast.Node) bool {
			id, ok := m.(*ast.Ident)
			if !ok {
				return true
			}
			v, ok := pkg.Info.Uses[id].(*types.Var)
			if ok && !v.IsField() && v.Pos() < n.Pos() && v.Pkg() != nil && v.Parent() != v.Pkg().Scope() && v.Pkg() == pkg.Types {
				outer[v.Name()] = v.Type()
			}
			return true
		})
	}
	for _, f := range append(fields, typ.Params.List...) {
		for _, id := range f.Names {
			if id.Name != "_" {
				params[id.Name] = true
			}
		}
	}
	truth := j.arguments(x)
	judged := 0
	for _, name := range slices.Sorted(maps.Keys(params)) {
		v := shown(p.Scopes, name)
		if v == nil {
			j.check(i, "R3-value", false, dap.DiffVariables, name, "shown at the function's entry", "not shown")
			return
		}
		n := slices.IndexFunc(truth, func(t history.Value) bool { return t.Name == name })
		if n < 0 || truth[n].Kind == history.Unknown || j.m.Concurrent() && !j.m.lasting(x, x.Steps[1], name) {
			continue
		}
		if what, want, got := differ(truth[n], *v, name); what != "" {
			j.check(i, "R3-value", false, dap.DiffVariables, what, want, got)
			return
		}
		judged++
		j.made("R3-value")
	}
	j.judged(finding.Variables, judged)
	for _, scope := range p.Scopes {
		for _, v := range scope.Vars {
			switch {
			case strings.HasPrefix(v.Name, "~"):
				if !j.result(i, x, timeline.Step{}, v, false) {
					return
				}
				judged++
			case outer[v.Name] != nil:
				if !j.typed(i, outer[v.Name], v, entryValues) {
					return
				}
				judged++
			case !mentioned(node, v.Name):
				j.check(i, "R3-value", false, dap.DiffVariables, v.Name, "not shown: the function has no such variable", v.Type+" "+v.Value)
				return
			}
		}
	}
	j.unjudged(finding.Variables, entryValues, count(p.Scopes)-judged)
	// What a literal uses from outside comes to its place after the entry.
	for _, name := range slices.Sorted(maps.Keys(outer)) {
		j.check(i, "R3-value", shown(p.Scopes, name) != nil, dap.DiffVariables, name, "shown at the function's entry", "not shown")
		if j.dead {
			return
		}
	}
}

// mentioned reports whether a function has a name anywhere in it: what it declares in code that is never
// executed may be shown. Names that are no identifiers are the compiler's.
func mentioned(fn ast.Node, name string) bool {
	name = strings.TrimPrefix(strings.Trim(name, "()"), "&")
	found := !token.IsIdentifier(name)
	ast.Inspect(fn, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == name
		return !found
	})
	return found
}

// arguments are the variables at a function's entry: as its first statement finds them.
func (j *judge) arguments(x *timeline.Activation) []history.Value {
	if len(x.Steps) < 2 || x.Steps[1].Node == nil {
		return nil
	}
	snap, _ := j.snapshot(x, x.Steps[1])
	return snap.Vars
}

// ofParameters reports whether an expression names no variables but a function's parameters, so that it is at the function's
// entry what it is before the first statement: nothing is executed between the two.
func (m *Model) ofParameters(x *timeline.Activation, text string) bool {
	node, pkg := m.Code.Node(x.Func)
	if pkg == nil || len(x.Steps) < 2 || x.Steps[0].Node != nil && !x.Steps[0].Entry || x.Steps[1].Node == nil {
		return false
	}
	expr, err := parser.ParseExpr(pkg.Plain(x.Steps[1].Node.Pos(), text))
	if err != nil {
		return false
	}
	scope := pkg.Scope(x.Steps[1].Node.Pos())
	ok := true
	ast.Inspect(expr, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			ast.Inspect(n.X, func(n ast.Node) bool {
				if id, is := n.(*ast.Ident); is {
					ok = ok && parameter(node, scope, x, id)
				}
				return ok
			})
			return false
		case *ast.Ident:
			ok = ok && parameter(node, scope, x, n)
		}
		return ok
	})
	return ok
}

// parameter reports whether a name is a parameter of a function, or of no variable.
func parameter(fn ast.Node, scope *types.Scope, x *timeline.Activation, id *ast.Ident) bool {
	_, obj := scope.LookupParent(id.Name, x.Steps[1].Node.Pos())
	v, is := obj.(*types.Var)
	if !is {
		return obj != nil
	}
	var lists []*ast.FieldList
	switch n := fn.(type) {
	case *ast.FuncDecl:
		lists = append(lists, n.Recv, n.Type.Params)
	case *ast.FuncLit:
		lists = append(lists, n.Type.Params)
	}
	return slices.ContainsFunc(lists, func(l *ast.FieldList) bool { return l != nil && l.Pos() <= v.Pos() && v.Pos() < l.End() })
}
