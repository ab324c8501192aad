package campaign

import (
	"context"
	"errors"
	"fmt"

	"misstep/dap"
	"misstep/debugger"
	"misstep/gen"
	"misstep/internal/gobuild"
	"misstep/oracle"
	"misstep/oracle/reference"
	"misstep/triage"
)

// differential is a session side by side with the engines to compare with. What
// differs is believed if it comes again in the same way.
func (w *worker) differential(ctx context.Context) error {
	sides, unfit, err := w.c.sides(ctx, w.s)
	if err != nil {
		return err
	}
	if unfit != "" {
		w.run.Given = unfit
		return nil
	}
	d := &oracle.Differential{
		Sides: sides,
		Open: func(ctx context.Context, s *oracle.Side) (*dap.Session, *dap.Output, error) {
			w.mu.Lock()
			w.run.Sessions++
			w.mu.Unlock()
			return dap.Open(ctx, w.c.keeper, s.Adapter, dap.TargetOf(s.Subject.Build), w.c.cfg.Options)
		},
		Done: func(_ *oracle.Side, s *dap.Session, events []dap.Event) {
			s.Close()
			w.run.Actions += len(events)
			for _, e := range events {
				if e.Output.Kind == dap.Paused {
					w.run.Pauses++
				}
			}
		},
	}
	first, err := d.Run(ctx, w.generator())
	if err != nil {
		return err
	}
	w.run.Tally.Merge(&first.Left)
	w.run.Tally.Add("differential", first.Compared)
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
	reason := "Debuggers show the same. But " + d.Describe(x, first.Traces[0][x.Index].Action)
	f := &oracle.Finding{
		Oracle: "differential", Rule: "differential", Reason: reason + ".",
		Base: first.Traces[0], Index: x.Index, Diff: x.Diff, Follow: first.Traces[x.Other],
	}
	for _, s := range sides[1:] {
		f.Against = append(f.Against, s.Engine.String())
	}
	// Recording a program takes seconds: it is done for the first finding of a class.
	w.c.mu.Lock()
	known := w.c.classes[triage.Class(f, w.s.tested.Source)]
	w.c.mu.Unlock()
	if !known {
		blamed, err := w.blame(ctx, d, first)
		if err != nil {
			return err
		}
		f.Reason = reason + blamed + "."
	}
	w.add(w.s.tested, f)
	return nil
}

// blame says which sides break a rule of the reference model at a disagreement.
func (w *worker) blame(ctx context.Context, d *oracle.Differential, c *oracle.Comparison) (string, error) {
	text := ""
	for _, i := range []int{c.Disagreement.One, c.Disagreement.Other} {
		side := d.Sides[i]
		if side.Engine.Adapter == oracle.ReferenceAdapter || side.Engine.Go != w.c.cfg.Engine.Go {
			continue // the model is of one toolchain's program
		}
		m, err := w.c.model(ctx, w.s)
		if err != nil {
			return "", err
		}
		verdicts, _, err := m.Judge(ctx, c.Traces[i])
		if err != nil {
			return "", err
		}
		for _, v := range verdicts {
			if v.Index == c.Disagreement.Index {
				text += fmt.Sprintf("; by a recorded run, %s breaks %s", side.Engine, v.Rule)
				break
			}
		}
	}
	return text, nil
}

// sides are the engines of a differential test of a program, built for each toolchain
// once; or why it cannot be compared.
func (c *campaign) sides(ctx context.Context, s *subject) ([]*oracle.Side, string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sides != nil || s.unlike != "" {
		return s.sides, s.unlike, nil
	}
	sides := []*oracle.Side{{Engine: c.cfg.Engine, Adapter: c.adapter, Subject: s.tested}}
	for i, e := range c.cfg.Against {
		side := &oracle.Side{Engine: e, Adapter: c.against[i], Subject: s.tested}
		if e.Adapter == oracle.ReferenceAdapter {
			m, err := c.modelLocked(ctx, s)
			if err != nil {
				return nil, "", err
			}
			if m.Why != "" {
				s.unlike = "no recorded run to compare with: " + m.Why
				return nil, s.unlike, nil
			}
			side.Adapter, side.Breaks = debugger.Adapter(m.Timeline(), s.tested.ExitCode), m.Clear
		} else if !c.cfg.Engine.SameBuild(e) {
			made, err := c.make(ctx, s.program, e)
			var build *gobuild.BuildError
			var unfit *gobuild.Unfit
			switch {
			case ctx.Err() != nil:
				return nil, "", ctx.Err()
			case errors.As(err, &build):
				s.unlike = fmt.Sprintf("does not build for %s: %s", e, firstLine(build.Output))
			case errors.As(err, &unfit):
				s.unlike = fmt.Sprintf("unfit with %s: %s", e, unfit.Reason)
			case err != nil:
				return nil, "", err
			case made.Stdout != s.tested.Stdout || made.ExitCode != s.tested.ExitCode:
				s.unlike = fmt.Sprintf("does something else when built for %s", e)
			}
			if s.unlike != "" {
				return nil, s.unlike, nil
			}
			side.Subject = made
		}
		sides = append(sides, side)
	}
	s.sides = sides
	return sides, "", nil
}

// model is the reference model of a program, recorded when it is first needed.
func (c *campaign) model(ctx context.Context, s *subject) (*reference.Model, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return c.modelLocked(ctx, s)
}

func (c *campaign) modelLocked(ctx context.Context, s *subject) (*reference.Model, error) {
	if s.model != nil {
		return s.model, nil
	}
	m, err := c.record(ctx, s)
	if err != nil {
		return nil, err
	}
	s.model = m
	return m, nil
}
