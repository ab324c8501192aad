package gen

import (
	"go/ast"
	"go/parser"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/internal/source"
)

// A Declared is a function or a method, and where it lies.
type Declared struct {
	Decl        *ast.FuncDecl
	File        string
	First, Last int
}

// StopsIn reports whether a breakpoint stands in a function that an expression calls by name, or that is called there, so that
// evaluating it may be interrupted, after which the session is somewhere else. Named finds the functions and methods of a
// name.
func StopsIn(expr string, points []dap.Action, named func(name string) []Declared) bool {
	bare, calls := strings.CutPrefix(expr, "call ")
	if !calls || len(points) == 0 {
		return false
	}
	x, err := parser.ParseExpr(bare)
	if err != nil {
		return false
	}
	found := false
	seen := map[string]bool{}
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return !found
		}
		name := ""
		switch f := ast.Unparen(call.Fun).(type) {
		case *ast.Ident:
			name = f.Name
		case *ast.SelectorExpr:
			name = f.Sel.Name
		}
		if name == "" || seen[name] {
			return !found
		}
		seen[name] = true
		for _, d := range named(name) {
			found = found || slices.ContainsFunc(points, func(p dap.Action) bool {
				return p.Kind == dap.FuncBreak && (p.Name == name || strings.HasSuffix(p.Name, "."+name)) ||
					p.Kind == dap.InstBreak && strings.Contains(p.Name, "."+name+"+") ||
					p.Kind == dap.Break && p.File == d.File && d.First <= p.Line && p.Line <= d.Last
			})
			if d.Decl.Body != nil {
				ast.Inspect(d.Decl.Body, visit)
			}
		}
		return !found
	}
	ast.Inspect(x, visit)
	return found
}

// DeclaredIn finds a program's functions and methods of a name.
func DeclaredIn(src *source.Source) func(name string) []Declared {
	return func(name string) (all []Declared) {
		for _, fn := range src.Funcs() {
			if fn.Decl.Name.Name == name {
				all = append(all, Declared{fn.Decl, fn.File, fn.Line, fn.End})
			}
		}
		return all
	}
}
