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

// With a baseline, every other run of a program is a sweep: a few sessions that ask much in many ways at once. What they say is held
// against the baseline, which needs no recorded run and no base to compare with, so that a short hunt comes through many programs.

// sweepActions is how many actions that let the program run the base of a sweep's transformation has.
const sweepActions = 8

// sweep is such a run.
func (w *worker) sweep(ctx context.Context) error {
	cfg := w.job.Run.Generate
	cfg.Actions = min(cfg.Actions, sweepActions)
	base, given, err := w.session(ctx, w.p.tested, gen.NewGenerator(w.seed(0), cfg, w.p.tested.Source))
	if err != nil || ctx.Err() != nil {
		return err
	}
	if actions := slices.DeleteFunc(slices.Clone(w.actions), sets); given == "" && len(actions) > 0 {
		if _, err := w.transform(ctx, base, &metamorphic.Test{Actions: actions, Wide: 1, Turns: w.job.Run.Turns, Brief: true}); err != nil || ctx.Err() != nil {
			return err
		}
	}
	if err := w.settle(ctx); err != nil || ctx.Err() != nil {
		return err
	}
	for n := range w.job.Run.Sweep {
		if err := w.medley(ctx, n+1); err != nil || ctx.Err() != nil {
			return err
		}
		if err := w.settle(ctx); err != nil || ctx.Err() != nil {
			return err
		}
	}
	src, seed, turn := w.p.tested.Source, w.run.Seed, w.job.Run.Turn
	var rare gen.Chooser
	switch turn % 4 {
	case 0:
		if w.job.Run.Oracles.Misuse {
			return w.misuse(ctx, turn/4)
		}
		rare = gen.NewAsker(seed, src)
	case 1:
		rare = gen.NewLeaver(turn/4, seed, src)
	case 2:
		if len(w.builds) > 0 {
			return w.anything(ctx, w.builds[0])
		}
		rare = gen.NewAsker(seed, src)
	default:
		rare = gen.NewWalker(seed, src, w.otherLines())
	}
	_, _, err = w.session(ctx, w.p.tested, rare)
	return err
}

// medley is the nth session of a run, of those of a sweep that ask much at once, and are started with some settings.
func (w *worker) medley(ctx context.Context, n int) error {
	seed := w.seed(n)
	as := ""
	if w.adapters[0].Name == "dlv" {
		as = action.Mix(rand.New(rand.NewPCG(seed, 0x6d6978)), w.p.tested.Source, func(name string) bool {
			return slices.ContainsFunc(w.actions, func(t transform.Transformation) bool { return t.Name == name })
		})
	}
	t := dap.TargetOf(w.p.tested.Build)
	if err := action.Start(&t, as); err != nil {
		return err
	}
	_, _, _, err := w.playAt(ctx, w.p.tested, t, gen.NewMedley(seed, w.job.Run.Generate, w.p.tested.Source), 1)
	return err
}

// sets reports whether a transformation of actions is a setting, of which a sweep makes several at once; the others it makes one by one.
func sets(t transform.Transformation) bool { return action.Sets(t.Name) }
