package reference

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"misstep/history"
)

// TestCommunicates: what waits for another goroutine, and for nothing that a clock does, waits until the program ends.
func TestCommunicates(t *testing.T) {
	const text = `package p

import (
	"context"
	"time"
)

type s struct{ c chan int }

func f(c chan int, times <-chan time.Time, ctx context.Context, x s) (n int) {
	c <- 1                       // waits
	n = <-c                      // waits
	n, ok := <-c                 // waits
	<-times
	<-time.After(time.Second)
	<-ctx.Done()
	n = <-x.c
	n++
	g := func() { <-c }
	g()
	var m = <-c                  // waits
	_, _ = m, ok
	return <-c                   // waits
}
`
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	cfg := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	if _, err := cfg.Check("p", fset, []*ast.File{f}, info); err != nil {
		t.Fatal(err)
	}
	want := map[int]bool{}
	for _, c := range f.Comments {
		want[fset.Position(c.Pos()).Line] = true
	}
	body := f.Decls[2].(*ast.FuncDecl).Body
	for _, s := range body.List {
		line := fset.Position(s.Pos()).Line
		if got := communicates(&history.Package{Info: info}, s); got != want[line] {
			t.Errorf("line %d: %t, want %t", line, got, want[line])
		}
	}
}
