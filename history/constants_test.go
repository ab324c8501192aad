package history

import (
	"go/constant"
	"go/types"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestConstants holds the numbers together that the program's half of the recorder and the
// reader each have.
func TestConstants(t *testing.T) {
	pkgs, err := packages.Load(&packages.Config{Mode: packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps}, "misstep/history/record/rt")
	if err != nil || len(pkgs) != 1 || len(pkgs[0].Errors) > 0 {
		t.Fatal(pkgs, err)
	}
	for name, want := range map[string]int64{
		"misstepLoop": wordLoop, "misstepEnter": wordEnter, "misstepExit": wordExit, "misstepMark": WordMark, "misstepLeave": wordLeave,
		"misstepOther": wordOther, "misstepMade": wordMade, "misstepObject": wordObject,
		"misstepOwner": wordOwner, "misstepStamp": wordStamp, "misstepUnwind": wordUnwind, "misstepNested": wordNested,
		"misstepUnnest": wordUnnest, "misstepFarObject": wordFarObject, "misstepFarMade": wordFarMade,
		"misstepWords": ChunkWords, "misstepLines": PanicLines,
	} {
		c, ok := pkgs[0].Types.Scope().Lookup(name).(*types.Const)
		if !ok {
			t.Errorf("package rt has no constant %s", name)
			continue
		}
		if got, _ := constant.Int64Val(c.Val()); got != want {
			t.Errorf("%s is %d, the reader has %d", name, got, want)
		}
	}
}
