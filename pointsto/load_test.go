package pointsto_test

import (
	"go/ast"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"

	"misstep/pointsto"
)

// module writes a module into a folder.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"] = "module example.test/m\n\ngo 1.26\n"
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestTests: tests are what the command of tests calls, and their bodies what package
// testing calls back; a function that nothing calls is analysed as a root.
func TestTests(t *testing.T) {
	dir := module(t, map[string]string{
		"m.go": "package m\n\ntype T struct{ n int }\n\nfunc (t *T) Set() { t.n++ }\n\nfunc Unused(t *T) { t.Set() }\n",
		"m_test.go": `package m

import "testing"

func TestSet(t *testing.T) {
	x := &T{}
	t.Run("sub", func(t *testing.T) { x.Set() })
}
`})
	prog, err := pointsto.Load(packages.Config{Dir: dir, Tests: true}, ".")
	if err != nil {
		t.Fatal(err)
	}
	r := prog.Analyze()
	called := map[string]*ssa.Function{}
	for _, fn := range r.Functions() {
		called[fn.String()] = fn
	}
	set := called["(*example.test/m.T).Set"]
	if called["example.test/m.TestSet"] == nil || called["example.test/m.TestSet$1"] == nil || set == nil {
		t.Fatalf("the test and what it calls are not called: %v", called)
	}
	written := r.Written(set)
	if len(written) != 1 || !strings.HasSuffix(prog.Fset.Position(written[0].Pos()).String(), "m_test.go:6:7") {
		t.Errorf("Set changes %v", written)
	}
	var unused *ssa.Function
	for _, p := range prog.AllPackages() {
		if p.Pkg.Path() == "example.test/m" && p.Func("TestSet") != nil {
			unused = p.Func("Unused")
		}
	}
	if r.Called(unused) {
		t.Error("Unused is called")
	}
	r = prog.Analyze(unused)
	if !r.Called(unused) || len(r.Callers(set)) != 2 {
		t.Errorf("with Unused as a root, Set is called from %v", r.Callers(set))
	}
}

// TestBroken: what cannot be analysed is an error, not half a program.
func TestBroken(t *testing.T) {
	for name, text := range map[string]string{
		"types":  "package main\n\nfunc main() { var x int = \"\" }\n",
		"syntax": "package main\n\nfunc main() {\n",
		"import": "package main\n\nimport \"example.test/none\"\n\nfunc main() { none.None() }\n",
	} {
		dir := module(t, map[string]string{"main.go": text})
		if _, err := pointsto.Load(packages.Config{Dir: dir}, "."); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := pointsto.Load(packages.Config{Dir: filepath.Join(t.TempDir(), "none")}, "."); err == nil {
		t.Error("no folder: no error")
	}
}

// TestNowhere: of an expression that is never evaluated nothing is known.
func TestNowhere(t *testing.T) {
	dir := module(t, map[string]string{"main.go": `package main

func dead(p *int) { print(p) }

func main() { print(new(int)) }
`})
	prog, err := pointsto.Load(packages.Config{Dir: dir}, ".")
	if err != nil {
		t.Fatal(err)
	}
	r := prog.Analyze()
	n := 0
	ast.Inspect(prog.Packages[0].Syntax[0], func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		if id, ok := call.Fun.(*ast.Ident); !ok || id.Name != "print" {
			return true
		}
		objects, found := r.At(prog.Fset, call.Args[0])
		_, isNew := call.Args[0].(*ast.CallExpr)
		if found != isNew || (len(objects) == 1) != isNew {
			t.Errorf("%v: found %t, objects %v", prog.Fset.Position(call.Pos()), found, objects)
		}
		n++
		return true
	})
	if n != 2 {
		t.Errorf("%d calls of print", n)
	}
}
