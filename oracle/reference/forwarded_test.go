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

// TestForwarded: where the compiler may still use what it has stored in x at the statement use(x).
func TestForwarded(t *testing.T) {
	for _, c := range []struct {
		body string
		want bool
	}{
		{"x = 1; use(x)", true},
		{"x++; use(x)", true},
		{"var x int; use(x)", true},
		{"x = 1; y := 2; _ = y; use(x)", true},
		{"x = 1; call(); use(x)", false},
		{"if true { x = 1 }; use(x)", true},
		{"x = 1; if false { call() }; use(x)", true},
		{"x = 1; if false && call() { call() }; use(x)", true},
		{"x = 1; if true || call() { }; use(x)", true},
		{"x = 1; if true && call() { }; use(x)", false},
		{"if false { call() } else { x = 1 }; use(x)", true},
		{"if true { call() } else { x = 1 }; use(x)", false},
		{"x = 1; for false { call() }; use(x)", true},
		{"x = 1; for true { use(x) }", false},
		{"c := make(chan int); select { case x = <-c: use(x) }", true},
		{"c := make(chan int); select { case x := <-c: z = 1; use(x) }", true},
		{"c := make(chan int); select { case c <- 1: use(x) }", false},
		{"c := make(chan int); select { case x = <-c: call(); use(x) }", false},
		{"x = 1; if call() { }; use(x)", false},
		{"x = 1; if y { z = 1 }; use(x)", false},
		{"x = 1; if y { return }; use(x)", true},
		{"x = 1; if y { panic(1) }; use(x)", true},
		{"x = 1; if y { call() }; use(x)", false},
		{"x = 1; if y { use(x) }", true},
		{"x = 1; if call() { use(x) }", false},
		{"if x = 1; y { use(x) }", true},
		{"if x = 1; y { return }; use(x)", true},
		{"if y { x = 1 } else { return }; use(x)", true},
		{"if y { return } else { x = 1 }; use(x)", true},
		{"if y { x = 1 } else { x = 2 }; use(x)", false},
		{"if y { call() } else { return }; use(x)", false},
		{"x = 1; if y { z = 1 } else { return }; use(x)", true},
		{"if y { x = 1 } else if z == 1 { return }; use(x)", false},
		{"x = 1; { z = 1 }; use(x)", true},
		{"{ x = 1 }; use(x)", true},
		{"{ x = 1; call() }; use(x)", false},
		{"x = 1; for { use(x) }", false},
		{"for { x = 1; use(x) }", true},
		{"for { x++; if y { break } }; use(x)", true},
		{"L: for { x++; if y { break L } }; use(x)", true},
		{"for { if y { x = 1; break } }; use(x)", true},
		{"for { x++; if y { break }; if z == 1 { break } }; use(x)", false},
		{"for { x++; for { break }; if y { break } }; use(x)", false},
		{"for { if y { break } }; use(x)", false},
		{"for z < 3 { x++; if y { break } }; use(x)", false},
		{"for range 3 { x = 1 }; use(x)", false},
		{"for x = range 3 { use(x) }", true},
		{"for range 3 { use(x) }", false},
		{"switch x = 1; z { case 1: use(x) }", true},
		{"x = 1; switch z { case 1: z = 2; case 2: use(x) }", true},
		{"c := make(chan int); select { case <-c: z = 1; case x = <-c: use(x) }", true},
		{"x = 1; switch call2() { case 1: use(x) }", false},
		{"x = 1; switch z { case 2: }; use(x)", false},
		{"func() { use(x) }()", true},
		{"use(x)", true}, // a parameter
		{"call(); use(x)", false},
	} {
		pkg, stmt, v := used(t, c.body)
		if got := forwarded(pkg, stmt, v); got != c.want {
			t.Errorf("%s: %v, want %v", c.body, got, c.want)
		}
	}
}

// TestPending: where the compiler may still use, at the statement use(x), what it has stored where a function can change it.
func TestPending(t *testing.T) {
	for _, c := range []struct {
		body string
		want bool
	}{
		{"x = 1; use(x)", false},
		{"x := 1; p := &x; _ = p; use(x)", true},
		{"x := 1; f := func() { x++ }; _ = f; use(x)", true},
		{"global = 1; use(x)", true},
		{"global++; use(x)", true},
		{"global = 1; call(); use(x)", false},
		{"xs := []int{1}; xs[0] = 2; use(x)", true},
		{"xs := []int{1}; _ = xs; use(x)", false},
		{"var a [2]int; use(x)", true},
		{"m := map[int]int{}; m[1] = 2; use(x)", true},
		{"var n named; _ = n; use(x)", true},
		{"for global = range 3 { use(x) }", true},
		{"for i := range 3 { use(x); _ = i }", false},
		{"global = 1; if y { return }; use(x)", true},
		{"global = 1; for { use(x) }", false},
		{"_ = x; use(x)", false},
	} {
		pkg, stmt, _ := used(t, c.body)
		if got := pending(pkg, stmt); got != c.want {
			t.Errorf("%s: %v, want %v", c.body, got, c.want)
		}
	}
}

// used is a package with a function of a body, the statement use(x) in it, and x.
func used(t *testing.T, body string) (pkg *history.Package, stmt ast.Stmt, v types.Object) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", "package p\nvar global int\ntype named int\nfunc use(int) {}\nfunc call() bool { return true }\nfunc call2() int { return 1 }\nfunc f(x, z int, y bool) {\n"+body+"\n}", 0)
	if err != nil {
		t.Fatal(body, err)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{}, Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{}, Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{}}
	conf := types.Config{Importer: importer.Default(), Error: func(error) {}}
	tpkg, _ := conf.Check("p", fset, []*ast.File{file}, info)
	pkg = &history.Package{Fset: fset, Files: []*ast.File{file}, Types: tpkg, Info: info}
	ast.Inspect(file, func(n ast.Node) bool {
		s, ok := n.(*ast.ExprStmt)
		if !ok {
			return true
		}
		call, ok := s.X.(*ast.CallExpr)
		if !ok {
			return true
		}
		if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "use" {
			stmt, v = s, info.Uses[call.Args[0].(*ast.Ident)]
		}
		return true
	})
	return pkg, stmt, v
}
