package campaign

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"misstep/dap"
	"misstep/gen"
	"misstep/oracle"
	"misstep/triage"
)

// worker carries out one run.
type worker struct {
	c     *campaign
	s     *subject
	run   *Run
	found []*oracle.Finding
	seen  map[string]bool // classes of this run
}

// one carries out the run with that index.
func (c *campaign) one(ctx context.Context, index int, s *subject, seed uint64) (*Run, []packed, error) {
	start := time.Now()
	w := &worker{c: c, s: s, seen: map[string]bool{}, run: &Run{Index: index, Program: s.program.Name, Seed: seed}}
	if err := w.do(ctx); err != nil {
		return nil, nil, err
	}
	w.run.Took = time.Since(start)
	var out []packed
	for _, f := range w.found {
		script, err := triage.Script(f, s.program)
		if err != nil {
			// The finding is kept without the program.
			script = fmt.Appendf(nil, "# class: %s\n# %v\n", f.Class, err)
		}
		out = append(out, packed{f, script})
	}
	return w.run, out, nil
}

func (w *worker) do(ctx context.Context) error {
	base, ok, err := w.base(ctx)
	if err != nil || !ok {
		return err
	}
	m := &oracle.Metamorphic{
		Open:   func(ctx context.Context) (*dap.Session, *dap.Output, error) { return w.open(ctx, nil) },
		Done:   func(s *dap.Session, events []dap.Event) { w.done(s, events, nil) },
		Source: w.s.src, Transformations: w.c.cfg.Transformations, Limit: w.c.cfg.Iterations, Seed: w.run.Seed,
	}
	out, err := m.Run(ctx, base)
	if err != nil {
		return err
	}
	w.run.Tests, w.run.Depth, w.run.Unstable = out.Tests, out.Depth, out.Unstable
	w.run.Tally.Merge(&out.Tally)
	if out.Finding != nil {
		w.add(out.Finding)
	}
	if w.c.cfg.Misuse && rand.New(rand.NewPCG(w.run.Seed, 0x6d697375)).IntN(4) == 0 {
		return w.misuse(ctx)
	}
	return nil
}

func (w *worker) open(ctx context.Context, early []string) (*dap.Session, *dap.Output, error) {
	opts := w.c.cfg.Options
	opts.Early = early
	w.run.Sessions++
	return dap.Open(ctx, w.c.keeper, w.c.adapter, dap.TargetOf(w.s.build), opts)
}

// done closes a session and lets the protocol oracle judge it.
func (w *worker) done(s *dap.Session, events []dap.Event, early []string) {
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
	breaches, counts := oracle.Trace(events)
	w.run.Tally.Merge(counts)
	for _, b := range breaches {
		w.add(&oracle.Finding{
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
		w.add(&oracle.Finding{
			Oracle: "protocol", Rule: v.Rule, On: v.On, Reason: oracle.ProtocolRules[v.Rule] + " But " + v.What + ".",
			Base: events[:upTo], Index: upTo - 1, Early: early,
		})
	}
}

// add keeps a finding; of several of one class in a run, the first.
func (w *worker) add(f *oracle.Finding) {
	f.Program, f.Engine, f.Seed = w.s.program.Name, w.c.cfg.Engine.String(), w.run.Seed
	f.Class = triage.Class(f, w.s.src)
	if !w.seen[f.Class] {
		w.seen[f.Class] = true
		w.found = append(w.found, f)
	}
}

// base is the first session of a run: generated actions, and then to the end.
// It is not ok if there is nothing to transform.
func (w *worker) base(ctx context.Context) (events []dap.Event, ok bool, err error) {
	s, failed, err := w.open(ctx, nil)
	if err != nil {
		return nil, false, err
	}
	if failed != nil {
		w.run.Given = "not launched: " + failed.String()
		w.done(s, []dap.Event{{Output: *failed}}, nil)
		return nil, false, nil
	}
	g := gen.NewGenerator(w.run.Seed, w.c.cfg.Actions, w.s.src)
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
	w.done(s, events, nil)
	if kind.Fatal() {
		w.run.Given = "the base run: " + events[len(events)-1].Output.String()
		return nil, false, nil
	}
	w.debugged(events, assigned)
	return events, true, nil
}

// debugged is a relation between a run with and a run without the debugger:
// the program prints and returns the same, unless the user assigned to its
// variables.
func (w *worker) debugged(events []dap.Event, assigned bool) {
	const rule = "debugged"
	exit := events[len(events)-1].Output.Exit
	if exit == nil || assigned {
		w.run.Tally.Missed(rule)
		return
	}
	w.run.Tally.Add(rule, 1)
	plain := &dap.Output{Kind: dap.Ended, Exit: &dap.Exit{Code: &w.s.plain.ExitCode, Stdout: w.s.plain.Stdout}}
	got := &dap.Output{Kind: dap.Ended, Exit: &dap.Exit{Code: exit.Code, Stdout: exit.Stdout}}
	if exit.Code == nil {
		plain.Exit.Code = nil // the protocol oracle's business
	}
	if d := dap.Diff(plain, got, dap.Lens{}); d != nil {
		w.add(&oracle.Finding{
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
	s, failed, err := w.open(ctx, early)
	if err != nil {
		return err
	}
	if failed != nil {
		w.add(&oracle.Finding{
			Oracle: "protocol", Rule: "alive", On: "launch", Base: []dap.Event{{Action: dap.Action{Kind: dap.Misuse, Name: early[len(early)-1]}, Output: *failed}}, Early: early,
			Reason: oracle.ProtocolRules["alive"] + fmt.Sprintf(" But after %v the program is not launched: %s.", early, failed),
		})
		w.done(s, []dap.Event{{Output: *failed}}, early)
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
	w.done(s, events, early)
	return nil
}
