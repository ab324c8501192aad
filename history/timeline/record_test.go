package timeline

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"misstep/history"
)

// TestSameLanguage: programs are recorded with a newer toolchain only where they do the same with it.
func TestSameLanguage(t *testing.T) {
	for _, c := range []struct {
		toolchain, language string
		want                bool
	}{
		{"", "", false},
		{"go1.20.14", "", false},
		{"go1.18.10", "go1.18", true},
		{"go1.20.14", "go1.20", true},
		{"go1.21.13", "", false},
		{"go1.21.13", "go1.20", true},
		{"go1.21.13", "go1.21", true},
		{"go1.22.0", "", true},
		{"go1.22.12", "go1.22", true},
		{"go1.22.12", "go1.20", true},
		{"go1.23.4", "go1.23", false},
		{"go1.26.8", "go1.20", false},
		{"go1.99.0", "go1.20", true},
		{"go1.99.0", "", true},
		{"go1.99.0", "go1.98", false},
	} {
		if got := sameLanguage(c.toolchain, c.language); got != c.want {
			t.Errorf("a program in the language of %q with %q: %v, want %v", c.language, c.toolchain, got, c.want)
		}
	}
}

// TestNarrowed: what the compiler has refused is not asked for again, and all else is.
func TestNarrowed(t *testing.T) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "main.go", "package main\n\nvar total = 1\n\nfunc main() {\n\tn := 1\n\tn++\n}\n", 0)
	if err != nil {
		t.Fatal(err)
	}
	checked, err := (&types.Config{}).Check("main", fset, []*ast.File{f}, nil)
	if err != nil {
		t.Fatal(err)
	}
	pkg := &history.Package{Fset: fset, Types: checked}
	body := f.Decls[1].(*ast.FuncDecl).Body.List
	ask := func(*history.Package, ast.Stmt, []string) ([]string, []history.Assignment) {
		return []string{"n + 1", "n + total"}, []history.Assignment{{Name: "n", Value: "total"}, {Name: "n", Value: "2"}}
	}
	for _, c := range []struct {
		output      string
		stmt        int
		exprs, sets int
	}{
		{"./overlay3.go:7: main.T is not a type", 1, 0, 0},
		{"./overlay3.go:7: main.T is not a type", 0, 2, 2},
		{"./overlay0.go:3: initialization cycle for total", 1, 1, 1},
	} {
		exprs, sets := narrowed(ask, c.output)(pkg, body[c.stmt], nil)
		if len(exprs) != c.exprs || len(sets) != c.sets {
			t.Errorf("%s, at statement %d: %q, %v", c.output, c.stmt, exprs, sets)
		}
	}
}
