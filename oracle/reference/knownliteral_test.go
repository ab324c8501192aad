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
	fmt.Println(alias, again, computed, *p, pointed)
	_ = make([]int, size)
	println(plain)
}
`
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
	end := f.Decls[1].(*ast.FuncDecl).Body.Rbrace
	for name, want := range map[string]bool{
		"fixed": true, "alias": true, "plain": false, "again": false, "pointed": false, "computed": false, "size": true, "nowhere": false,
	} {
		if got := knownLiteral(&history.Package{Fset: fset, Files: []*ast.File{f}, Types: pkg, Info: info}, end, name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
