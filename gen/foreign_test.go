package gen

import (
	"go/importer"
	"go/token"
	"go/types"
	"math/rand/v2"
	"strings"
	"testing"

	"misstep/internal/source"
)

// TestForeign: of a variable of each type of the table, each method is generated, and each that is in the table is one.
func TestForeign(t *testing.T) {
	imp := importer.ForCompiler(token.NewFileSet(), "source", nil)
	for name, methods := range harmlessMethods {
		dot := strings.LastIndexByte(name, '.')
		lib, err := imp.Import(name[:dot])
		if err != nil {
			t.Fatal(err)
		}
		own := types.NewPackage("program", "main")
		e := &exprs{src: &source.Source{Pkg: own, Info: &types.Info{}}, r: rand.New(rand.NewPCG(1, 1))}
		e.atoms = []typed{{text: "x", typ: lib.Scope().Lookup(name[dot+1:]).Type()}}
		seen := map[string]bool{}
		for _, fn := range e.foreign() {
			seen[fn.Name()] = true
			if recv := e.operand(fn.Signature().Recv().Type(), true); recv != "x" {
				t.Errorf("%s.%s: called on %q", name, fn.Name(), recv)
			}
		}
		for _, m := range methods {
			if !seen[m] {
				t.Errorf("%s has no method %s", name, m)
			}
		}
	}
}
