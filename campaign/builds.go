package campaign

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"misstep/dap"
	"misstep/gen"
	"misstep/internal/gobuild"
	"misstep/oracle/metamorphic"
	"misstep/transform"
	"misstep/transform/build"
)

// optimised compares what builds with optimisation, and such without debug information, show at each function with what the
// plain one shows.
func (w *worker) optimised(ctx context.Context) error {
	of := func(views ...transform.View) []build.Build {
		return slices.DeleteFunc(slices.Clone(w.builds), func(b build.Build) bool { return !slices.Contains(views, b.View) })
	}
	if err := w.inlined(ctx, of(transform.Inlined)); err != nil || ctx.Err() != nil {
		return err
	}
	builds := of(transform.AtBreakpoints, transform.ByName)
	if len(builds) == 0 {
		return nil
	}
	cfg := w.job.Run.Generate
	cfg.Functions = true
	base, given, err := w.session(ctx, w.p.tested, gen.NewGenerator(w.seed(0), cfg, w.p.tested.Source))
	if err != nil || given != "" {
		return err
	}
	if _, err = w.transform(ctx, base, &metamorphic.Test{Builds: builds, Limit: len(builds)}); err != nil || ctx.Err() != nil {
		return err
	}
	if named := of(transform.ByName); len(named) > 0 {
		if err := w.anything(ctx, named[w.job.Run.Turn%len(named)]); err != nil || ctx.Err() != nil {
			return err
		}
	}
	if builds = of(transform.AtBreakpoints); len(builds) == 0 {
		return nil
	}
	return w.anything(ctx, builds[w.job.Run.Turn%len(builds)])
}

// inlinedLines is at how many lines, and inlinedPauses how often a session pauses that is compared with builds in which functions are inlined.
const inlinedLines, inlinedPauses = 8, 20

// inlined compares what builds with inlining alone show at some lines with what the plain one shows.
func (w *worker) inlined(ctx context.Context, builds []build.Build) error {
	if len(builds) == 0 {
		return nil
	}
	r := rand.New(rand.NewPCG(w.run.Seed, 0x696e6c696e65))
	code := slices.Clone(w.p.tested.Source.Code())
	r.Shuffle(len(code), func(i, j int) { code[i], code[j] = code[j], code[i] })
	var actions []dap.Action
	for _, at := range code[:min(len(code), inlinedLines)] {
		actions = append(actions, dap.Action{Kind: dap.Break, File: at.File, Line: at.Line})
	}
	for range inlinedPauses {
		actions = append(actions, dap.Action{Kind: dap.Continue})
	}
	base, given, err := w.session(ctx, w.p.tested, gen.Fixed(actions))
	if err != nil || given != "" {
		return err
	}
	_, err = w.transform(ctx, base, &metamorphic.Test{Builds: builds, Limit: 1})
	return err
}

// anything is a session of generated actions with a build of another kind, judged by the protocol, by itself and by how the
// program ends.
func (w *worker) anything(ctx context.Context, b build.Build) error {
	e, ok := b.With(w.p.tested.Build.Engine)
	if !ok {
		return nil
	}
	made, err := w.make(ctx, w.p.tested.Build.Program, e)
	var broken *gobuild.BuildError
	var unfit *gobuild.Unfit
	switch {
	case errors.As(err, &broken), errors.As(err, &unfit):
		return nil // which the transformation counts
	case err != nil:
		return err
	}
	var chooser gen.Chooser = gen.NewGenerator(w.seed(1), w.job.Run.Generate, made.Source)
	switch {
	case b.View == transform.ByName:
		chooser = gen.NewAsker(w.seed(1), made.Source) // of variables there are none, and anything may be asked all the same
	case w.job.Run.Sweep > 0:
		chooser = gen.NewMedley(w.dealt(1), w.seed(1), w.job.Run.Generate, made.Source, w.otherLines(), true)
	}
	_, given, err := w.session(ctx, made, chooser)
	if err != nil || given != "" || b.View != transform.AtBreakpoints {
		return err
	}
	// Instructions are others than those of the plain build.
	_, _, err = w.session(ctx, made, gen.NewWalker(w.seed(2), made.Source, w.otherLines()))
	return err
}
