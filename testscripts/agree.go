package testscripts

import (
	"context"
	"errors"

	"misstep/dap"
	"misstep/debugger"
	"misstep/gen"
	"misstep/internal/gobuild"
	"misstep/oracle"
	"misstep/oracle/reference"
)

// agree carries the script's actions out once more, on its own engine and on others
// side by side, and demands that all show the same.
func agree(c *call) error {
	s := c.script
	if s.build == nil {
		return errors.New("only in mode exec")
	}
	src, err := s.source()
	if err != nil {
		return err
	}
	p, err := s.plain()
	if err != nil {
		return err
	}
	mine := &oracle.Subject{Build: s.build, Source: src, Stdout: p.Stdout, ExitCode: p.ExitCode}
	d := &oracle.Differential{
		Sides: []*oracle.Side{{Engine: s.engine, Adapter: s.adapter, Subject: mine}},
		Open: func(ctx context.Context, side *oracle.Side) (*dap.Session, *dap.Output, error) {
			return dap.Open(ctx, s.env.Keeper, side.Adapter, dap.TargetOf(side.Subject.Build), s.opts)
		},
		Done: func(_ *oracle.Side, session *dap.Session, _ []dap.Event) { session.Close() },
	}
	for _, text := range c.args {
		side, err := s.side(text, mine)
		if err != nil {
			return err
		}
		d.Sides = append(d.Sides, side)
	}
	found, err := d.Run(s.ctx, gen.Fixed(dap.Actions(s.events)))
	if err != nil {
		return err
	}
	if found.NotLaunched != "" {
		return errors.New(found.NotLaunched)
	}
	x := found.Disagreement
	if x == nil {
		return nil
	}
	f := &oracle.Finding{
		Oracle: "differential", Rule: "differential", Base: found.Traces[0], Index: x.Index, Diff: x.Diff, Follow: found.Traces[x.Other],
	}
	return s.found(failf("%s", d.Describe(x, found.Traces[0][x.Index].Action)), f)
}

// side is an engine to compare with.
func (s *script) side(text string, mine *oracle.Subject) (*oracle.Side, error) {
	e, err := gobuild.ParseEngine(text)
	if err != nil {
		return nil, err
	}
	if e.Go == "" {
		e.Go = s.engine.Go
	}
	if e.Adapter == oracle.ReferenceAdapter {
		dir, err := s.temp("record")
		if err != nil {
			return nil, err
		}
		m, err := reference.Record(s.ctx, s.env.Keeper, s.env.Cache, s.program, s.engine, gobuild.DefaultLimits, dir, reference.Probes{})
		if err != nil {
			return nil, err
		}
		if m.Why != "" {
			return nil, errors.New("there is no reference for this program: " + m.Why)
		}
		return &oracle.Side{Engine: e, Adapter: debugger.Adapter(m.Timeline(), mine.ExitCode), Subject: mine, Breaks: m.Clear}, nil
	}
	a, err := dap.Resolve(s.ctx, s.env.Cache, e)
	if err != nil {
		return nil, err
	}
	side := &oracle.Side{Engine: e, Adapter: a, Subject: mine}
	if s.engine.SameBuild(e) {
		return side, nil
	}
	dir, err := s.temp("build")
	if err != nil {
		return nil, err
	}
	b, err := s.env.Cache.Build(s.ctx, s.program, e, dir)
	if err != nil {
		return nil, err
	}
	side.Subject = &oracle.Subject{Build: b, Source: mine.Source, Stdout: mine.Stdout, ExitCode: mine.ExitCode}
	return side, nil
}
