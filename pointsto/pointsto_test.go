package pointsto_test

import (
	"testing"
	"time"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"misstep/pointsto"
)

func load(t testing.TB, patterns ...string) (*ssa.Program, []*ssa.Package) {
	t.Helper()
	start := time.Now()
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	prog, mains := ssautil.AllPackages(pkgs, ssa.InstantiateGenerics)
	t.Logf("loaded %d packages in %s", len(prog.AllPackages()), time.Since(start))
	return prog, mains
}

func TestSpeed(t *testing.T) {
	for _, p := range []string{"cmd/gofmt", "cmd/vet"} {
		prog, mains := load(t, p)
		start := time.Now()
		r := pointsto.Analyze(prog, mains)
		t.Logf("%s: %d functions, %d edges, %d objects, %d slots in %s", p, len(r.Functions()), r.Edges(), len(r.Objects()), r.Slots(), time.Since(start))
	}
}
