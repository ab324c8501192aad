package build_test

import (
	"testing"

	"misstep/internal/gobuild"
	"misstep/transform/build"
)

// TestExclude: what is not in a binary is not kept apart from it, in whichever order the two are asked for.
func TestExclude(t *testing.T) {
	plain, err := gobuild.ParseEngine("dlv")
	if err != nil {
		t.Fatal(err)
	}
	for _, apart := range []string{"separate-debug", "separate-folder"} {
		for _, without := range []string{"stripped", "no-dwarf", "stripped-pie"} {
			for _, order := range [][2]string{{apart, without}, {without, apart}} {
				first, _ := build.Lookup(order[0])
				second, _ := build.Lookup(order[1])
				e, ok := first.With(plain)
				if !ok {
					t.Fatalf("%s does not suit %s", order[0], plain)
				}
				if both, ok := second.With(e); ok {
					t.Errorf("%s, and then %s: %s", order[0], order[1], both)
				}
			}
		}
	}
}
