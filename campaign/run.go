package campaign

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"misstep/dap"
	"misstep/gen"
	"misstep/internal/gobuild"
	"misstep/oracle"
	"misstep/oracle/reference"
	"misstep/transform"
	"misstep/triage"
	"misstep/triage/blame"
)

// worker carries out one run.
type worker struct {
	c     *campaign
	s     *subject
	run   *Run
	found []*oracle.Finding
	seen  map[string]bool // classes of this run
	// failed is what the recorder of the reference failed with.
	failed error
	mu     sync.Mutex // of what sessions that are opened at the same time count
}

// one carries out the run with that index.
func (c *campaign) one(ctx context.Context, index int, s *subject, seed uint64) (*Run, []packed, error) {
	start := time.Now()
	w := &worker{c: c, s: s, seen: map[string]bool{}, run: &Run{Index: index, Program: s.program.Name, Seed: seed}}
	if err := w.do(ctx); err != nil {
		return w.run, nil, err
	}
	if w.failed != nil {
		return w.run, nil, fmt.Errorf("recording it once more: %w", w.failed)
	}
	w.run.Took = time.Since(start)
	var out []packed
	for _, f := range w.found {
		script, err := triage.Script(f, f.Subject.Build.Program)
		if err != nil {
			// The finding is kept without the program.
			script = fmt.Appendf(nil, "# class: %s\n# %v\n", f.Class, err)
		}
		out = append(out, packed{f, script})
	}
	return w.run, out, nil
}

func (w *worker) do(ctx context.Context) error {
	if len(w.c.cfg.Against) > 0 {
		if err := w.differential(ctx); err != nil || ctx.Err() != nil || !w.c.cfg.alone() {
			return err
		}
	}
	base, ok, err := w.base(ctx)
	if err != nil || !ok {
		return err
	}
	if len(w.c.cfg.Actions)+len(w.c.cfg.Rewrites)+len(w.c.cfg.Builds) == 0 {
		return w.others(ctx)
	}
	m := &oracle.Metamorphic{
		Open: func(ctx context.Context, s *oracle.Subject) (*dap.Session, *dap.Output, error) {
			return w.open(ctx, s, nil)
		},
		Done: func(sub *oracle.Subject, s *dap.Session, events []dap.Event) { w.done(ctx, sub, s, events, nil) },
		Make: w.c.make,
		Unrun: func(ctx context.Context, s *oracle.Subject) ([]gobuild.Block, error) {
			return w.c.cache.Unrun(ctx, s.Build.Program, s.Build.Engine, w.c.cfg.Limits)
		},
		Subject: w.s.tested, Actions: w.c.cfg.Actions, Rewrites: w.c.cfg.Rewrites, Builds: w.c.builds(),
		Limit: w.c.cfg.Iterations, Seed: w.run.Seed,
	}
	out, err := m.Run(ctx, base)
	w.run.Defects = out.Defects
	if err != nil {
		return err
	}
	w.run.Tests, w.run.Depth, w.run.Unstable = out.Tests, out.Depth, out.Unstable
	w.run.Tally.Merge(&out.Tally)
	if out.Finding != nil {
		w.add(w.s.tested, out.Finding)
	}
	return w.others(ctx)
}

// others are a session that looks where the recorded run knows the truth, and one
// full of misuses, in one run of four.
func (w *worker) others(ctx context.Context) error {
	if m := w.model(); m != nil && m.Why == "" {
		// Short programs are toured again.
		for n := range tours {
			actions := w.run.Actions
			if err := w.tour(ctx, w.run.Seed+uint64(n)); err != nil {
				return err
			}
			if w.run.Actions-actions > tours*tourEnough || ctx.Err() != nil {
				break
			}
		}
	}
	if w.c.cfg.Misuse && rand.New(rand.NewPCG(w.run.Seed, 0x6d697375)).IntN(4) == 0 {
		return w.misuse(ctx)
	}
	return nil
}

// model is the reference model by which sessions are judged; nil if they are not.
func (w *worker) model() *reference.Model {
	if !w.c.cfg.Reference {
		return nil
	}
	return w.s.model
}

func (w *worker) open(ctx context.Context, sub *oracle.Subject, early []string) (*dap.Session, *dap.Output, error) {
	opts := w.c.cfg.Options
	opts.Early = early
	w.run.Sessions++
	return dap.Open(ctx, w.c.keeper, w.c.adapter, dap.TargetOf(sub.Build), opts)
}

