package reference_test

import (
	"context"
	"math/rand"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"misstep/dap"
	"misstep/internal/gobuild"
	"misstep/internal/testhouse"
	"misstep/oracle"
	"misstep/oracle/reference"
)

// TestGenerated: over programs of random statements, a healthy debugger has no finding that is
// not one of the compiler's or of Delve's, and one that leaves out pauses has one. The variable
// MISSTEP_GENERATED has the seeds, such as 1-50.
func TestGenerated(t *testing.T) {
	ctx := context.Background()
	h := testhouse.New(t)
	seeds := os.Getenv("MISSTEP_GENERATED")
	if seeds == "" {
		seeds = "3-4"
	}
	pauses, found := 0, 0
	for _, p := range h.Find(t, "generated/"+seeds) {
		m, err := reference.Record(ctx, h.Keeper, h.Cache, p, h.Engine, gobuild.DefaultLimits, t.TempDir(), reference.Probes{})
		if err != nil {
			t.Fatal(p.Name, err)
		}
		if m.Why != "" {
			t.Logf("%s is not judged: %s", p.Name, m.Why)
			continue
		}
		text, err := os.ReadFile(p.Files[0])
		if err != nil {
			t.Fatal(err)
		}
		seed, _ := strconv.ParseInt(strings.TrimPrefix(p.Name, "generated/"), 10, 64)
		r := rand.New(rand.NewSource(seed))
		var actions []dap.Action
		for line := range strings.Count(string(text), "\n") {
			if m.Clear("main.go", line) && r.Intn(3) == 0 {
				actions = append(actions, dap.Action{Kind: dap.Break, File: "main.go", Line: line})
			}
		}
		actions = append(actions, dap.Action{Kind: dap.Continue})
		for range 80 {
			kinds := []dap.Kind{dap.Continue, dap.Continue, dap.Next, dap.StepIn, dap.StepOut}
			actions = append(actions, dap.Action{Kind: kinds[r.Intn(len(kinds))]})
		}
		events := session(t, h, p, append(actions, dap.Action{Kind: dap.Finish}))
		healthy, _, err := m.Judge(ctx, &oracle.Seen{Events: events})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range healthy {
			// A line's first instruction may be a jump that other ways to the line pass by, and
			// functions in registers cannot be read.
			if f.Rule == "R2-breakpoint" || f.Rule == "R4-next" || strings.Contains(f.Reason, "R2-breakpoint") || strings.Contains(f.Reason, "(unreadable ") {
				t.Logf("%s: %s", p.Name, f.Reason)
				continue
			}
			t.Errorf("%s: a healthy debugger: %s", p.Name, f.Reason)
		}
		if len(healthy) > 0 {
			continue
		}
		// A pause at a breakpoint that is left out, one after the other.
		for i, e := range events {
			if e.Output.Pause == nil || e.Action.Kind != dap.Continue || len(e.Output.Pause.Hit) == 0 {
				continue
			}
			pauses++
			seen, _, err := m.Judge(ctx, &oracle.Seen{Events: slices.Delete(slices.Clone(events), i, i+1)})
			if err != nil {
				t.Fatal(err)
			}
			if len(seen) > 0 {
				found++
			}
		}
	}
	t.Logf("%d of %d pauses at breakpoints that were left out are found", found, pauses)
	if pauses == 0 || found*2 < pauses {
		t.Errorf("of %d pauses that were left out, %d are found", pauses, found)
	}
}
