package pool_test

import (
	"context"
	"strings"
	"testing"

	"misstep/conform"
	"misstep/conform/pool"
	"misstep/dap"
	"misstep/faults"
	"misstep/internal/executed"
	"misstep/internal/gobuild"
	"misstep/internal/testhouse"
	"misstep/script"
)

// TestGrow: sessions of one program make a pool whose curve rises; its tests are small enough, pass with a healthy debugger, execute
// what the pool does, and do not all pass with broken ones. With the pool of before it goes on.
func TestGrow(t *testing.T) {
	h := testhouse.New(t)
	env, err := script.NewEnv(t.Output())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { env.Close() })
	ctx := context.Background()
	healthy, err := dap.Resolve(ctx, h.Cache, h.Engine)
	if err != nil {
		t.Fatal(err)
	}
	counting := *healthy
	var source string
	if counting.Path, source, err = h.Cache.DlvCovered(ctx, h.Engine); err != nil {
		t.Fatal(err)
	}
	grower := func(trials int, old []*script.Script) *pool.Grower {
		return &pool.Grower{
			Env: env, Engine: h.Engine, Adapter: &counting, Programs: h.Find(t, "corpus/polygons"), Old: old, Seed: 4, Workers: 2, Trials: trials, Lines: 20, Commands: 10,
			Said: t.Logf,
		}
	}
	const trials = 32
	g := grower(trials, nil)
	grown, err := g.Grow(ctx)
	if err != nil {
		t.Fatal(err)
	}
	first, last := grown.Curve[0], grown.Curve[len(grown.Curve)-1]
	if last.Trials != trials || last.Members < 5 || last.Blocks <= first.Blocks || last.Cases <= first.Cases || len(grown.Skipped) > 0 {
		t.Errorf("the first rounds %+v, the last %+v; left out are %v", first, last, grown.Skipped)
	}
	ledger := &executed.Ledger{Module: gobuild.Delve, Source: source}
	tests, _, err := g.Suite(ctx, pool.Choice{Most: 6, News: func(ctx context.Context, dir string) ([]string, error) {
		profiles, err := env.Cache.Profiles(ctx, dir)
		if err != nil {
			return nil, err
		}
		return ledger.Add(profiles)
	}})
	if err != nil || len(tests) != 6 {
		t.Fatalf("%d tests, %v", len(tests), err)
	}
	for _, test := range tests {
		text := string(test.Script.Format())
		if !strings.Contains(text, "# The session: ") && !strings.HasPrefix(text, "# Launched") || test.Script.Judge() == nil {
			t.Errorf("%s:\n%s", test.Name, text)
		}
		if n, m := len(test.Script.Commands), test.Script.Lines(); n > 10 || m > 20 {
			t.Errorf("%s has %d commands and %d lines", test.Name, n, m)
		}
		if _, err := script.Parse([]byte(text), test.Name); err != nil {
			t.Errorf("%s: %v", test.Name, err)
		}
	}
	if text := string(tests[0].Script.Format()); !strings.Contains(strings.ReplaceAll(text, "\n# ", " "), "the first to execute some of Delve's") {
		t.Errorf("it is not said what of Delve is executed:\n%s", text)
	}
	if names := failures(env, tests); len(names) > 0 {
		t.Errorf("with a healthy debugger fail %v", names)
	}
	for _, name := range []string{"next-runs-on", "always-wrong-caller"} {
		fault, err := faults.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		with := *env
		with.Adapter = faults.Break(healthy, fault)
		if len(failures(&with, tests)) == 0 {
			t.Errorf("all tests pass with the fault %s", name)
		}
	}
	on, err := grower(1, grown.Scripts()).Grow(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if n := on.Curve[0].Blocks; n < last.Blocks*9/10 {
		t.Errorf("a pool that goes on has %d blocks, of %d before", n, last.Blocks)
	}
}

// failures are the tests that fail.
func failures(env *script.Env, tests []conform.Test) (names []string) {
	for _, test := range tests {
		if r := env.Run(context.Background(), test.Script); r.Outcome != script.Passed {
			names = append(names, test.Name+": "+r.Reason)
		}
	}
	return names
}
