package history_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"misstep/history"
)

// TestCompiled: what a body uses is what the compiler takes over of it.
func TestCompiled(t *testing.T) {
	for _, c := range []struct{ body, uses string }{
		{"a(); return; b()", "a"},
		{"a(); return; L: b(); if x { goto L }; c()", "a b x L c"},
		{"panic(x); b()", "x"},
		{"goto L; b(); L: c()", "L b c"}, // up to the last label nothing is left out
		{"if true { a() } else { b() }", "a"},
		{"if false { a() } else { b() }; c()", "b c"},
		{"if true { return }; b()", ""},
		{"if x { return } else { panic(1) }; b()", "x"},
		{"if x { return }; b()", "x b"},
		{"if true || x { a() } else { b() }", "a"},
		{"if false && x { a() } else { b() }", "b"},
		{"if x || true { a() } else { b() }", "x a"},
		{"if x && false { a() } else { b() }", "x b"},
		{"if false || x { a() } else { b() }", "x a b"},
		{"if (true || x) { a() } else { b() }", "x a b"}, // parentheses hide it
		{"for false { a() }; b()", "b"},
		{"for ; x && false; c() { a() }; b()", "x b"},
		{"for true { a() }", "a"},
		{"switch 2 { case 1: a(); case 2: b(); default: c() }", "b"},
		{"switch 3 { case 1: a(); case 2: b() }; c()", "c"},
		{"switch 3 { default: a(); case 2: b() }", "a"},
		{"switch 1 { case 1: a(); fallthrough; case 2: b() }", "a b"},
		{"switch 1 { case n: a(); case 1: b() }", "n a b"},
		{"switch n { case 1: a(); case 2: b() }", "n a b"},
		{"switch { case true: a(); case x: b() }", "a"},
		{"switch { case x: a(); return; b() }", "x a"},
		{"{ return }; b()", ""},
		{"func() { return; b() }(); c()", "c"},
	} {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "p.go", "package p\nvar x bool\nvar n int\nfunc a() {}\nfunc b() {}\nfunc c() {}\nfunc f() { "+c.body+" }", parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
		if _, err := (&types.Config{}).Check("p", fset, []*ast.File{f}, info); err != nil {
			t.Fatal(c.body, err)
		}
		var uses []string
		history.Compiled(info, f.Decls[len(f.Decls)-1].(*ast.FuncDecl).Body, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && info.Uses[id] != nil && info.Uses[id].Pkg() != nil && !slices.Contains(uses, id.Name) {
				uses = append(uses, id.Name)
			}
			return true
		})
		if got := strings.Join(uses, " "); got != c.uses {
			t.Errorf("%s: uses %q, want %q", c.body, got, c.uses)
		}
	}
}