// done closes a session and lets the protocol oracle judge it.
func (w *worker) done(ctx context.Context, sub *oracle.Subject, s *dap.Session, events []dap.Event, early []string) {
	s.Close()
	w.run.Actions += len(events)
	var last *dap.Output
	for i := range events {
		if events[i].Output.Kind == dap.Paused {
			w.run.Pauses++
		}
		last = &events[i].Output
	}
	if last != nil && last.Kind == dap.Timeout {
		return // cut off by misstep; what is missing is not the adapter's fault
	}
	if w.model() != nil {
		if err := w.judge(ctx, sub, events, early); err != nil && w.failed == nil {
			w.failed = err
		}
	}
	if !w.c.cfg.Protocol {
		return
	}
	breaches, counts := oracle.Trace(events)
	w.run.Tally.Merge(counts)
	for _, b := range breaches {
		w.add(sub, &oracle.Finding{
			Oracle: "trace", Rule: b.Rule, Reason: oracle.TraceRules[b.Rule] + " But " + b.Diff.String() + ".",
			Base: events[:b.Index+1], Index: b.Index, Diff: b.Diff, Early: early,
		})
	}
	violations, tally := oracle.Protocol(s.Wire(), last, s.Stderr())
	for name, n := range tally.Made {
		w.run.Tally.Add("protocol/"+name, n)
	}
	marks := s.Marks()
	for _, v := range violations {
		// The events up to and with the action during which it showed.
		upTo := len(events)
		for i, mark := range marks {
			if v.At < mark && i < len(events) {
				upTo = i + 1
				break
			}
		}
		w.add(sub, &oracle.Finding{
			Oracle: "protocol", Rule: v.Rule, On: v.On, Reason: oracle.ProtocolRules[v.Rule] + " But " + v.What + ".",
			Base: events[:upTo], Index: upTo - 1, Early: early,
		})
	}
}

// judge holds a session against the recorded run of its program, and its end
// against the program's own, which variants have, too.
func (w *worker) judge(ctx context.Context, sub *oracle.Subject, events []dap.Event, early []string) error {
	// Tests print more than the program does; the relation of main-to-test knows it.
	if !sub.Build.Program.Test {
		verdicts, counts := reference.End(events, sub.Stdout, sub.ExitCode)
		w.verdicts(sub, verdicts, counts, events, early)
	}
	if sub != w.s.tested {
		return nil
	}
	verdicts, counts, err := w.s.model.Judge(ctx, events)
	if err != nil {
		return err
	}
	w.verdicts(sub, verdicts, counts, events, early)
	return nil
}

func (w *worker) verdicts(sub *oracle.Subject, verdicts []reference.Verdict, counts reference.Counts, events []dap.Event, early []string) {
	for rule, n := range counts.Made {
		w.run.Tally.Add("reference/"+rule, n)
	}
	for rule, n := range counts.NotMade {
		for range n {
			w.run.Tally.Missed("reference/" + rule)
		}
	}
	for _, v := range verdicts {
		w.add(sub, &oracle.Finding{
			Oracle: "reference", Rule: v.Rule, Reason: reference.Rules[v.Rule] + " But " + v.Diff.String() + ".",
			Base: events[:v.Index+1], Index: v.Index, Diff: v.Diff, Early: early,
		})
	}
}

// add keeps a finding; of several of one class in a run, the first.
func (w *worker) add(sub *oracle.Subject, f *oracle.Finding) {
	f.Program, f.Seed = w.s.program.Name, w.run.Seed
	if f.Subject == nil {
		f.Subject = sub
	}
	f.Engine = f.Subject.Build.Engine.String()
	f.Class = triage.Class(f, f.Subject.Source)
	if !w.seen[f.Class] {
		w.seen[f.Class] = true
		e := blame.Of(f, f.Subject.Build)
		f.Evidence = &e
		w.found = append(w.found, f)
	}
}

// base is the first session of a run: generated actions, and then to the end.
// It is not ok if there is nothing to transform.
func (w *worker) base(ctx context.Context) (events []dap.Event, ok bool, err error) {
	s, failed, err := w.open(ctx, w.s.tested, nil)
	if err != nil {
		return nil, false, err
	}
	if failed != nil {
		w.run.Given = "not launched: " + failed.String()
		w.done(ctx, w.s.tested, s, []dap.Event{{Output: *failed}}, nil)
		return nil, false, nil
	}
	return w.session(ctx, s, w.generator())
}

// Tours of a program in a run, and the actions of one that is long.
const tours, tourEnough = 6, 60

// tour is a session for the rules of the reference.
func (w *worker) tour(ctx context.Context, seed uint64) error {
	s, failed, err := w.open(ctx, w.s.tested, nil)
	if err != nil {
		return err
	}
	if failed != nil {
		w.done(ctx, w.s.tested, s, []dap.Event{{Output: *failed}}, nil)
		return nil
	}
	_, _, err = w.session(ctx, s, w.s.model.Tour(seed, w.c.cfg.Generate.Assign))
	return err
}

