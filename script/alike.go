package script

import (
	"context"
	"fmt"

	"misstep/dap"
	"misstep/finding"
	"misstep/internal/gobuild"
	"misstep/oracle"
	"misstep/oracle/baseline"
	"misstep/transform"
)

// How often both engines have to say the same before what they say differently is believed: more of a program whose runs are not alike.
const alikeTimes, alikeByChance = 3, 7

// alike carries the script's session out some more times, or a follow-up of it, with its own engine and with another one, and demands
// that the messages of both say the same.
func alike(r *run, c *Command) error {
	params, err := transform.ParseParams(c.Args[1:])
	if err != nil {
		return err
	}
	if r.build == nil {
		return errNotBuilt
	}
	seen, err := r.seen()
	if err != nil {
		return err
	}
	e, err := gobuild.ParseEngine(c.Args[0])
	if err != nil {
		return err
	}
	if e.Go == "" {
		e.Go = r.engine.Go
	}
	if !r.engine.SameBuild(e) {
		return fmt.Errorf("%s debugs another build than %s", e, r.engine)
	}
	other, err := dap.Resolve(r.ctx, r.env.Cache, e)
	if err != nil {
		return err
	}
	target := r.target
	carrier := func(by *dap.Adapter) baseline.Carrier {
		return baseline.Repeating(seen, func(ctx context.Context) (*dap.Session, *dap.Output, error) {
			return dap.Open(ctx, r.env.Keeper, by, target, r.opts)
		})
	}
	name, params := baseline.Transformation(params)
	if name != "" {
		f, err := r.followUp(name, params, seen.Debuggee)
		if err != nil {
			return err
		}
		target = f.target
		carrier = func(by *dap.Adapter) baseline.Carrier {
			return func(ctx context.Context) (*oracle.Seen, error) { return r.followed(ctx, f, by) }
		}
	}
	t := &baseline.Test{Tested: carrier(r.adapter), Baseline: carrier(other), Times: alikeTimes, Waits: target.Copy != nil && target.Copy.Held}
	src := seen.Debuggee.Source
	if t.Concurrent = src.Concurrent(); t.Concurrent || src.Chance() {
		t.Times = alikeByChance
	}
	first, err := t.Tested(r.ctx)
	if err != nil {
		return err
	}
	out, err := t.Run(r.ctx, first)
	if err != nil {
		return err
	}
	var found []*finding.Finding
	for _, d := range out.Differences {
		s := first.Session(d.Event)
		if name != "" {
			s = &finding.Session{Base: r.events, Index: len(r.events) - 1, Follow: first.Events, Early: r.opts.Early}
		}
		f := d.Finding(seen.Debuggee, s, r.engine.String(), c.Args[0])
		if name != "" {
			f.Params = baseline.Transformed(name, params)
		}
		found = append(found, f)
	}
	return r.found(found...)
}

// followed is what is seen when a follow-up is made by an adapter.
func (r *run) followed(ctx context.Context, f *followUp, by *dap.Adapter) (*oracle.Seen, error) {
	d, err := r.debuggee()
	if err != nil {
		return nil, err
	}
	s, failed, err := dap.Open(ctx, r.env.Keeper, by, f.target, r.opts)
	if err != nil {
		return nil, err
	}
	events := []dap.Event{}
	if failed != nil {
		events = append(events, dap.Event{Output: *failed})
	} else {
		var driver *transform.Driver
		if driver, err = f.drive(r.events, s); transform.Told(err) {
			err = nil // how far it came is what is compared
		}
		if driver != nil {
			events = driver.Events
		}
	}
	s.Close()
	if err != nil {
		return nil, err
	}
	return oracle.SeenOf(d, s, events, nil), nil
}
