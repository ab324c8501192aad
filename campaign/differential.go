package campaign

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"misstep/dap"
	"misstep/debugger"
	"misstep/finding"
	"misstep/gen"
	"misstep/internal/gobuild"
	"misstep/oracle"
	"misstep/oracle/differential"
)

// differential is a session side by side with the engines to compare with. What
// differs is believed if it comes again in the same way.
func (w *worker) differential(ctx context.Context) error {
	sides, unlike, err := w.sides(ctx)
	if err != nil {
		return err
	}
	if unlike != "" {
		w.run.Given = unlike
		return nil
	}
	d := &differential.Test{
		Sides: sides,
		Open: func(ctx context.Context, s *differential.Side) (*dap.Session, *dap.Output, error) {
			w.mu.Lock()
			w.run.Sessions++
			w.mu.Unlock()
			return dap.Open(ctx, w.m.Keeper, s.Adapter, dap.TargetOf(s.Debuggee.Build), w.job.Options)
		},
		Done: func(_ *differential.Side, s *dap.Session, events []dap.Event) {
			s.Close()
			w.count(events)
		},
	}
	first, err := d.Run(ctx, w.generator())
	if err != nil {
		return err
	}
	w.run.Tally.Merge(&first.Left)
	w.run.Tally.Add(differential.Oracle, first.Compared)
	if first.NotLaunched != "" {
		w.run.Given = first.NotLaunched
		return nil
	}
	x := first.Disagreement
	if x == nil {
		return nil
	}
	again, err := d.Run(ctx, gen.Fixed(dap.Actions(first.Traces[0])))
	if err != nil {
		return err
	}
	y := again.Disagreement
	if y == nil || y.Index != x.Index || *y.Diff != *x.Diff {
		w.run.Unstable = "differential: " + d.Describe(x, first.Traces[0][x.Index].Action)
		return nil
	}
	f := d.Finding(first)
	if err := w.blame(ctx, f, d, first); err != nil {
		return err
	}
	w.add(f)
	return nil
}

// blame notes which sides break a rule of the reference model at a disagreement.
func (w *worker) blame(ctx context.Context, f *finding.Finding, d *differential.Test, c *differential.Comparison) error {
	for _, i := range []int{c.Disagreement.One, c.Disagreement.Other} {
		side := d.Sides[i]
		if side.Engine.Adapter == dap.Recorded || side.Engine.Go != w.engines[0].Go {
			continue // the model is of one toolchain's program
		}
		w.p.mu.Lock()
		m, err := w.m.modelOf(ctx, w.p, w.engines[0], w.job.Limits)
		w.p.mu.Unlock()
		if err != nil {
			return err
		}
		broken, _, err := m.Judge(ctx, &oracle.Seen{Debuggee: side.Debuggee, Events: c.Traces[i]})
		if err != nil {
			return err
		}
		at := func(b *finding.Finding) bool { return b.Session().Index == c.Disagreement.Index }
		if n := slices.IndexFunc(broken, at); n >= 0 {
			f.Note("By a recorded run, %s breaks %s.", side.Engine, broken[n].Rule)
		}
	}
	return nil
}

// sides are the engines of a differential test of the program, built for each toolchain
// once; or why it cannot be compared.
func (w *worker) sides(ctx context.Context) ([]*differential.Side, string, error) {
	p := w.p
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sides != nil || p.unlike != "" {
		return p.sides, p.unlike, nil
	}
	sides := []*differential.Side{{Engine: w.engines[0], Adapter: w.adapters[0], Debuggee: p.tested}}
	for i, e := range w.engines[1:] {
		side, unlike, err := w.side(ctx, e, w.adapters[i+1])
		if err != nil {
			return nil, "", err
		}
		if unlike != "" {
			p.unlike = unlike
			return nil, unlike, nil
		}
		sides = append(sides, side)
	}
	p.sides = sides
	return sides, "", nil
}

// side is one engine with the program; or why it cannot be compared.
func (w *worker) side(ctx context.Context, e gobuild.Engine, a *dap.Adapter) (*differential.Side, string, error) {
	p := w.p
	side := &differential.Side{Engine: e, Adapter: a, Debuggee: p.tested}
	if e.Adapter == dap.Recorded {
		m, err := w.m.modelOf(ctx, p, w.engines[0], w.job.Limits)
		if err != nil {
			return nil, "", err
		}
		if m.Why != "" {
			return nil, "no recorded run to compare with: " + m.Why, nil
		}
		side.Adapter, side.Breaks = debugger.Adapter(m.Stops(), p.tested.ExitCode, p.tested.Stderr), m.Clear
		return side, "", nil
	}
	if w.engines[0].SameBuild(e) {
		return side, "", nil
	}
	made, err := w.m.maker(w.job.Limits).Make(ctx, p.source, e)
	var build *gobuild.BuildError
	var unfit *gobuild.Unfit
	switch {
	case ctx.Err() != nil:
		return nil, "", ctx.Err()
	case errors.As(err, &build):
		return nil, fmt.Sprintf("does not build for %s: %s", e, firstLine(build.Output)), nil
	case errors.As(err, &unfit):
		return nil, fmt.Sprintf("unfit with %s: %s", e, unfit.Reason), nil
	case err != nil:
		return nil, "", err
	case made.Stdout != p.tested.Stdout || made.ExitCode != p.tested.ExitCode:
		return nil, fmt.Sprintf("does something else when built for %s", e), nil
	}
	side.Debuggee = made
	return side, "", nil
}
