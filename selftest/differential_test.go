package selftest_test

import (
	"context"
	"slices"
	"testing"

	"misstep/dap"
	"misstep/faults"
	"misstep/gen"
	"misstep/internal/debuggee"
	"misstep/internal/testhouse"
	"misstep/oracle/differential"
)

// TestDifferential: a debugger agrees with itself, and a broken one does not agree
// with it; of three, the broken one is the odd one out.
func TestDifferential(t *testing.T) {
	h := testhouse.New(t)
	ctx := context.Background()
	p := h.Find(t, "corpus/structs")[0]
	sub := &debuggee.Debuggee{Build: h.Build(t, p), Source: h.Load(t, p)}
	healthy, err := dap.Resolve(ctx, h.Cache, h.Engine)
	if err != nil {
		t.Fatal(err)
	}
	compare := func(seed uint64, adapters ...*dap.Adapter) *differential.Comparison {
		t.Helper()
		d := &differential.Test{
			Open: func(ctx context.Context, s *differential.Side) (*dap.Session, *dap.Output, error) {
				return dap.Open(ctx, h.Keeper, s.Adapter, dap.TargetOf(s.Debuggee.Build), dap.DefaultOptions())
			},
			Done: func(_ *differential.Side, s *dap.Session, _ []dap.Event) { s.Close() },
		}
		for _, a := range adapters {
			d.Sides = append(d.Sides, &differential.Side{Engine: h.Engine, Adapter: a, Debuggee: sub})
		}
		cfg := gen.DefaultConfig()
		cfg.Breakpoints = 0.5
		c, err := d.Run(ctx, gen.NewGenerator(seed, cfg, sub.Source))
		if err != nil {
			t.Fatal(err)
		}
		if c.NotLaunched != "" || c.Compared < 5 {
			t.Fatalf("%d actions compared, %s", c.Compared, c.NotLaunched)
		}
		return c
	}
	const seeds = 5
	for seed := range uint64(seeds) {
		if x := compare(seed, healthy, healthy, healthy).Disagreement; x != nil {
			t.Errorf("a debugger differs from itself: %s", x.Diff.Says("one", "the other"))
		}
	}
	for _, name := range []string{"drop-pause", "line-off", "hide-variable", "drop-frame", "exit-code"} {
		f, err := faults.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		broken := faults.Break(healthy, f)
		// Not each session comes to what is broken.
		seed := uint64(0)
		for seed < seeds && compare(seed, healthy, broken).Disagreement == nil {
			seed++
		}
		if seed == seeds {
			t.Errorf("%s is not seen by comparison with a healthy debugger", name)
			continue
		}
		x := compare(seed, healthy, broken, healthy).Disagreement
		if x == nil || !slices.Equal(x.Odd, []int{1}) {
			t.Errorf("%s: the vote names %+v as the odd one out, not the second of three", name, x)
		}
	}
}
