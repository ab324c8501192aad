package pointsto

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
)

// A Program is a whole program, as the analysis needs it.
type Program struct {
	*ssa.Program
	// Packages are those that were asked for, and Mains those of them that are commands.
	Packages []*packages.Package
	Mains    []*ssa.Package
	// Files are those of all packages outside of the standard library.
	Files []*ast.File
}

// Load reads programs, with debug information for the packages outside of the standard
// library. Functions of packages that are not analysed by their bodies have none: they
// are not even type-checked. Mode, Fset and ParseFile of the configuration are set here.
func Load(conf packages.Config, patterns ...string) (*Program, error) {
	env := exec.Command("go", "env", "GOROOT")
	env.Dir, env.Env = conf.Dir, conf.Env
	goroot, err := env.Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	conf.Mode = packages.LoadAllSyntax | packages.NeedModule
	conf.Fset = token.NewFileSet()
	conf.ParseFile = parse(filepath.Join(strings.TrimSpace(string(goroot)), "src") + string(filepath.Separator))
	pkgs, err := packages.Load(&conf, patterns...)
	if err != nil {
		return nil, err
	}
	p := &Program{Packages: pkgs, Program: ssa.NewProgram(conf.Fset, ssa.InstantiateGenerics)}
	packages.Visit(pkgs, nil, func(pkg *packages.Package) {
		if byBody(pkg.PkgPath) && len(pkg.Errors) > 0 && err == nil {
			err = fmt.Errorf("%s: %w", pkg.PkgPath, pkg.Errors[0])
		}
		if pkg.Types == nil || err != nil {
			return
		}
		sp := p.CreatePackage(pkg.Types, pkg.Syntax, pkg.TypesInfo, true)
		if !isLibrary(pkg.PkgPath) {
			sp.SetDebugMode(true)
			p.Files = append(p.Files, pkg.Syntax...)
		}
	})
	if err != nil {
		return nil, err
	}
	for _, pkg := range pkgs {
		if sp := p.Package(pkg.Types); sp != nil && pkg.Name == "main" && sp.Func("main") != nil {
			p.Mains = append(p.Mains, sp)
		}
	}
	return p, nil
}

// Analyze analyses the program that begins with its commands, and with further
// functions that something outside calls.
func (p *Program) Analyze(roots ...*ssa.Function) *Result {
	r, _ := p.AnalyzeContext(context.Background(), roots...) // which does not end
	return r
}

// AnalyzeContext is Analyze, and ends with the context's error when that is done before.
func (p *Program) AnalyzeContext(ctx context.Context, roots ...*ssa.Function) (*Result, error) {
	a := &analysis{ctx: ctx}
	r := analyze(a, p.Program, p.Mains, roots)
	if a.stopped {
		return nil, ctx.Err()
	}
	r.place(p.Files)
	return r, nil
}

// parse reads files, and leaves out what is not looked at.
func parse(src string) func(*token.FileSet, string, []byte) (*ast.File, error) {
	return func(fset *token.FileSet, name string, text []byte) (*ast.File, error) {
		f, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
		rel, std := strings.CutPrefix(name, src)
		if err != nil || !std || byBody(filepath.ToSlash(filepath.Dir(rel))) {
			return f, err
		}
		n := 0
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				fn.Body = nil
				if fn.Recv == nil && fn.Name.Name == "init" {
					continue
				}
			}
			f.Decls[n] = d
			n++
		}
		f.Decls = f.Decls[:n]
		return f, nil
	}
}
