package random_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os/exec"
	"reflect"
	"testing"

	"misstep/gen/random"
	"misstep/internal/testhouse"
)

// TestPrograms: programs parse and type-check, a seed has one, and a few of them have each kind of
// statement of the language.
func TestPrograms(t *testing.T) {
	seen := map[reflect.Type]bool{}
	for seed := range int64(60) {
		text := random.Program(seed)
		if text != random.Program(seed) {
			t.Fatalf("seed %d has two programs", seed)
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "main.go", text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		conf := types.Config{Importer: fmtImporter{}, FakeImportC: true}
		if _, err := conf.Check("main", fset, []*ast.File{f}, nil); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if n != nil {
				seen[reflect.TypeOf(n)] = true
			}
			return true
		})
	}
	for _, n := range []ast.Node{
		&ast.AssignStmt{}, &ast.BlockStmt{}, &ast.BranchStmt{}, &ast.CaseClause{}, &ast.CommClause{}, &ast.DeclStmt{}, &ast.DeferStmt{},
		&ast.ExprStmt{}, &ast.ForStmt{}, &ast.GoStmt{}, &ast.IfStmt{}, &ast.IncDecStmt{}, &ast.LabeledStmt{}, &ast.RangeStmt{},
		&ast.ReturnStmt{}, &ast.SelectStmt{}, &ast.SendStmt{}, &ast.SwitchStmt{}, &ast.TypeSwitchStmt{},
	} {
		if !seen[reflect.TypeOf(n)] {
			t.Errorf("no program has a %T", n)
		}
	}
}

// fmtImporter has what the programs use of package fmt.
type fmtImporter struct{}

func (fmtImporter) Import(path string) (*types.Package, error) {
	pkg := types.NewPackage(path, path)
	args := types.NewTuple(types.NewParam(token.NoPos, pkg, "a", types.NewSlice(types.NewInterfaceType(nil, nil))))
	for name, result := range map[string]types.BasicKind{"Println": types.Int, "Sprint": types.String} {
		results := types.NewTuple(types.NewParam(token.NoPos, pkg, "", types.Typ[result]))
		pkg.Scope().Insert(types.NewFunc(token.NoPos, pkg, name, types.NewSignatureType(nil, nil, nil, args, results, true)))
	}
	pkg.MarkComplete()
	return pkg, nil
}

// TestRuns: a program that is built ends by itself, without a crash, and prints the same twice.
func TestRuns(t *testing.T) {
	h := testhouse.New(t)
	for _, p := range h.Find(t, "generated/1-3") {
		b := h.Build(t, p)
		first, err := exec.Command(b.Binary).CombinedOutput()
		if err != nil || len(first) == 0 {
			t.Errorf("%s: %v, printed %q", p.Name, err, first)
		}
		if second, _ := exec.Command(b.Binary).CombinedOutput(); string(first) != string(second) {
			t.Errorf("%s prints %q, then %q", p.Name, first, second)
		}
	}
}
