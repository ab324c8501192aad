package script

import (
	"errors"
	"fmt"

	"misstep/dap"
	"misstep/finding"
	"misstep/internal/debuggee"
	"misstep/internal/gobuild"
	"misstep/oracle/metamorphic"
	"misstep/transform"
	"misstep/transform/action"
	"misstep/transform/build"
	"misstep/transform/rewrite"
)

// A followUp is a transformation that is ready to be made.
type followUp struct {
	name, doc string
	target    dap.Target
	drive     func(base []dap.Event, s *dap.Session) (*transform.Driver, error)
	made      *gobuild.Build // of the same source; nil if it is the script's own build, or another program's
}

// relate transforms the script's session so far, in a second session, and holds
// the two against each other.
func relate(r *run, c *Command) error {
	params, err := transform.ParseParams(c.Args[1:])
	if err != nil {
		return err
	}
	if r.build == nil {
		return errNotBuilt
	}
	mine, err := r.debuggee()
	if err != nil {
		return err
	}
	f, err := r.followUp(c.Args[0], params, mine)
	if err != nil {
		return err
	}
	var varying metamorphic.Varying
	for base := r.events; ; base = varying.Mask(base) {
		d, err := r.follow(f, base)
		var m *transform.Mismatch
		if !errors.As(err, &m) {
			return err
		}
		// What runs of the program differ in anyway is no difference.
		varies, err := r.varies(&varying, base, mine)
		if err != nil {
			return err
		}
		if varies {
			continue
		}
		found := finding.OfSession(metamorphic.Rule(f.name, f.doc), mine, &finding.Session{Base: r.events, Index: m.Index, Follow: d.Events},
			m.Diff, finding.Untransformed, finding.Transformed)
		found.Params, found.Ran = params, f.made
		return r.found(found)
	}
}

// follow makes a follow-up of a base.
func (r *run) follow(f *followUp, base []dap.Event) (*transform.Driver, error) {
	session, out, err := dap.Open(r.ctx, r.env.Keeper, r.adapter, f.target, r.opts)
	if err != nil {
		return nil, err
	}
	defer session.Close()
	var d *transform.Driver
	switch {
	case out == nil:
		d, err = f.drive(base, session)
	case f.made != nil:
		d, err = &transform.Driver{}, transform.NotLaunched(out)
	default:
		return nil, failf("the program is not launched a second time: %s", out)
	}
	for _, e := range d.Events {
		fmt.Fprintf(&r.log, "\t%s\t%s\n", e.Action, finding.Said{Text: e.Output.String()})
	}
	return d, err
}

// varies reports whether the base itself, done once more, differs in something that may be left out of what is compared, which is noted.
func (r *run) varies(v *metamorphic.Varying, base []dap.Event, mine *debuggee.Debuggee) (bool, error) {
	session, out, err := dap.Open(r.ctx, r.env.Keeper, r.adapter, r.target, r.opts)
	if err != nil {
		return false, err
	}
	defer session.Close()
	if out != nil {
		return false, nil
	}
	_, err = transform.Run(r.ctx, action.Replay(), transform.Params{}, base, mine.Source, session)
	var m *transform.Mismatch
	if err != nil && !transform.Told(err) {
		return false, err
	}
	return errors.As(err, &m) && v.Learn(base, m), nil
}

// followUp makes ready a transformation of whatever kind.
func (r *run) followUp(name string, params transform.Params, mine *debuggee.Debuggee) (*followUp, error) {
	if t, ok := rewrite.Lookup(name); ok {
		variant, build, err := r.rewrite(t, params, mine)
		if err != nil {
			return nil, err
		}
		target := dap.TargetOf(build)
		variant.Relation.Start(&target)
		return &followUp{t.Name, t.Doc, target, func(base []dap.Event, s *dap.Session) (*transform.Driver, error) {
			return transform.Follow(r.ctx, variant.Relation, base, s)
		}, nil}, nil
	}
	if t, ok := build.Lookup(name); ok {
		e, ok := t.With(r.engine)
		if !ok || !t.Fits(r.events) {
			return nil, fmt.Errorf("%s does not apply to %s and this session", name, r.engine)
		}
		dir, err := r.temp("build")
		if err != nil {
			return nil, err
		}
		build, err := r.env.Cache.Build(r.ctx, r.program, e, dir)
		if err != nil {
			return nil, err
		}
		return &followUp{t.Name, t.Doc, dap.TargetOf(build), func(base []dap.Event, s *dap.Session) (*transform.Driver, error) {
			return transform.FollowBuild(r.ctx, t.View, base, mine.Source, s)
		}, build}, nil
	}
	t, err := action.Lookup(name)
	if err != nil {
		return nil, err
	}
	target := r.target
	t.Start(&target, params)
	return &followUp{t.Name, t.Doc, target, func(base []dap.Event, s *dap.Session) (*transform.Driver, error) {
		return transform.Run(r.ctx, t, params, base, mine.Source, s)
	}, nil}, nil
}

// rewrite makes and builds a variant of the script's program.
func (r *run) rewrite(t rewrite.Rewrite, p transform.Params, mine *debuggee.Debuggee) (*rewrite.Variant, *gobuild.Build, error) {
	given := rewrite.Of(mine.Source, r.events)
	given.ExitCode, given.CompilesC, given.CompilesCPlus = mine.ExitCode, r.engine.CompilesC(), r.engine.CompilesCPlus()
	var err error
	if t.NeedsRun {
		if given.Unrun, err = mine.Unrun(r.ctx); err != nil {
			return nil, nil, err
		}
	}
	v, err := t.Make(given, p)
	if err != nil {
		return nil, nil, err
	}
	dir, err := r.temp("build")
	if err != nil {
		return nil, nil, err
	}
	build, err := r.env.Cache.Build(r.ctx, v.Program, r.engine, dir)
	if err != nil {
		return nil, nil, fmt.Errorf("a fault of misstep: %s makes a program that does not compile: %w", t.Name, err)
	}
	if v.Relation.New, err = r.env.Loader.Load(r.ctx, v.Program, r.engine); err != nil {
		return nil, nil, err
	}
	return v, build, nil
}
