package gen

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"

	"misstep/dap"
)

// TestStopsIn: a breakpoint in what an expression calls stops it, also further in, and one beside does not.
func TestStopsIn(t *testing.T) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "main.go", `package main

func outer(n int) int {
	return inner(n) + 1
}

func inner(n int) int {
	return n
}

func (p pair) sum() int {
	return p.a
}
`, 0)
	if err != nil {
		t.Fatal(err)
	}
	named := func(name string) (all []Declared) {
		for _, d := range f.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok && fd.Name.Name == name {
				all = append(all, Declared{fd, "main.go", fset.Position(fd.Pos()).Line, fset.Position(fd.End()).Line})
			}
		}
		return all
	}
	line := func(n int) dap.Action { return dap.Action{Kind: dap.Break, File: "main.go", Line: n} }
	for _, c := range []struct {
		expr  string
		point dap.Action
		want  bool
	}{
		{"call outer(1)", line(4), true},
		{"call outer(1)", line(8), true},
		{"call inner(1)", line(4), false},
		{"call 1 + inner(outer(2))", line(4), true},
		{"call p.sum()", line(12), true},
		{"call p.sum()", dap.Action{Kind: dap.FuncBreak, Name: "main.pair.sum"}, true},
		{"call p.sum()", dap.Action{Kind: dap.FuncBreak, Name: "main.inner"}, false},
		{"call outer(1)", dap.Action{Kind: dap.InstBreak, Name: "main.inner+0x10"}, true},
		{"outer(1)", line(4), false}, // no call that a debugger makes
		{"call outer(1)", dap.Action{Kind: dap.Break, File: "other.go", Line: 4}, false},
	} {
		if got := StopsIn(c.expr, []dap.Action{c.point}, named); got != c.want {
			t.Errorf("%s, with %s: %v, want %v", c.expr, c.point, got, c.want)
		}
	}
}
