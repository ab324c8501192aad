// Package selftest shows that misstep's oracles see what they are for: a
// healthy debugger is broken on purpose, one fault at a time (package faults),
// and a short campaign must find that. A finding counts only if it is of a rule that
// the fault breaks, and if its script fails with the broken debugger and passes with
// the healthy one, so what the healthy debugger does wrong by itself does not count.
package selftest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"misstep/campaign"
	"misstep/dap"
	"misstep/faults"
	"misstep/finding"
	"misstep/gen"
	"misstep/internal/gobuild"
	"misstep/internal/proc"
	"misstep/script"
	"misstep/transform"
	"misstep/transform/action"
	"misstep/transform/rewrite"
)

// A Trial says whether a fault was found.
type Trial struct {
	Fault    faults.Fault
	Found    bool
	Sessions int    // until it was found, or in all
	By       string // the relation or invariant
	Class    string
	Took     time.Duration
}

// A Test runs campaigns against broken debuggers.
type Test struct {
	Keeper  *proc.Keeper
	Cache   *gobuild.Cache
	Engine  gobuild.Engine
	Seed    uint64
	Runs    int // of a fault's campaign, at most
	Workers int

	programs []*gobuild.Program
	find     func(names []string) ([]*gobuild.Program, error)
	machine  *campaign.Machine
	adapter  *dap.Adapter
	version  string // of the engine's toolchain
}

// programs are small, and between them step, recurse, loop and print.
var programs = []string{"corpus/counters", "corpus/recursion", "corpus/loops", "corpus/structs", "corpus/sorting", "corpus/conditions", "corpus/bank", "corpus/goroutines"}

// Run tests one fault.
func (t *Test) Run(ctx context.Context, f faults.Fault) (Trial, error) {
	start := time.Now()
	r := Trial{Fault: f}
	if t.adapter == nil {
		a, err := dap.Resolve(ctx, t.Cache, t.Engine)
		if err != nil {
			return r, err
		}
		finder := &gen.Finder{Cache: t.Cache, Keeper: t.Keeper, Engine: t.Engine}
		if t.programs, _, err = finder.Find(ctx, programs); err != nil {
			return r, err
		}
		t.find = func(names []string) ([]*gobuild.Program, error) {
			found, _, err := finder.Find(ctx, names)
			return found, err
		}
		if t.version, err = t.Cache.GoEnv(ctx, t.Engine, "GOVERSION"); err != nil {
			return r, err
		}
		t.adapter, t.machine = a, campaign.NewMachine(t.Keeper, t.Cache)
	}
	used := t.programs
	if names := f.On(); names != nil {
		var err error
		if used, err = t.find(names); err != nil {
			return r, err
		}
	}
	transformations, rewrites := action.All, []rewrite.Rewrite(nil)
	if name := f.By(); name != "" {
		transformations = nil
		if of, ok := rewrite.Lookup(name); ok {
			rewrites = []rewrite.Rewrite{of}
		} else {
			one, err := action.Lookup(name)
			if err != nil {
				return r, err
			}
			transformations = []transform.Transformation{one}
		}
	}
	engine := t.Engine
	if f.Optimised() {
		engine.GCFlags = ""
	}
	out, err := t.Keeper.TempDir("selftest")
	if err != nil {
		return r, err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	opts := dap.DefaultOptions()
	opts.Request = 2 * time.Second // never-answers would cost too much otherwise
	actions := gen.DefaultConfig()
	actions.Extras, actions.Features = 0.5, 0.6
	cfg := &campaign.Config{
		Engine: engine, Programs: used, Patterns: []string{"selftest"}, Seed: t.Seed, Runs: t.Runs,
		Workers: t.Workers, Out: out, Iterations: 8, Generate: actions, Options: opts, Limits: gobuild.DefaultLimits,
		Actions: transformations, Rewrites: rewrites, Oracles: campaign.Oracles{
			Protocol: true, Reference: true,
			Misuse: slices.ContainsFunc(f.Rules(), func(rule string) bool { return strings.HasPrefix(rule, "protocol") }),
		},
	}
	store, err := campaign.OpenStore(ctx, out)
	if err != nil {
		return r, err
	}
	defer store.Close()
	tried := map[string]int{}
	sessions := 0
	_, err = campaign.Hunt(ctx, cfg, t.machine.With(faults.Break(t.adapter, f)), store, t.version, handler(func(e campaign.Event) {
		told := cmp.Or(e.Finding, e.Early)
		switch {
		case e.Run != nil:
			sessions += e.Run.Sessions
		case r.Found:
		case told != nil && tried[told.What.Class.String()] < tries && f.Breaks(told.What.Oracle, told.What.Rule):
			found := told.What
			tried[found.Class.String()]++
			ok, err := t.caused(ctx, f, found, used)
			if err != nil {
				stop(err)
			} else if ok {
				r.Found, r.By, r.Class = true, found.Oracle+"/"+found.Rule, found.Class.String()
				stop(errFound)
			}
		}
	}))
	r.Sessions = sessions
	r.Took = time.Since(start)
	if err != nil && !errors.Is(err, errFound) {
		return r, fmt.Errorf("fault %s: %w", f.Name, err)
	}
	return r, nil
}

var errFound = errors.New("the fault is found")

// tries is how many findings of a class are tried: of one class, some may be the healthy
// debugger's own.
const tries = 5

// handler is a function that is told of each event.
type handler func(campaign.Event)

func (h handler) Handle(e campaign.Event) error {
	h(e)
	return nil
}

func (handler) Flush() error { return nil }

// caused reports whether a finding is the fault's doing: its script fails with
// the fault and passes without.
func (t *Test) caused(ctx context.Context, f faults.Fault, found *finding.Finding, used []*gobuild.Program) (bool, error) {
	var program *gobuild.Program
	for _, p := range used {
		if p.Name == found.Program {
			program = p
		}
	}
	switch found.Rule {
	case "R9-evaluate", "R10-assign", "R11-goroutine", "R11-hits":
		// What was asked is what is wrong, or is needed.
	default:
		was := found.Session()
		if found.Oracle != "reference" || was.Index < len(was.Base) && was.Base[was.Index].Action.Kind.Meaning().Effect == dap.Asks {
			break
		}
		// A healthy debugger pauses elsewhere, where what was asked has other answers.
		asks, session := *found, *found.Session()
		session.Base = slices.DeleteFunc(slices.Clone(session.Base), func(e dap.Event) bool {
			return !e.Action.Kind.Sets() && !e.Action.Kind.Resumes() && e.Action.Kind != dap.Restart
		})
		asks.Payload = &session
		found = &asks
	}
	s, err := script.Of(found, program)
	if err != nil {
		return false, err
	}
	opts := dap.DefaultOptions()
	opts.Request = 2 * time.Second
	env := &script.Env{Keeper: t.Keeper, Cache: t.Cache, Loader: t.machine.Loader, Options: opts}
	env.Adapter = faults.Break(t.adapter, f)
	broken := env.Run(ctx, s)
	env.Adapter = t.adapter
	healthy := env.Run(ctx, s)
	return broken.Outcome == script.Reproduced && healthy.Outcome == script.Passed, ctx.Err()
}
