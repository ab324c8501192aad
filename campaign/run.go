package campaign

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"time"

	"misstep/dap"
	"misstep/finding"
	"misstep/gen"
	"misstep/internal/debuggee"
	"misstep/internal/gobuild"
	"misstep/internal/source"
	"misstep/judge"
	"misstep/oracle"
	"misstep/oracle/metamorphic"
	"misstep/oracle/reference"
	"misstep/script"
	"misstep/transform"
	"misstep/transform/action"
	"misstep/triage/blame"
)

// transforms reports whether there is something to transform sessions by.
func (w *worker) transforms() bool { return len(w.actions)+len(w.rewrites)+len(w.job.Run.Builds) > 0 }

// alone reports whether there is something to do on the engine alone.
func (w *worker) alone() bool {
	o := w.job.Run.Oracles
	return o.Protocol || o.Reference || o.Misuse || o.Baseline || w.transforms()
}

// grace is how long what a run has found may be tried once more when the campaign's time is up, and slower how often the
// longest of its sessions, if that is more: one that hangs takes a while.
const grace, slower = 20 * time.Second, 4

// work does the run.
func (w *worker) work(ctx context.Context) error {
	start := time.Now()
	defer func() { w.run.Took = time.Since(start) }()
	err := w.all(ctx)
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errOutOfTime):
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), max(grace, slower*w.slowest))
		defer cancel()
		w.run.Cut, err = true, nil
	case errors.Is(cause, errEnough):
		w.holdBack(w.found...) // nothing of it was tried once more; what is settled may be what was enough
		w.found = nil
		w.run.Cut, err = true, nil
	case cause != nil && w.job.Baseline != "":
		w.holdBack(w.found...)
		w.found = nil
	}
	w.last = true
	if err == nil && ctx.Err() == nil {
		err = w.sift(ctx)
	}
	if err == nil && ctx.Err() == nil {
		err = w.confirm(ctx)
	}
	if err == nil {
		err = w.compared(ctx) // when time is up, too: what was not held against the baseline is not told
	}
	w.found = append(w.settled, w.found...)
	if err != nil && !w.run.Cut {
		return err
	}
	if w.failed != nil {
		return w.failed
	}
	return nil
}

func (w *worker) all(ctx context.Context) error {
	if w.p.alone {
		select {
		case w.m.kept.alone <- struct{}{}:
			defer func() { <-w.m.kept.alone }()
		case <-ctx.Done():
			return nil
		}
	}
	if len(w.engines) > 1 {
		if err := w.differential(ctx); err != nil || ctx.Err() != nil || !w.alone() {
			return err
		}
	}
	if w.endless() {
		w.unended()
	} else if w.job.Run.Sweep > 0 {
		return w.sweep(ctx)
	}
	base, ok, err := w.base(ctx)
	if err != nil || !ok {
		return err
	}
	if err := w.settle(ctx); err != nil || ctx.Err() != nil {
		return err
	}
	parts := []func() error{
		func() error {
			if !w.transforms() {
				return nil
			}
			return w.metamorphic(ctx, base)
		},
		func() error { return w.others(ctx) },
	}
	if w.job.Run.Turn%3 == 1 && !w.endless() {
		parts = append(parts, func() error { return w.optimised(ctx) })
	}
	if w.othersFirst() {
		slices.Reverse(parts)
	}
	for _, part := range parts {
		if err := part(); err != nil || ctx.Err() != nil {
			return err
		}
		if err := w.settle(ctx); err != nil || ctx.Err() != nil {
			return err
		}
	}
	return nil
}

// metamorphic transforms a base. With a baseline, what counts is how many ways there are in which a debugger is asked for something, and
// those are the transformations of actions, which come first then.
func (w *worker) metamorphic(ctx context.Context, base []dap.Event) error {
	on, wide := widths(w.job.Run.Iterations, w.job.Run.Oracles.Baseline)
	first := on
	if w.job.Run.Oracles.Baseline {
		first = 0
	}
	out, err := w.transform(ctx, base, &metamorphic.Test{Actions: w.actions, Rewrites: w.rewrites, Builds: w.builds, Limit: first, Wide: wide, Turns: w.turns})
	w.run.Depth, w.run.Unstable = out.Depth, out.Unstable
	if first == on || err != nil || ctx.Err() != nil {
		return err
	}
	out, err = w.transform(ctx, base, &metamorphic.Test{Actions: w.actions, Rewrites: w.rewrites, Builds: w.builds, Limit: on, Turns: w.turns})
	w.run.Depth = out.Depth
	return err
}

