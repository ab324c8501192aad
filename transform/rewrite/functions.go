package rewrite

import (
	"fmt"
	"go/ast"
	"go/types"
	"misstep/transform"
	"regexp"
)

// funcToClosure makes a function a variable that holds a function literal.
// Guards: no path leads from the function back to itself, as the variable's
// initialisation may not; no variable of the package is initialised with its
// help, as the order of initialisation would be another; it has no type
// parameters; the base has no
// breakpoint at it by name.
var funcToClosure = Rewrite{
	Name: "func-to-closure",
	Doc:  "Turns a function into a variable that holds a function literal: its frames have another name, and nothing else changes.",
	Sites: func(s *Given) []Site {
		return s.freeFuncs(func(c *Change, fn *ast.FuncDecl, name string) {
			f := fn.Name.Name
			c.replaceRange(fn.Pos(), fn.Type.Params.Pos(), "var "+f+" = func")
			c.Funcs = append(c.Funcs, transform.FuncName{In: s.lines(fn), Old: name, From: regexp.MustCompile(`main\.(init|glob\.)\.func\d+`)})
			c.Outermost = true
		})
	},
}

// funcToMethod makes a function a method of a new type, and a variable of its
// name hold the method value. The wrapper that the compiler makes for it is a
// frame of the rewrite's own.
var funcToMethod = Rewrite{
	Name: "func-to-method",
	Doc:  "Turns a function into a method, and a variable of its name into the method value: its frames have another name, and nothing else changes.",
	Sites: func(s *Given) []Site {
		return s.freeFuncs(func(c *Change, fn *ast.FuncDecl, name string) {
			f, t := fn.Name.Name, c.name()
			c.replaceRange(fn.Pos(), fn.Name.End(), "func ("+c.ownVar()+" "+t+") "+f)
			c.declare(fn.Pos(), fmt.Sprintf("type %s struct{}\n\nvar %s = %s{}.%s", t, f, t, f))
			// The frames have the name first; the wrapper's is dropped.
			c.Funcs = append(c.Funcs, transform.FuncName{In: s.lines(fn), Old: name, From: regexp.MustCompile(`main\.\(?\*?` + t + `\)?\.` + f)})
			c.Wrappers = append(c.Wrappers, regexp.MustCompile(`^main\.\(?\*?`+t+`\)?\.`+f+`-fm$`))
			c.Outermost = true
		})
	},
}

// freeFuncs lists the functions that may become variables.
func (s *Given) freeFuncs(do func(c *Change, fn *ast.FuncDecl, name string)) []Site {
	if s.assigns() || s.calls() {
		return nil
	}
	if s.graph == nil {
		s.graph = s.references()
	}
	var sites []Site
	s.funcs(func(fn *ast.FuncDecl) {
		obj := s.Source.Info.Defs[fn.Name]
		name, named := s.funcName(fn)
		if obj == nil || !named || fn.Recv != nil || fn.Type.TypeParams != nil || fn.Name.Name == "main" || fn.Name.Name == "init" ||
			s.breaksFunc(name) || s.breaksFunc("main.init") || s.initialises(obj) || s.linked(fn.Name.Name) || reaches(s.graph, obj, obj) || localTypes(fn) {
			return
		}
		sites = append(sites, Site{fn.Name.Pos(), func(c *Change) { do(c, fn, name) }})
	})
	return sites
}

// references maps the objects at the top level to those that they mention, as
// the specification's section on package initialisation has it.
func (s *scope) references() map[types.Object]map[types.Object]bool {
	graph := map[types.Object]map[types.Object]bool{}
	mentions := func(objs []types.Object, n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			to := s.Source.Info.Uses[id]
			if f, ok := to.(*types.Func); ok {
				to = f.Origin()
			}
			if to == nil || to.Pkg() != s.Source.Pkg {
				return true
			}
			for _, obj := range objs {
				if graph[obj] == nil {
					graph[obj] = map[types.Object]bool{}
				}
				graph[obj][to] = true
			}
			return true
		})
	}
	for _, f := range s.Source.Files {
		for _, d := range f.AST.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if obj := s.Source.Info.Defs[d.Name]; obj != nil && d.Body != nil {
					mentions([]types.Object{obj}, d.Body)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if v, ok := spec.(*ast.ValueSpec); ok {
						var objs []types.Object
						for _, id := range v.Names {
							if obj := s.Source.Info.Defs[id]; obj != nil {
								objs = append(objs, obj)
							}
						}
						for _, x := range v.Values {
							mentions(objs, x)
						}
					}
				}
			}
		}
	}
	return graph
}

// reaches reports whether a path of at least one step leads from one to another.
func reaches(graph map[types.Object]map[types.Object]bool, from, to types.Object) bool {
	seen := map[types.Object]bool{}
	var visit func(o types.Object) bool
	visit = func(o types.Object) bool {
		for next := range graph[o] {
			if next == to {
				return true
			}
			if !seen[next] {
				seen[next] = true
				if visit(next) {
					return true
				}
			}
		}
		return false
	}
	return visit(from)
}
