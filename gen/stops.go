package gen

import (
	"go/ast"
	"go/parser"
	"go/types"
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
	found, _ := stops(expr, points, named)
	return found
}

// MayStopIn reports the same, or that what is called is known by no name of a function, as that of a variable is not which holds one: a breakpoint
// may stand there as well.
func MayStopIn(expr string, points []dap.Action, named func(name string) []Declared) bool {
	found, unknown := stops(expr, points, named)
	return found || unknown
}

// stops reports whether a breakpoint stands in what an expression calls, and whether it calls what is not known.
func stops(expr string, points []dap.Action, named func(name string) []Declared) (found, unknown bool) {
	bare, calls := strings.CutPrefix(expr, "call ")
	if !calls || len(points) == 0 {
		return false, false
	}
	x, err := parser.ParseExpr(bare)
	if err != nil {
		return false, false
	}
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
			unknown = unknown || name == ""
			return !found
		}
		seen[name] = true
		all := named(name)
		unknown = unknown || len(all) == 0 && types.Universe.Lookup(name) == nil
		for _, d := range all {
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
	return found, unknown
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
