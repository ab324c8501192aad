package testscripts

import (
	"errors"
	"fmt"
	"strings"

	"misstep/dap"
	"misstep/internal/gobuild"
	"misstep/oracle"
	"misstep/transform"
)

// relate transforms the script's session so far, in a second session, and holds
// the two against each other.
func relate(c *call) error {
	p := transform.Params{}
	for _, arg := range c.args[1:] {
		key, value, ok := strings.Cut(arg, "=")
		if !ok {
			return fmt.Errorf("expected parameter=value, not %q", arg)
		}
		p[key] = value
	}
	name := c.args[0]
	s := c.script
	var doc string
	target := s.target
	var follow func(*dap.Session) (*transform.Driver, error)
	src, err := s.source()
	if err != nil {
		return err
	}
	if t, ok := transform.LookupRewrite(name); ok {
		doc = t.Doc
		variant, build, err := s.rewrite(t, p)
		if err != nil {
			return err
		}
		target = dap.TargetOf(build)
		follow = func(session *dap.Session) (*transform.Driver, error) {
			return transform.Follow(s.ctx, variant.Relation, s.events, session)
		}
	} else if t, ok := transform.LookupBuild(name); ok {
		doc = t.Doc
		e, ok := t.With(s.engine)
		if !ok || s.build == nil || !t.Fits(s.events) {
			return fmt.Errorf("%s does not apply to %s and this session", name, s.engine)
		}
		dir, err := s.temp("build")
		if err != nil {
			return err
		}
		build, err := s.env.Cache.Build(s.ctx, s.program, e, dir)
		if err != nil {
			return err
		}
		target = dap.TargetOf(build)
		follow = func(session *dap.Session) (*transform.Driver, error) {
			return transform.FollowBuild(s.ctx, t, s.events, src, session)
		}
	} else {
		t, err := transform.Lookup(name)
		if err != nil {
			return err
		}
		doc = t.Doc
		follow = func(session *dap.Session) (*transform.Driver, error) {
			return transform.Run(s.ctx, t, p, s.events, src, session)
		}
	}
	session, out, err := dap.Open(s.ctx, s.env.Keeper, s.adapter, target, s.opts)
	if err != nil {
		return err
	}
	defer session.Close()
	if out != nil {
		return failf("the program is not launched a second time: %s", out)
	}
	d, err := follow(session)
	for _, e := range d.Events {
		c.ts.Logf("\t%s\t%.160s", e.Action, e.Output)
	}
	var m *transform.Mismatch
	if errors.As(err, &m) {
		return s.found(failf("%s (%s) does not hold: %v", name, doc, m), &oracle.Finding{
			Oracle: "metamorphic", Rule: name, Base: s.events, Index: m.Index, Diff: m.Diff, Follow: d.Events,
		})
	}
	return err
}

// rewrite makes and builds a variant of the script's program.
func (s *script) rewrite(t transform.Rewrite, p transform.Params) (*transform.Variant, *gobuild.Build, error) {
	src, err := s.source()
	if err != nil {
		return nil, nil, err
	}
	if s.build == nil {
		return nil, nil, fmt.Errorf("%s needs a program that misstep builds: debug -mode exec", t.Name)
	}
	subject := &transform.Subject{Source: src, Base: s.events}
	if t.NeedsRun {
		if subject.Unrun, err = s.env.Cache.Unrun(s.ctx, s.program, s.engine, gobuild.DefaultLimits); err != nil {
			return nil, nil, err
		}
	}
	v, err := t.Make(subject, p)
	if err != nil {
		return nil, nil, err
	}
	dir, err := s.temp("build")
	if err != nil {
		return nil, nil, err
	}
	build, err := s.env.Cache.Build(s.ctx, v.Program, s.engine, dir)
	if err != nil {
		return nil, nil, fmt.Errorf("a fault of misstep: %s makes a program that does not compile: %w", t.Name, err)
	}
	if v.Relation.New, err = s.env.Loader.Load(s.ctx, v.Program); err != nil {
		return nil, nil, err
	}
	return v, build, nil
}
