package rewrite_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"misstep/internal/testhouse"
	"misstep/transform/rewrite"
)

// TestThroughC: the ways of main-through-c, by whatever flags and with whatever rules of frames, compile, and the programs do what they did.
// MISSTEP_ALL has it go through thirty choices of these in place of three.
func TestThroughC(t *testing.T) {
	h := testhouse.New(t)
	if !h.Engine.CompilesC() {
		t.Skip("there is no compiler of C")
	}
	ctx := context.Background()
	p := h.Find(t, "corpus/recursion")[0]
	old, err := runOnce(h, ctx, t, p)
	if err != nil {
		t.Fatal(err)
	}
	rw, _ := rewrite.Lookup("main-through-c")
	seeds := 3
	if os.Getenv("MISSTEP_ALL") != "" {
		seeds = 30
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			s := subjectOf(h, t, rw, p)
			params, ways := rw.Choose(s, rand.New(rand.NewPCG(uint64(seed), 0)))
			if h.Engine.CompilesCPlus() && ways < 4 {
				t.Fatalf("%d ways", ways)
			}
			v, err := rw.Make(s, params)
			if err != nil {
				t.Fatal(err)
			}
			got, err := runOnce(h, ctx, t, v.Program)
			if err != nil {
				t.Fatal(err)
			}
			if got.ExitCode != old.ExitCode || got.Stdout != old.Stdout {
				t.Errorf("exit code %d and %q, want %d and %q", got.ExitCode, got.Stdout, old.ExitCode, old.Stdout)
			}
		})
	}
}
