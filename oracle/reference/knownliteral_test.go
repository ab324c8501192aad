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

// TestLiteral: an assignment to a variable is not judged by how the program goes on where the compiler may use the
// variable's constant.
func TestLiteral(t *testing.T) {
	const source = `package main

import "fmt"

func main() {
	fixed := 3
	alias := fixed
	plain := 3
	again := 3
	again = 4
	pointed := 3
	p := &pointed
	computed := len(*new([3]int)) + plain
	size := 5
	array := [3]float32{1, 2: 3}
	pair := struct{ a, b [1]int }{a: [1]int{1}}
	slice := []int{1}
	half := [2]int{1, size}
	fmt.Println(array, pair, slice, half)
	fmt.Println(alias, again, computed, *p, pointed)
	_ = make([]int, size)
	println(plain)
}
`
	pkg, end := checked(t, source)
	for name, want := range map[string]bool{
		"fixed": true, "alias": true, "plain": false, "again": false, "pointed": false, "computed": false, "size": true, "nowhere": false,
		"array": true, "array[2]": true, "pair.a[0]": true, "slice": false, "slice[0]": false, "half": false,
	} {
		if got := knownLiteral(pkg, end, name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// checked is a package of one file, and the end of its last function.
func checked(t *testing.T, source string) (*history.Package, token.Pos) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "main.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	pkg, err := (&types.Config{Importer: importer.Default()}).Check("main", fset, []*ast.File{f}, info)
	if err != nil {
		t.Fatal(err)
	}
	return &history.Package{Fset: fset, Files: []*ast.File{f}, Types: pkg, Info: info}, f.Decls[len(f.Decls)-1].(*ast.FuncDecl).Body.Rbrace
}

// TestCapturedCopy: an assignment to a variable that a function literal has a copy of is not judged by how the
// program goes on.
func TestCapturedCopy(t *testing.T) {
	pkg, end := checked(t, `package main

func main() {
	once := map[int]int{}
	again := 1
	counted := 0
	pointed := 2
	p := &pointed
	alone := 3
	var zero struct{ n int }
	f := func() {
		inner := 4
		once[again]++
		counted++
		println(pointed, zero.n, inner)
	}
	again = 5
	f()
	println(*p, alone)
}
`)
	for name, want := range map[string]bool{
		"once": true, "once[1]": true, "zero.n": true, "again": false, "counted": false, "pointed": false, "alone": false, "nowhere": false, "f": false,
	} {
		if got := capturedCopy(pkg, end, name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