// make makes the debuggee of a variant of the program, or of another build of it: what runs of the one differ in, those of the other
// do as well.
func (w *worker) make(ctx context.Context, p *gobuild.Program, e gobuild.Engine) (*debuggee.Debuggee, error) {
	made, err := w.m.maker(w.job.Limits).Make(ctx, p, e)
	if err == nil {
		made.Unsteady = w.p.tested.Unsteady
	}
	return made, err
}

// transform applies transformations to a base.
func (w *worker) transform(ctx context.Context, base []dap.Event, m *metamorphic.Test) (*metamorphic.Tested, error) {
	m.Open = func(ctx context.Context, t dap.Target, patience int) (*dap.Session, *dap.Output, error) {
		return w.open(ctx, t, nil, patience)
	}
	m.Done = func(d *debuggee.Debuggee, s *dap.Session, events []dap.Event, whole bool, of *metamorphic.FollowUp) {
		w.done(ctx, d, s, events, nil, whole, of)
	}
	m.Make, m.Debuggee, m.Seed = w.make, w.p.tested, w.run.Seed
	out, err := m.Run(ctx, base)
	// What was found before the time was up, or before something failed, was found.
	w.run.Defects = append(w.run.Defects, out.Defects...)
	w.run.Tests += out.Tests
	w.run.Tally.Merge(&out.Tally)
	for _, f := range out.Findings {
		w.add(f)
	}
	return out, err
}

// leavers is how many sessions of a run are left before their end, and medleys how many ask much at once, where there are no sweeps.
const leavers, medleys = 2, 3

// others are sessions that look where the recorded run knows the truth, one that walks by single instructions or asks for
// all that there is, in turn, some that ask much at once, each second one with settings, some that are left before their end, and one full of misuses.
func (w *worker) others(ctx context.Context) error {
	if m := w.model(); m != nil && m.Why == "" {
		// Short programs are toured again.
		before := w.run.Actions
		for n := range tours {
			if err := w.tour(ctx, w.seed(n)); err != nil {
				return err
			}
			if w.run.Actions-before > tours*tourEnough || ctx.Err() != nil {
				break
			}
		}
		if err := w.settle(ctx); err != nil || ctx.Err() != nil {
			return err
		}
	}
	var looks gen.Chooser = gen.NewAsker(w.run.Seed, w.p.tested.Source)
	if w.job.Run.Kind%2 == 0 {
		looks = gen.NewWalker(w.run.Seed, w.p.tested.Source, w.otherLines())
	}
	if _, _, err := w.session(ctx, w.p.tested, looks); err != nil || ctx.Err() != nil {
		return err
	}
	if o := w.job.Run.Oracles; o.Misuse && !o.Baseline {
		for n := range medleys {
			if err := w.medley(ctx, n+1, n%2 == 1); err != nil || ctx.Err() != nil {
				return err
			}
		}
	}
	if w.job.Run.Oracles.Protocol {
		for n := range leavers {
			if _, _, err := w.session(ctx, w.p.tested, gen.NewLeaver(w.job.Run.Turn*leavers+n, w.run.Seed, w.p.tested.Source)); err != nil || ctx.Err() != nil {
				return err
			}
		}
	}
	if w.job.Run.Oracles.Misuse {
		return w.misuse(ctx, w.job.Run.Turn)
	}
	return nil
}

// otherLines are those of the program that are not in Go, such as in assembly and in C, at which statements begin. C may stand in a
// file of Go, in front of import "C".
func (w *worker) otherLines() (all []source.Place) {
	b := w.p.tested.Build
	table, err := b.Lines()
	if err != nil {
		return nil
	}
	for _, p := range table.Beginnings(slices.Concat(b.Own(), b.Symbols.C())) {
		at := source.Place{File: b.Program.Rel(p.File), Line: p.Line}
		ext := filepath.Ext(p.File)
		if filepath.IsLocal(at.File) && ext != "" && (ext != ".go" || w.p.tested.Source.Preamble(at)) {
			all = append(all, at)
		}
	}
	return all
}

