package rewrite

import (
	"go/ast"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/transform"
)

// The three rewrites of main compare stacks down to main only. Guards: main
// neither recovers nor is called; the base has no breakpoint at main by name or
// at the line of its declaration, where another function begins now. What
// follows when main has returned is not compared.

// mainFunc finds main in a file that may be changed.
func (s *Given) mainFunc() *ast.FuncDecl {
	var main *ast.FuncDecl
	s.funcs(func(fn *ast.FuncDecl) {
		if fn.Recv == nil && fn.Name.Name == "main" && len(fn.Body.List) > 0 &&
			s.Source.Line(fn.Body.Lbrace) < s.Source.Line(fn.Body.List[0].Pos()) && s.Source.Line(fn.Pos()) == s.Source.Line(fn.Body.Lbrace) {
			main = fn
		}
	})
	if main == nil || s.Source.Program.Test || s.assigns() || s.calls() || s.breaksFunc("main.main") || s.breaksIn(main.Pos(), main.Body.Lbrace) || s.breaksIn(main.Body.Rbrace, main.Body.Rbrace) ||
		len(s.uses(s.Source.Info.Defs[main.Name])) > 0 {
		return nil
	}
	return main
}

// mainToGoroutine runs the body of main in a goroutine that main waits for. The
// body is a literal of its own: were the channel closed by a deferred call in
// it, debuggers would pause in that call when the body panics, and the compiler
// would give returns without results the line of the closing brace.
var mainToGoroutine = Rewrite{
	Name: "main-to-goroutine",
	Doc:  "Runs the body of main in a goroutine that main waits for: down to main, no difference.",
	Sites: func(s *Given) []Site {
		fn := s.mainFunc()
		// A deadlock is found or not depending on who waits for whom.
		if fn == nil || s.declares("make", "close", "bool") || s.concurrent() || s.stepsInto(fn) {
			return nil
		}
		return []Site{{fn.Pos(), func(c *Change) {
			done := c.ownVar()
			c.insert(fn.Body.Lbrace+1, " "+done+" := make(chan bool); go func() { func() {")
			c.insert(fn.Body.Rbrace, "}(); close("+done+") }(); <-"+done+" ")
			c.Funcs = append(c.Funcs, transform.FuncName{In: s.lines(fn), Old: "main.main", From: regexp.MustCompile(`main\.main\.func\d+\.1`)})
			c.Bottom = "main.main"
			c.Outermost = true
		}}}
	},
}

// stepsInto reports whether a step that began below main, in the runtime or in an initialiser, was interrupted in main: as
// long as one goroutine's step is not over, no other can be stepped (tolerance one-step-at-a-time).
func (s *Given) stepsInto(main *ast.FuncDecl) bool {
	lines := s.lines(main)
	in := func(p *dap.Pause) bool {
		return p != nil && slices.ContainsFunc(p.Stack, func(f dap.Frame) bool { return f.Func == "main.main" && f.File == lines.File })
	}
	var at *dap.Pause
	for _, e := range s.Base {
		if e.Action.Kind.Steps() && at != nil && !in(at) && in(e.Output.Pause) && e.Output.Pause.Reason != "step" {
			return true
		}
		if e.Action.Kind.Resumes() || e.Action.Kind == dap.Restart {
			at = e.Output.Pause
		}
	}
	return false
}

// concurrent reports whether the program starts goroutines or waits for any.
func (s *scope) concurrent() bool {
	found := false
	for _, f := range s.Source.Files {
		ast.Inspect(f.AST, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt, *ast.SelectStmt, *ast.SendStmt, *ast.ChanType:
				found = true
			case *ast.UnaryExpr:
				found = found || n.Op == token.ARROW
			case *ast.ImportSpec:
				found = found || n.Path.Value == `"sync"`
			}
			return !found
		})
	}
	return found
}

