package campaign

import (
	"context"
	"math/rand/v2"
	"slices"

	"misstep/dap"
	"misstep/gen"
	"misstep/oracle/metamorphic"
	"misstep/transform"
	"misstep/transform/action"
)

// sweepActions is how many actions that let the program run the base of a sweep's transformation has.
const sweepActions = 8

// sweep is a run of a few sessions that ask much in many ways at once. What they say is held against the baseline, which needs no recorded
// run and no base to compare with, so that a short hunt comes through many programs. Each second one has two transformations of a base, and the others a session of a kind that is rare.
func (w *worker) sweep(ctx context.Context) error {
	turn, medleys := w.job.Run.Turn, w.job.Run.Sweep
	if turn%2 == 0 {
		if err := w.transformed(ctx); err != nil || ctx.Err() != nil {
			return err
		}
	} else {
		medleys++
	}
	for n := range medleys {
		if err := w.settle(ctx); err != nil || ctx.Err() != nil {
			return err
		}
		if err := w.medley(ctx, n+1, true); err != nil || ctx.Err() != nil {
			return err
		}
	}
	if err := w.settle(ctx); err != nil || ctx.Err() != nil || turn%2 == 0 {
		return err
	}
	return w.rare(ctx, turn/2)
}

// transformed is a short base, one transformation of actions that is more than a setting, and one way to launch it that is another.
func (w *worker) transformed(ctx context.Context) error {
	cfg := w.job.Run.Generate
	cfg.Actions = min(cfg.Actions, sweepActions)
	base, given, err := w.session(ctx, w.p.tested, gen.NewGenerator(w.seed(0), cfg, w.p.tested.Source))
	actions := slices.DeleteFunc(slices.Clone(w.actions), sets)
	if err != nil || ctx.Err() != nil || given != "" || len(actions) == 0 {
		return err
	}
	if _, err = w.transform(ctx, base, &metamorphic.Test{Actions: actions, Wide: 1, Turns: w.turns, Brief: true}); err != nil || ctx.Err() != nil {
		return err
	}
	turn := w.job.Run.Turn / 2
	due := launchers[turn%len(launchers)]
	launch := slices.DeleteFunc(slices.Clone(actions[1:]), func(t transform.Transformation) bool { return t.Name != due })
	if len(launch) == 0 {
		return nil
	}
	_, err = w.transform(ctx, base, &metamorphic.Test{Actions: launch, Wide: 1, Turns: []int{turn / len(launchers)}, Brief: true})
	return err
}

// launchers are the transformations of actions by which a program comes to run, and is left, in another way. What they go through in a debugger no other session
// does, so that each sweep has one of them, in turn.
var launchers = []string{"no-debug", "attach", "held", "restart", "debug-mode", "held-no-debug", "another-client", "restart-arguments", "core", "rebuild"}

// rare is the nth session of those kinds of which other runs have one each.
func (w *worker) rare(ctx context.Context, n int) error {
	src, seed := w.p.tested.Source, w.run.Seed
	var rare gen.Chooser
	switch kind := n % rareKinds; {
	case kind == 0 && w.job.Run.Oracles.Misuse:
		return w.misuse(ctx, n/rareKinds)
	case kind == 1:
		rare = gen.NewLeaver(n/rareKinds, seed, src)
	case kind == 2 && len(w.builds) > 0:
		return w.anything(ctx, w.builds[0])
	case kind == 3:
		rare = gen.NewWalker(seed, src, w.otherLines())
	default:
		rare = gen.NewAsker(seed, src)
	}
	_, _, err := w.session(ctx, w.p.tested, rare)
	return err
}

// rareKinds is how many kinds there are of those, the builds being one.
const rareKinds = 4

// medley is the nth session of a run, of those that ask much at once. Mixed says that it is started with some settings.
func (w *worker) medley(ctx context.Context, n int, mixed bool) error {
	seed := w.seed(n)
	as := ""
	if mixed && w.adapters[0].Name == "dlv" {
		as = action.Mix(rand.New(rand.NewPCG(seed, 0x6d6978)), w.p.tested.Source, func(name string) bool {
			return slices.ContainsFunc(w.actions, func(t transform.Transformation) bool { return t.Name == name })
		})
	}
	t := dap.TargetOf(w.p.tested.Build)
	if err := action.Start(&t, as); err != nil {
		return err
	}
	_, _, _, err := w.playAt(ctx, w.p.tested, t, gen.NewMedley(w.dealt(n), seed, w.job.Run.Generate, w.p.tested.Source, w.otherLines(), w.job.Run.Sweep > 0), 1)
	return err
}

// dealt is the number of the nth medley of a run among all of the campaign.
func (w *worker) dealt(n int) int { return w.job.Run.Turn*max(w.job.Run.Sweep, medleys) + n }

// sets reports whether a transformation of actions is a setting, of which a sweep makes several at once; the others it makes one by one.
func sets(t transform.Transformation) bool { return action.Sets(t.Name) }
