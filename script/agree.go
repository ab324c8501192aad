package script

import (
	"context"
	"errors"
	"fmt"

	"misstep/dap"
	"misstep/debugger"
	"misstep/gen"
	"misstep/internal/debuggee"
	"misstep/internal/gobuild"
	"misstep/oracle/differential"
)

// agree carries the script's actions out once more, on its own engine and on others
// side by side, and demands that all show the same. In a script about a coverage profiler it
// is tools that do.
func agree(r *run, c *Command) error {
	if r.coverage != nil {
		return toolsAgree(r, c)
	}
	if r.build == nil {
		return errNotBuilt
	}
	mine, err := r.debuggee()
	if err != nil {
		return err
	}
	d := &differential.Test{
		Sides: []*differential.Side{{Engine: r.engine, Adapter: r.adapter, Debuggee: mine}},
		Open: func(ctx context.Context, side *differential.Side) (*dap.Session, *dap.Output, error) {
			return dap.Open(ctx, r.env.Keeper, side.Adapter, dap.TargetOf(side.Debuggee.Build), r.opts)
		},
		Done: func(_ *differential.Side, session *dap.Session, _ []dap.Event) { session.Close() },
	}
	for _, text := range c.Args {
		side, err := r.side(text, mine)
		if err != nil {
			return err
		}
		d.Sides = append(d.Sides, side)
	}
	compared, err := d.Run(r.ctx, gen.Fixed(dap.Actions(r.events)))
	if err != nil {
		return err
	}
	if compared.NotLaunched != "" {
		return errors.New(compared.NotLaunched)
	}
	if compared.Disagreement == nil {
		return nil
	}
	return r.found(d.Finding(compared))
}

// side is an engine to compare with.
func (r *run) side(text string, mine *debuggee.Debuggee) (*differential.Side, error) {
	e, err := gobuild.ParseEngine(text)
	if err != nil {
		return nil, err
	}
	if e.Go == "" {
		e.Go = r.engine.Go
	}
	if e.Adapter == dap.Recorded {
		// What holds only if the recorded program does what the plain one does.
		m, err := r.model(r.ctx, nil)
		if err != nil {
			return nil, err
		}
		if m.Why != "" {
			return nil, fmt.Errorf("%w: %s", errNoReference, m.Why)
		}
		return &differential.Side{Engine: e, Adapter: debugger.Adapter(m.Stops(), mine.ExitCode, mine.Stderr), Debuggee: mine, Breaks: m.Clear}, nil
	}
	a, err := dap.Resolve(r.ctx, r.env.Cache, e)
	if err != nil {
		return nil, err
	}
	side := &differential.Side{Engine: e, Adapter: a, Debuggee: mine}
	if r.engine.SameBuild(e) {
		return side, nil
	}
	side.Debuggee, err = r.env.maker().Make(r.ctx, r.program, e)
	return side, err
}