// model is the reference model by which sessions are judged; nil if they are not.
func (w *worker) model() *reference.Model {
	if !w.job.recorded() {
		return nil
	}
	return w.p.model
}

func (w *worker) open(ctx context.Context, t dap.Target, early []string, patience int) (*dap.Session, *dap.Output, error) {
	return w.openBy(ctx, w.adapters[0], t, early, patience)
}

// openBy opens a session of an adapter.
func (w *worker) openBy(ctx context.Context, a *dap.Adapter, t dap.Target, early []string, patience int) (*dap.Session, *dap.Output, error) {
	opts := w.job.Options
	opts.Early = early
	if w.p.tested.Took > time.Second {
		opts.Run += w.p.tested.Took // which it needs by itself
	}
	w.run.Sessions++
	return dap.Open(ctx, w.m.Keeper, a, t, opts.Patient(patience))
}

// done closes a session and judges it: by the protocol's rules alone, unless it shows the whole truth
// of the debuggee. Of says of which transformation of actions it is the follow-up; nil of any other session.
func (w *worker) done(ctx context.Context, d *debuggee.Debuggee, s *dap.Session, events []dap.Event, early []string, whole bool, of *metamorphic.FollowUp) {
	s.Close()
	w.count(events)
	if ctx.Err() != nil {
		return // it was cut off by its caller: what is missing is nobody's fault
	}
	seen := oracle.SeenOf(d, s, events, early)
	// Of one that was given up, what was missing says nothing but to the recorded run.
	cut := seen.CutOff()
	j := judge.Judgement{Protocol: w.job.Run.Oracles.Protocol && !cut, Reference: w.model() != nil && !cut && whole}
	if d == w.p.tested && whole {
		j.Model = w.model()
		j.Plain = len(early) == 0 && !cut
	}
	found, tally, err := j.Of(ctx, seen)
	if err != nil && w.failed == nil {
		w.failed = fmt.Errorf("recording it once more: %w", err)
	}
	w.run.Tally.Merge(tally)
	both, err := w.beside(ctx, s.Target(), seen, &j, found, of)
	if err != nil && w.failed == nil && ctx.Err() == nil {
		w.failed = fmt.Errorf("holding it against %s: %w", w.job.Baseline, err)
	}
	for _, f := range found {
		if both && !slices.Contains(uncompared, f.Rule) {
			w.share(f) // the baseline has said the same
			continue
		}
		w.add(f)
	}
}

// count adds a session's events up.
func (w *worker) count(events []dap.Event) {
	w.run.Actions += len(events)
	for i := range events {
		if events[i].Output.Kind == dap.Paused {
			w.run.Pauses++
		}
	}
}

// kinds is how many findings of a class are kept in a run, if they are different beyond it and are held against a baseline, of which
// the first may be all that it shows as well.
const kinds = 3

// add keeps a finding; of several of one class in a run, the first.
func (w *worker) add(f *finding.Finding) {
	class, key := f.Class.String(), keyOf(f)
	most := 1
	if w.job.Baseline != "" {
		most = kinds
	}
	if w.seen[key] > 0 || w.seen[class] >= most {
		return
	}
	w.seen[key]++
	w.seen[class]++
	f.Program, f.Seed = w.p.name, w.run.Seed
	if f.Debuggee != nil && f.Debuggee.Build != nil {
		e := blame.Of(f, f.Debuggee.Build)
		f.Evidence = &e
	}
	w.found = append(w.found, f)
}

// packed are the findings with their scripts.
func (w *worker) packed() ([]Packed, error) {
	var out []Packed
	for _, f := range w.found {
		p := Packed{Finding: f}
		if f.Debuggee != nil && f.Debuggee.Build != nil {
			if s, err := script.Of(f, f.Debuggee.Build.Program); err == nil {
				p.Script = s.Format()
			}
		}
		out = append(out, p)
	}
	return out, nil
}

