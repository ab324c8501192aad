package reference

import (
	"go/ast"
	"strings"
	"testing"
)

// TestCommunicates: what waits for another goroutine, and for nothing that a clock does, waits until the program ends.
func TestCommunicates(t *testing.T) {
	const text = `package main

import (
	"context"
	"time"
)

type s struct{ c chan int }

func f(c chan int, times <-chan time.Time, ctx context.Context, x s) (n int) {
	c <- 1       // waits
	n = <-c      // waits
	n, ok := <-c // waits
	<-times
	<-time.After(time.Second)
	<-ctx.Done()
	n = <-x.c
	n++
	g := func() { <-c }
	g()
	var m = <-c // waits
	_, _ = m, ok
	return <-c // waits
}
`
	lines := strings.Split(text, "\n")
	pkg, _ := checked(t, text)
	for _, s := range pkg.Files[0].Decls[2].(*ast.FuncDecl).Body.List {
		line := pkg.Fset.Position(s.Pos()).Line
		if got, want := communicates(pkg, s), strings.HasSuffix(lines[line-1], "// waits"); got != want {
			t.Errorf("%s: %t, want %t", lines[line-1], got, want)
		}
	}
}
