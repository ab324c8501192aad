package reference

import (
	"go/ast"
	"go/types"
	"strings"
	"testing"
)

// TestOperations: what statements do with channels, without the statements in them.
func TestOperations(t *testing.T) {
	const text = `package main

func f(a chan int, b chan string) {
	a <- 1                // > int
	<-b                   // < string
	close(b)              // x string
	for range a { b <- "" } // < int
	select {              // > string < int
	case b <- "x":
	case <-a:
		close(a)
	}
	if n := <-a; n > 0 { close(a) } // < int
	_ = func() { <-a }    //
}
`
	lines := strings.Split(text, "\n")
	pkg, _ := checked(t, text)
	for _, s := range pkg.Files[0].Decls[0].(*ast.FuncDecl).Body.List {
		_, want, _ := strings.Cut(lines[pkg.Fset.Position(s.Pos()).Line-1], "//")
		got := ""
		for _, op := range operations(pkg, s) {
			got += " " + string(op.does) + " " + op.elem.String()
		}
		if got != strings.TrimRight(want, " ") {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestMeets: what may end what another goroutine waits for.
func TestMeets(t *testing.T) {
	for _, c := range []struct {
		op, waits deed
		want      bool
	}{{sends, receives, true}, {closes, receives, true}, {receives, sends, true}, {sends, sends, false}, {receives, receives, false}, {closes, sends, false}} {
		of := func(does deed, k types.BasicKind) operation { return operation{does: does, elem: types.Typ[k]} }
		if got := of(c.op, types.Int).meets(of(c.waits, types.Int)); got != c.want {
			t.Errorf("%s for %s: %t", c.op, c.waits, got)
		}
		if of(c.op, types.Int).meets(of(c.waits, types.String)) {
			t.Errorf("%s of an int for %s of a string", c.op, c.waits)
		}
	}
}

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
