package rewrite

import (
	"go/ast"
	"misstep/transform"
	"regexp"
)

// addParameter is the paper's sixth (table 1). A variadic one changes no call;
// a plain one changes them all. Guards: the function is only ever called, not
// used as a value, not by an interface's method table or by name from outside;
// the base calls nothing from an expression.
var addParameter = Rewrite{
	Name: "add-parameter",
	Doc:  "Adds a parameter to a function, variadic without a change of its calls, or plain with an argument in each call: it is shown with its zero value, and nothing else changes.",
	Sites: func(s *Given) []Site {
		if s.assigns() || s.calls() || s.declares("int", "string", "bool", "nil", "false") {
			return nil
		}
		var sites []Site
		s.funcs(func(fn *ast.FuncDecl) {
			calls, ok := s.called(fn)
			name, named := s.funcName(fn)
			if !ok || !named || fn.Recv != nil && s.interfaceMethod(fn.Name.Name) {
				return
			}
			params := fn.Type.Params
			variadic := false
			if n := len(params.List); n > 0 {
				_, variadic = params.List[n-1].Type.(*ast.Ellipsis)
				if params.List[0].Names == nil {
					return // a name for one needs names for all
				}
			}
			sites = append(sites, Site{fn.Name.Pos(), func(c *Change) {
				own := c.ownVar()
				kind := c.R.IntN(3)
				if variadic && kind == 0 {
					kind = 1
				}
				zero := [][3]string{{"int", "0", "0"}, {"string", `""`, `""`}, {"bool", "false", "false"}, {"*int", "nil", "*int nil"}}[c.R.IntN(4)]
				shown := transform.Shown{In: s.lines(fn.Body), Func: name, Name: own, Type: zero[0], Value: zero[2]}
				comma := ", "
				if len(params.List) == 0 {
					comma = ""
				}
				switch kind {
				case 0: // variadic, after the others
					end := params.Closing
					if n := len(params.List); n > 0 {
						end = params.List[n-1].End() // a comma may follow
					}
					c.insert(end, comma+own+" ..."+zero[0])
					shown.Type, shown.Value = "[]"+zero[0], "[]"+zero[0]+" len: 0, cap: 0, nil"
				default: // plain, before the others
					c.insert(params.Opening+1, own+" "+zero[0]+comma)
					for _, call := range calls {
						comma := ", "
						if len(call.Args) == 0 {
							comma = ""
						}
						c.insert(call.Lparen+1, zero[1]+comma)
					}
				}
				c.Shown = append(c.Shown, shown)
			}})
		})
		return sites
	},
}

// funcToGeneric gives a function a type parameter.
var funcToGeneric = Rewrite{
	Name: "func-to-generic",
	Doc:  "Gives a function a type parameter, and each call a type argument: its frames are named with [...], and nothing else changes.",
	Sites: func(s *Given) []Site {
		if s.assigns() || s.calls() || !s.Source.AtLeast("go1.18") || s.declares("int", "any") {
			return nil
		}
		var sites []Site
		s.funcs(func(fn *ast.FuncDecl) {
			calls, ok := s.called(fn)
			name, named := s.funcName(fn)
			if !ok || !named || fn.Recv != nil || fn.Type.TypeParams != nil || s.breaksFunc(name) || len(calls) == 0 || localTypes(fn) {
				return
			}
			// A call that is deferred or started gets a wrapper, with a frame of its own.
			for _, call := range calls {
				switch s.Source.Parents()[call].(type) {
				case *ast.DeferStmt, *ast.GoStmt:
					return
				}
			}
			sites = append(sites, Site{fn.Name.Pos(), func(c *Change) {
				c.insert(fn.Name.End(), "["+c.name()+" any]")
				for _, call := range calls {
					c.insert(ast.Unparen(call.Fun).End(), "[int]")
				}
				c.Funcs = append(c.Funcs, transform.FuncName{In: s.lines(fn), Old: name, From: regexp.MustCompile(`main\.` + fn.Name.Name + `\[[^\]]*\]`)})
				c.Outermost = true
			}})
		})
		return sites
	},
}

// localTypes reports whether a function declares types, whose names say which
// instance they belong to where the function is generic.
func localTypes(fn *ast.FuncDecl) bool {
	found := false
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if _, ok := n.(*ast.TypeSpec); ok {
			found = true
		}
		return !found
	})
	return found
}