// session carries out what a generator chooses, and lets the program run to its end.
func (w *worker) session(ctx context.Context, s *dap.Session, g oracle.Chooser) (events []dap.Event, ok bool, err error) {
	assigned := false
	do := func(a dap.Action) (dap.OutputKind, error) {
		out, err := s.Do(ctx, a)
		if err != nil {
			return "", err
		}
		assigned = assigned || a.Kind == dap.SetVar
		events = append(events, dap.Event{Action: a, Output: out})
		return out.Kind, nil
	}
	kind := dap.Done
	for !kind.Fatal() {
		a, more := g.Next(s)
		if !more {
			break
		}
		if kind, err = do(a); err != nil {
			s.Close()
			return nil, false, err
		}
	}
	if !kind.Fatal() {
		if kind, err = do(dap.Action{Kind: dap.Finish}); err != nil {
			s.Close()
			return nil, false, err
		}
	}
	w.done(ctx, w.s.tested, s, events, nil)
	if kind.Fatal() {
		w.run.Given = "the base run: " + events[len(events)-1].Output.String()
		return nil, false, nil
	}
	w.debugged(events, assigned)
	return events, true, nil
}

// generator chooses how the base comes about. Half of the runs of a program with
// goroutines only count what log points print. Where programs are transformed,
// half of the runs assign to no variable, as most of those transformations do
// not apply behind an assignment.
func (w *worker) generator() oracle.Chooser {
	r := rand.New(rand.NewPCG(w.run.Seed, 0x62617365))
	if w.s.concurrent && r.IntN(2) == 0 {
		code := w.s.tested.Source.Code()
		r.Shuffle(len(code), func(i, j int) { code[i], code[j] = code[j], code[i] })
		return gen.Fixed(transform.LogPoints(code[:min(len(code), 6)]))
	}
	cfg := w.c.cfg.Generate
	if len(w.c.cfg.Rewrites) > 0 && r.IntN(2) == 0 {
		cfg.Assign = false
	}
	return gen.NewGenerator(w.run.Seed, cfg, w.s.tested.Source)
}

// debugged is a relation between a run with and a run without the debugger:
// the program prints and returns the same, unless the user assigned to its
// variables.
func (w *worker) debugged(events []dap.Event, assigned bool) {
	const rule = "debugged"
	exit := events[len(events)-1].Output.Exit
	if w.model() != nil {
		return // which is rule R8 of the reference, of all sessions
	}
	if exit == nil || assigned {
		w.run.Tally.Missed(rule)
		return
	}
	w.run.Tally.Add(rule, 1)
	plain := &dap.Output{Kind: dap.Ended, Exit: &dap.Exit{Code: &w.s.tested.ExitCode, Stdout: w.s.tested.Stdout}}
	got := &dap.Output{Kind: dap.Ended, Exit: &dap.Exit{Code: exit.Code, Stdout: exit.Stdout}}
	if exit.Code == nil {
		plain.Exit.Code = nil // the protocol oracle's business
	}
	if d := dap.Diff(plain, got, dap.Lens{}); d != nil {
		w.add(w.s.tested, &oracle.Finding{
			Oracle: "metamorphic", Rule: rule, Diff: d, Base: events, Index: len(events) - 1,
			Reason: "A program prints and returns under the debugger what it does without. But " + d.String() + ".",
		})
	}
}

// misuse is a session full of requests that come when they should not.
func (w *worker) misuse(ctx context.Context) error {
	r := rand.New(rand.NewPCG(w.run.Seed, 0x77726f6e))
	some := func(when string, n int) []string {
		names := dap.Misuses(when)
		r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		return names[:min(n, len(names))]
	}
	early := append(some("early", 2), some("configuring", 1)...)
	s, failed, err := w.open(ctx, w.s.tested, early)
	if err != nil {
		return err
	}
	if failed != nil {
		w.add(w.s.tested, &oracle.Finding{
			Oracle: "protocol", Rule: "alive", On: "launch", Base: []dap.Event{{Action: dap.Action{Kind: dap.Misuse, Name: early[len(early)-1]}, Output: *failed}}, Early: early,
			Reason: oracle.ProtocolRules["alive"] + fmt.Sprintf(" But after %v the program is not launched: %s.", early, failed),
		})
		w.done(ctx, w.s.tested, s, []dap.Event{{Output: *failed}}, early)
		return nil
	}
	var events []dap.Event
	var plan []dap.Action
	plan = append(plan, dap.Action{Kind: dap.FuncBreak, Name: "main.main"}, dap.Action{Kind: dap.Continue})
	for range 2 {
		for _, name := range some("paused", 4) {
			plan = append(plan, dap.Action{Kind: dap.Misuse, Name: name})
		}
		plan = append(plan, dap.Action{Kind: dap.Next})
	}
	plan = append(plan, dap.Action{Kind: dap.Finish})
	for _, name := range some("ended", 4) {
		plan = append(plan, dap.Action{Kind: dap.Misuse, Name: name})
	}
	for _, a := range plan {
		if s.Pause() == nil && a.Kind.Steps() {
			continue
		}
		out, err := s.Do(ctx, a)
		if err != nil {
			s.Close()
			return err
		}
		events = append(events, dap.Event{Action: a, Output: out})
		if out.Kind.Fatal() {
			break
		}
	}
	w.done(ctx, w.s.tested, s, events, early)
	return nil
}
