package selftest_test

import (
	"slices"
	"strings"
	"testing"

	"misstep/campaign"
	"misstep/dap"
	"misstep/faults"
	"misstep/finding"
	"misstep/gen"
	"misstep/internal/gobuild"
	"misstep/internal/testhouse"
	"misstep/oracle/baseline"
	"misstep/script"
)

// TestBaseline: of what a broken debugger shows, the healthy one being the baseline, what that shows as
// well is no finding, and what the fault breaks is.
func TestBaseline(t *testing.T) {
	h := testhouse.New(t)
	a, err := dap.Resolve(t.Context(), h.Cache, h.Engine)
	if err != nil {
		t.Fatal(err)
	}
	fault, err := faults.Lookup("exits-well")
	if err != nil {
		t.Fatal(err)
	}
	version, err := h.Cache.GoEnv(t.Context(), h.Engine, "GOVERSION")
	if err != nil {
		t.Fatal(err)
	}
	for _, release := range []*gobuild.Engine{nil, &h.Engine} {
		cfg := &campaign.Config{
			Engine: h.Engine, Baseline: release, Programs: h.Find(t, fault.On()[0]), Patterns: []string{"baseline"}, Seed: 1, Runs: 1,
			Workers: 2, Out: t.TempDir(), Generate: gen.DefaultConfig(), Options: dap.DefaultOptions(), Limits: gobuild.DefaultLimits,
			Oracles: campaign.Oracles{Protocol: true, Reference: true},
		}
		store, err := campaign.OpenStore(t.Context(), cfg.Out)
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		machine := campaign.NewMachine(h.Keeper, h.Cache).With(faults.Break(a, fault))
		sum, err := campaign.Hunt(t.Context(), cfg, machine, store, version, handler{})
		if err != nil {
			t.Fatal(err)
		}
		var found, others []string
		for _, c := range sum.Classes() {
			// After an assignment the rule about the end is that of the assignment.
			if strings.HasPrefix(c.Class, "R8-end/") || strings.HasPrefix(c.Class, "R10-assign/") && strings.HasSuffix(c.Class, "/exit") {
				found = append(found, c.Class)
			} else {
				others = append(others, c.Class)
			}
		}
		switch {
		case len(found) == 0:
			t.Errorf("baseline %v: the fault is not found", release)
		case release == nil && (len(others) == 0 || len(sum.Shared) > 0):
			t.Errorf("without a baseline: %v are told, %v are shared", others, sum.Shared)
		case release != nil && (len(others) > 0 || len(sum.Shared) == 0):
			t.Errorf("with a baseline: %v are told, %v are shared", others, sum.Shared)
		}
	}
}

type handler struct{}

func (handler) Handle(campaign.Event) error { return nil }
func (handler) Flush() error                { return nil }

// TestAlike: what a fault changes is told by the messages that the healthy debugger sends in the same session, without any other
// oracle; and of a healthy one nothing is.
func TestAlike(t *testing.T) {
	h := testhouse.New(t)
	a, err := dap.Resolve(t.Context(), h.Cache, h.Engine)
	if err != nil {
		t.Fatal(err)
	}
	version, err := h.Cache.GoEnv(t.Context(), h.Engine, "GOVERSION")
	if err != nil {
		t.Fatal(err)
	}
	told := func(t *testing.T, a *dap.Adapter, first bool, programs ...string) []*finding.Finding {
		cfg := &campaign.Config{
			Engine: h.Engine, Baseline: &h.Engine, Programs: h.Find(t, programs...), Patterns: []string{"alike"}, Seed: 1, Runs: len(programs),
			Workers: 2, Out: t.TempDir(), Generate: gen.DefaultConfig(), Options: dap.DefaultOptions(), Limits: gobuild.DefaultLimits,
			Oracles: campaign.Oracles{Baseline: true}, FailFast: first,
		}
		store, err := campaign.OpenStore(t.Context(), cfg.Out)
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		var found keeper
		sum, err := campaign.Hunt(t.Context(), cfg, campaign.NewMachine(h.Keeper, h.Cache).With(a), store, version, &found)
		if err != nil {
			t.Fatal(err)
		}
		if sum.Tally.Made[baseline.Oracle] == 0 {
			t.Error("no message was compared")
		}
		return found
	}
	if got := told(t, a, false, testhouse.Part([]string{"corpus/locks", "corpus/structs"}, 2)...); len(got) > 0 {
		t.Errorf("a healthy debugger: %v", got)
	}
	classes := map[string]string{"exits-well": "baseline/exited-event/", "places-lost": "baseline/variables/", "rename-frame": "baseline/stackTrace/"}
	for _, name := range testhouse.Part([]string{"places-lost", "exits-well", "rename-frame"}, 3) {
		class := classes[name]
		fault, err := faults.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		on := fault.On()
		if on == nil {
			on = []string{"corpus/polygons"}
		}
		broken := faults.Break(a, fault)
		found := told(t, broken, true, on...)
		i := slices.IndexFunc(found, func(f *finding.Finding) bool { return strings.HasPrefix(f.Class.String(), class) })
		if i < 0 {
			t.Errorf("%s: %v, want one of %s", name, found, class)
			continue
		}
		s, err := script.Of(found[i], found[i].Debuggee.Build.Program)
		if err != nil {
			t.Fatal(err)
		}
		for _, try := range []struct {
			by   *dap.Adapter
			want script.Ending
		}{{broken, script.Reproduced}, {a, script.Passed}} {
			env := &script.Env{Keeper: h.Keeper, Cache: h.Cache, Loader: campaign.NewMachine(h.Keeper, h.Cache).Loader, Options: dap.DefaultOptions(), Adapter: try.by}
			if r := env.Run(t.Context(), s); r.Outcome != try.want {
				t.Errorf("%s: the script of %s ends with %v, want %v:\n%s", name, found[i].Class, r.Outcome, try.want, r.Log)
			}
		}
	}
}

// keeper keeps the findings of a campaign.
type keeper []*finding.Finding

func (k *keeper) Handle(e campaign.Event) error {
	if e.Finding != nil {
		*k = append(*k, e.Finding.What)
	}
	return nil
}

func (*keeper) Flush() error { return nil }