// base is the first session of a run: generated actions, and then to the end.
// It is not ok if there is nothing to transform.
func (w *worker) base(ctx context.Context) (events []dap.Event, ok bool, err error) {
	late := false
	events, w.run.Given, late, err = w.play(ctx, w.p.tested, w.generator(), 1)
	hangs := slices.ContainsFunc(w.found, func(f *finding.Finding) bool { return w.p.confirmed.count(f.Class.String()) > 0 })
	if late && !hangs && err == nil && ctx.Err() == nil {
		// A debugger that was slow once, as on a busy machine, is waited for: the rest of the run stands on this session. One that
		// was found to hang with this program is not.
		events, w.run.Given, _, err = w.play(ctx, w.p.tested, w.generator(), dap.Patience)
	}
	return events, err == nil && w.run.Given == "", err
}

// Tours of a program in a run, at most, and the actions of one that is long: with so many
// in all, no more are made.
const tours, tourEnough = 6, 60

// tour is a session for the rules of the reference.
func (w *worker) tour(ctx context.Context, seed uint64) error {
	_, _, err := w.session(ctx, w.p.tested, w.p.model.Tour(seed, w.job.Run.Generate.Assign))
	return err
}

// session carries out what a generator chooses, and lets the program run to its end. Given says why it was given up, and
// has no events then; it is empty otherwise.
func (w *worker) session(ctx context.Context, d *debuggee.Debuggee, g gen.Chooser) (events []dap.Event, given string, err error) {
	events, given, _, err = w.play(ctx, d, g, 1)
	return events, given, err
}

// play is a session that waits as many times as long as usual as patience says. Late says that it was given up as that was too short.
func (w *worker) play(ctx context.Context, d *debuggee.Debuggee, g gen.Chooser, patience int) (events []dap.Event, given string, late bool, err error) {
	return w.playAt(ctx, d, dap.TargetOf(d.Build), g, patience)
}

// playAt is one of a target of the debuggee.
func (w *worker) playAt(ctx context.Context, d *debuggee.Debuggee, t dap.Target, g gen.Chooser, patience int) (events []dap.Event, given string, late bool, err error) {
	begun := time.Now()
	defer func() { w.slowest = max(w.slowest, time.Since(begun)) }()
	whole := action.ShowsAll(t.As)
	s, failed, err := w.open(ctx, t, nil, patience)
	if err != nil {
		return nil, "", false, err
	}
	if failed != nil {
		w.done(ctx, d, s, []dap.Event{{Output: *failed}}, nil, whole, nil)
		return nil, "not launched: " + failed.String(), failed.Kind == dap.Hang || failed.Kind == dap.Timeout, nil
	}
	if events, err = gen.PlayOut(ctx, s, g); err != nil {
		s.Close()
		return nil, "", false, err
	}
	w.done(ctx, d, s, events, nil, whole, nil)
	if last := events[len(events)-1].Output; last.Kind.Fatal() {
		return nil, "the base run: " + last.String(), last.Kind == dap.Hang || last.Kind == dap.Timeout, nil
	}
	return events, "", false, nil
}

// seed is that of the nth session of the run: the run's, with the remainder that says what kind of session it is.
func (w *worker) seed(n int) uint64 {
	return w.run.Seed - w.run.Seed%gen.Kinds + uint64(w.job.Run.Kind+n)%gen.Kinds
}

// generator chooses how the base comes about. Half of the runs of a program with
// goroutines only count what log points print. Where programs are transformed,
// half of the runs assign to no variable, as most of those transformations do
// not apply after an assignment.
func (w *worker) generator() gen.Chooser {
	r := rand.New(rand.NewPCG(w.run.Seed, 0x62617365))
	if w.p.concurrent && r.IntN(2) == 0 {
		code := slices.Clone(w.p.tested.Source.Code())
		r.Shuffle(len(code), func(i, j int) { code[i], code[j] = code[j], code[i] })
		return gen.Fixed(transform.LogPoints(code[:min(len(code), 6)]))
	}
	cfg := w.job.Run.Generate
	if len(w.rewrites) > 0 && r.IntN(2) == 0 {
		cfg.Assign = false
	}
	g := gen.NewGenerator(w.seed(0), cfg, w.p.tested.Source)
	if m := w.model(); m != nil && m.Why == "" && m.Assigns() {
		return m.Assigning(g)
	}
	return g
}