// mainToInit makes main an init function, the last one.
var mainToInit = Rewrite{
	Name: "main-to-init",
	Doc:  "Turns main into the last init function, with an empty main after it: down to main, no difference.",
	Sites: func(s *Given) []Site {
		fn := s.mainFunc()
		if fn == nil {
			return nil
		}
		file := s.Source.FileOf(fn.Pos())
		inits := 0
		for _, f := range s.Source.Files {
			for _, d := range f.AST.Decls {
				if other, ok := d.(*ast.FuncDecl); ok && other.Recv == nil && other.Name.Name == "init" {
					if f.Name > file.Name || f == file && other.Pos() > fn.Pos() {
						return nil // it would run before, and ran after that one
					}
					inits++
				}
			}
		}
		return []Site{{fn.Pos(), func(c *Change) {
			c.replace(fn.Name, "init")
			c.declare(fn.Pos(), "func main() {}")
			c.Funcs = append(c.Funcs, transform.FuncName{In: s.lines(fn), Old: "main.main", From: regexp.MustCompile(`main\.init\.\d+`)})
			c.Bottom = "main.main"
			c.Outermost = true
		}}}
	},
}

// mainToTest makes main a test, and the program the test binary of its package.
// Guards: it has one file or several in one folder, of which none after that of main
// initialises anything, reads no flags, and takes no arguments, which the test binary
// would take for its own.
var mainToTest = Rewrite{
	Name: "main-to-test",
	Doc:  "Turns main into a test that runs in a test binary: apart from the package's path, down to main, no difference.",
	Sites: func(s *Given) []Site {
		fn := s.mainFunc()
		p := s.Source.Program
		module, _ := s.Source.Module()
		// Only packages have tests; a list of files has none.
		// A test that panics says so on standard output, and what is printed before
		// a restart is lost with some debuggers.
		if fn == nil || s.ExitCode != 0 || s.does(dap.Restart) || p.Test || len(p.RunArgs) > 0 || module == "" || len(p.Target) != 1 || filepath.IsAbs(p.Target[0]) {
			return nil
		}
		pkg := module
		_, _, root := p.Module()
		if rel, err := filepath.Rel(root, p.RunDir()); err == nil && rel != "." {
			pkg = path.Join(module, filepath.ToSlash(rel))
		}
		if !s.Source.AtLeast("go1.18") {
			return nil // its go command knows no overlay that adds a test
		}
		if last := path.Base(pkg); strings.ContainsAny(last, ".%") || !token.IsIdentifier(last) && s.saysMain() {
			return nil // symbols have other names for such packages, and expressions cannot name them
		}
		file := s.Source.FileOf(fn.Pos())
		for _, f := range s.Source.Files {
			if f.Name > file.Name && path.Dir(f.Name) == path.Dir(file.Name) && initialises(f.AST) {
				return nil // test files come after all others, in which order packages are initialised
			}
			for _, imp := range f.AST.Imports {
				if imp.Path.Value == `"flag"` || imp.Path.Value == `"os"` || imp.Path.Value == `"testing"` {
					return nil
				}
			}
			if f.Directed() || strings.Contains(string(f.Text), "//go:embed") {
				return nil
			}
		}
		return []Site{{fn.Pos(), func(c *Change) {
			testing := c.name()
			c.Test = "TestMisstep"
			c.insert(file.AST.Name.End(), "; import "+testing+" \"testing\"")
			c.replaceRange(fn.Name.Pos(), fn.Type.End(), c.Test+"("+c.ownVar()+" *"+testing+".T)")
			c.Rename(file.Name, strings.TrimSuffix(file.Name, ".go")+"_misstep_test.go")
			c.Package = pkg
			c.Funcs = append(c.Funcs, transform.FuncName{In: s.lines(fn), Old: "main.main", From: regexp.MustCompile(`(\S*/)?(main|` + regexp.QuoteMeta(path.Base(c.Package)) + `)\.` + c.Test)})
			c.Bottom = "main.main"
			c.Outermost = true
			c.Stdout = "PASS\n"
		}}}
	},
}

// initialises reports whether a file has anything that is executed before main.
func initialises(f *ast.File) bool {
	return slices.ContainsFunc(f.Decls, func(d ast.Decl) bool {
		switch d := d.(type) {
		case *ast.FuncDecl:
			return d.Recv == nil && d.Name.Name == "init"
		case *ast.GenDecl:
			return slices.ContainsFunc(d.Specs, func(x ast.Spec) bool {
				v, ok := x.(*ast.ValueSpec)
				return ok && d.Tok == token.VAR && len(v.Values) > 0
			})
		}
		return false
	})
}
