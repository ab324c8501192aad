package grow_test

import (
	"context"
	"strings"
	"testing"

	"misstep/conform"
	"misstep/conform/grow"
	"misstep/dap"
	"misstep/faults"
	"misstep/internal/testhouse"
	"misstep/script"
)

// TestGrow: tests that are made for a few alternatives are judged, pass with a healthy debugger each time, demand where it pauses,
// and do not all pass with broken ones.
func TestGrow(t *testing.T) {
	h := testhouse.New(t)
	env, err := script.NewEnv(t.Output())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { env.Close() })
	ctx := context.Background()
	g := &grow.Grower{Env: env, Engine: h.Engine, Seed: 4, Sample: 4, Said: t.Logf}
	grown, err := g.Grow(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if grown.Alternatives != 4 || grown.Judged < 3 || len(grown.Suite) < 2 || len(grown.Failing) > 0 {
		t.Errorf("%d alternatives, %d built, %d judged, %d tests, %d fail; left are %v", grown.Alternatives, grown.Built, grown.Judged, len(grown.Suite), len(grown.Failing), grown.Left)
	}
	for _, test := range grown.Suite {
		text := string(test.Script.Format())
		if !strings.HasPrefix(text, "# What the grammar of Go calls ") || !strings.Contains(text, "\npause main.go:") || !strings.Contains(text, "\nreference\n") {
			t.Errorf("%s:\n%s", test.Name, text)
		}
		if _, err := script.Parse([]byte(text), test.Name); err != nil {
			t.Errorf("%s: %v", test.Name, err)
		}
	}
	if r := failures(t, env, grown.Suite); r > 0 {
		t.Errorf("%d tests fail with a healthy debugger", r)
	}
	healthy, err := dap.Resolve(ctx, h.Cache, h.Engine)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"next-runs-on", "always-wrong-caller"} {
		fault, err := faults.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		with := *env
		with.Adapter = faults.Break(healthy, fault)
		if failures(t, &with, grown.Suite) == 0 {
			t.Errorf("all tests pass with the fault %s", name)
		}
	}
}

// failures is how many tests fail.
func failures(t *testing.T, env *script.Env, tests []conform.Test) int {
	t.Helper()
	n := 0
	for _, test := range tests {
		if r := env.Run(context.Background(), test.Script); r.Outcome != script.Passed {
			n++
		}
	}
	return n
}
