package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"misstep/internal/srcedit"
	"misstep/transform"
)

// reorderDecls moves a function to the end of its file. Guards: functions named
// init run in the order in which they stand; variables are initialised in it.
var reorderDecls = Rewrite{
	Name: "reorder-declarations",
	Doc:  "Moves a function to the end of its file: nothing but the line numbers changes.",
	Sites: func(s *Given) []Site {
		return s.movable(func(c *Change, fn *ast.FuncDecl) {
			file, from, to := c.cut(fn)
			c.Append(file, "\n")
			c.Replace(file, len(s.Source.File(file).Text), len(s.Source.File(file).Text), srcedit.Copy(file, from, to), srcedit.Text("\n"))
		})
	},
}

// splitFile moves a function into a new file of the package, which imports what
// the function needs.
var splitFile = Rewrite{
	Name: "split-file",
	Doc:  "Moves a function into a new file: nothing but its lines and file changes.",
	Sites: func(s *Given) []Site {
		return s.movable(func(c *Change, fn *ast.FuncDecl) {
			f := s.Source.FileOf(fn.Pos())
			imports, specs := c.importsOf(fn)
			file, from, to := c.cut(fn)
			c.unimport(imports, fn.Pos(), fn.End())
			name := path.Join(path.Dir(file), c.name()+".go")
			c.Create(name, srcedit.Text("package "+f.AST.Name.Name+"\n"+specs+"\n"), srcedit.Copy(file, from, to), srcedit.Text("\n"))
		})
	},
}

// movable lists the functions whose place in the file means nothing.
func (s *scope) movable(do func(c *Change, fn *ast.FuncDecl)) []Site {
	var sites []Site
	s.funcs(func(fn *ast.FuncDecl) {
		if fn.Recv == nil && fn.Name.Name == "init" {
			return
		}
		// Nothing else may stand on the lines of its ends.
		f := s.Source.FileOf(fn.Pos())
		for _, d := range f.AST.Decls {
			if d != fn && (s.Source.Line(d.End()) == s.Source.Line(fn.Pos()) || s.Source.Line(d.Pos()) == s.Source.Line(fn.End())) {
				return
			}
		}
		if _, first := s.indent(fn.Pos()); !first || !s.last(fn.End()) {
			return
		}
		for _, imp := range f.AST.Imports {
			if imp.Name != nil && imp.Name.Name == "." {
				return
			}
		}
		sites = append(sites, Site{fn.Pos(), func(c *Change) { do(c, fn) }})
	})
	return sites
}

// cut takes a function with its comment out of its file.
func (c *Change) cut(fn *ast.FuncDecl) (file string, from, to int) {
	start := fn.Pos()
	if fn.Doc != nil {
		start = fn.Doc.Pos()
	}
	file, from = c.at(start)
	_, to = c.at(fn.End())
	c.Replace(file, from, to)
	return file, from, to
}

// importsOf lists the imports that a function needs, and writes them.
func (c *Change) importsOf(fn *ast.FuncDecl) (map[*types.PkgName]bool, string) {
	s := c.Given
	imports := map[*types.PkgName]bool{}
	specs := ""
	ast.Inspect(fn, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		if p, ok := s.Source.Info.Uses[id].(*types.PkgName); ok && !imports[p] {
			imports[p] = true
			specs += fmt.Sprintf("\nimport %s %s\n", p.Name(), strconv.Quote(p.Imported().Path()))
		}
		return true
	})
	return imports, specs
}

// movePackage moves a function into a package of its own. Guards: the function
// uses nothing of its package, and is only ever called; it is in a module, so
// that the new package has a path. What is evaluated names nothing of the package
// either.
var movePackage = Rewrite{
	Name: "move-to-package",
	Doc:  "Moves a function into a package of its own: its frames have another name, lines and file, and nothing else changes.",
	Sites: func(s *Given) []Site {
		module, _ := s.Source.Module()
		p := s.Source.Program
		if s.calls() || s.assigns() || s.namesPackage() || module == "" || p.Test || len(p.Target) == 0 || filepath.IsAbs(p.Target[0]) {
			return nil
		}
		_, _, root := p.Module()
		inModule, err := filepath.Rel(root, p.RunDir())
		if err != nil {
			return nil
		}
		dir, err := filepath.Rel(p.Dir, p.RunDir())
		if err != nil {
			return nil
		}
		var sites []Site
		for _, site := range s.movable(nil) {
			fn := s.declAt(site.Pos)
			calls, ok := s.called(fn)
			name, named := s.funcName(fn)
			if !ok || !named || fn.Recv != nil || fn.Type.TypeParams != nil || s.breaksFunc(name) || !s.alone(fn) || len(calls) == 0 || localTypes(fn) {
				continue
			}
			f := s.Source.FileOf(fn.Pos())
			same := true
			for _, call := range calls {
				same = same && s.Source.FileOf(call.Pos()) == f
				// A call's function may be in parentheses.
				_, plain := call.Fun.(*ast.Ident)
				same = same && plain
			}
			if !same {
				continue
			}
			sites = append(sites, Site{site.Pos, func(c *Change) {
				pkg := c.name()
				exported := "M" + fn.Name.Name
				imports, specs := c.importsOf(fn)
				file, from, to := c.cut(fn)
				c.unimport(imports, fn.Pos(), fn.End())
				_, nameAt := c.at(fn.Name.Pos())
				_, nameEnd := c.at(fn.Name.End())
				c.Create(path.Join(filepath.ToSlash(dir), pkg, pkg+".go"), srcedit.Text("package "+pkg+"\n"+specs+"\n"),
					srcedit.Copy(file, from, nameAt), srcedit.Text(exported), srcedit.Copy(file, nameEnd, to), srcedit.Text("\n"))
				importPath := path.Join(module, filepath.ToSlash(inModule), pkg)
				c.insert(f.AST.Name.End(), "; import "+strconv.Quote(importPath))
				for _, call := range calls {
					c.replace(call.Fun, pkg+"."+exported)
				}
				c.Funcs = append(c.Funcs, transform.FuncName{In: s.lines(fn), Old: name, From: regexp.MustCompile(`(\S*/)?` + regexp.QuoteMeta(pkg+"."+exported) + `\b`)})
				c.Outermost = true
			}})
		}
		return sites
	},
}

// declAt is the function that is declared at a position.
func (s *scope) declAt(pos token.Pos) *ast.FuncDecl {
	for _, d := range s.Source.FileOf(pos).AST.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Pos() == pos {
			return fn
		}
	}
	return nil
}

// alone reports whether a function mentions nothing of its package, itself
// included, and no fields that another package could not.
func (s *scope) alone(fn *ast.FuncDecl) bool {
	ok := true
	ast.Inspect(fn, func(n ast.Node) bool {
		id, is := n.(*ast.Ident)
		if !is {
			return ok
		}
		obj := s.Source.Info.Uses[id]
		if obj == nil || obj.Pkg() != s.Source.Pkg {
			return ok
		}
		if obj.Parent() == s.Source.Pkg.Scope() {
			ok = false
		}
		if v, field := obj.(*types.Var); field && v.IsField() {
			ok = false
		}
		if f, method := obj.(*types.Func); method && f.Signature().Recv() != nil {
			ok = false
		}
		return ok
	})
	// Names of the new package must not be covered where it is called.
	return ok && !strings.HasPrefix(fn.Name.Name, "misstep")
}
