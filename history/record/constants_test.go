package record

import (
	"go/constant"
	"go/types"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestShared holds the layout of the shared memory together that the program's half of the
// recorder and the other one each have.
func TestShared(t *testing.T) {
	pkgs, err := packages.Load(&packages.Config{Mode: packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps}, "misstep/history/record/rt")
	if err != nil || len(pkgs) != 1 || len(pkgs[0].Errors) > 0 {
		t.Fatal(pkgs, err)
	}
	for name, want := range map[string]int64{
		"misstepHead": chunkHead, "misstepChunks": sharedChunks, "misstepBatch": sharedBatch, "misstepMagic": sharedMagic,
	} {
		c, ok := pkgs[0].Types.Scope().Lookup(name).(*types.Const)
		if !ok {
			t.Errorf("package rt has no constant %s", name)
			continue
		}
		if got, _ := constant.Int64Val(c.Val()); got != want {
			t.Errorf("%s is %d, the recorder has %d", name, got, want)
		}
	}
}
