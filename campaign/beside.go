package campaign

import (
	"context"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/finding"
	"misstep/judge"
	"misstep/oracle"
	"misstep/oracle/baseline"
	"misstep/oracle/metamorphic"
	"misstep/oracle/protocol"
	"misstep/transform/action"
)

// How often the debugger and its baseline have to say the same, each, before what they say differently is believed: more of a program
// whose runs are not alike, and twice as often where something of the kind has come and gone in any program. What did that too often in a
// program is not tried again.
const alike, alikeByChance, tooOften = 5, 7, 8

// beside holds a session of a target that was seen, and in which was found what the judgement says, against the same one with the
// baseline. Of says of which transformation of actions it is the follow-up; nil of any other session. Both are alike if all that was said
// is the same.
func (w *worker) beside(ctx context.Context, on dap.Target, seen *oracle.Seen, j *judge.Judgement, found []*finding.Finding, of *metamorphic.FollowUp) (both bool, err error) {
	if !w.job.Run.Oracles.Baseline || w.endless() || ctx.Err() != nil || of != nil && of.Name == action.Replay().Name {
		return false, nil
	}
	other, err := w.sibling(ctx)
	if err != nil || other == nil {
		return false, err
	}
	t := &baseline.Test{
		Tested: w.carrier(on, seen, of, w.adapters[0]), Baseline: w.carrier(on, seen, of, other), Times: alike, Waits: on.Copy != nil && on.Copy.Held,
		Believed: func(of string) bool { return w.p.changed.count(of) > 0 },
		Doubted:  func(of string) bool { return w.m.kept.varying.count(of) > 0 },
		Varies:   func(of string) bool { return w.p.varying.count(of) >= tooOften },
	}
	if t.Concurrent = w.p.concurrent; t.Concurrent || seen.Debuggee.Source.Chance() {
		t.Times = alikeByChance
	}
	out, err := t.Run(ctx, seen)
	if err != nil {
		return false, err
	}
	w.run.Tally.Add(baseline.Oracle, out.Messages)
	for _, kind := range out.Varying {
		w.p.varying.add(kind)
		w.m.kept.varying.add(kind)
	}
	if len(out.Differences) == 0 {
		return out.Alike, nil
	}
	broken, _, err := j.Of(ctx, out.Baseline)
	if err != nil {
		return false, err
	}
	for _, d := range out.Differences {
		w.p.changed.add(d.Of())
		s := seen.Session(d.Event)
		if of != nil {
			s = &finding.Session{Base: of.Base, Index: len(of.Base) - 1, Follow: seen.Events, Early: seen.Early}
		}
		f := d.Finding(seen.Debuggee, s, w.engines[0].String(), w.job.Baseline)
		if of != nil {
			f.Params = baseline.Transformed(of.Name, of.Params)
		}
		if mended(broken, found, &d) {
			w.mend(f)
			continue
		}
		n := len(w.found)
		w.add(f)
		w.settled = append(w.settled, w.found[n:]...) // it was tried often enough
		w.found = w.found[:n]
	}
	w.tell()
	return false, nil
}

// uncompared are rules about what is not held against the baseline: how messages are numbered and ordered, whether they are messages at
// all, and what comes when a session is left.
var uncompared = []string{"decodes", "seq", "seq-order", "answer", "alive", "exited", "terminated", "farewell"}

// mended reports whether the baseline breaks a rule where the two differ, and the debugger does not: one of the protocol by the message
// that differs, or another one at an event where the debugger breaks none.
func mended(broken, found []*finding.Finding, d *baseline.Difference) bool {
	at := func(f *finding.Finding) bool { return f.Session().Index == d.Event }
	return slices.ContainsFunc(broken, func(b *finding.Finding) bool {
		if b.Oracle != protocol.Oracle {
			return at(b) && !slices.ContainsFunc(found, at)
		}
		on, _, _ := strings.Cut(b.On, "/")
		return at(b) && on == d.On && !slices.ContainsFunc(found, func(f *finding.Finding) bool { return at(f) && f.Class == b.Class })
	})
}

// mend counts a difference from a baseline that is wrong there.
func (w *worker) mend(f *finding.Finding) {
	if w.run.Mended == nil {
		w.run.Mended = map[string]int{}
	}
	w.run.Mended[f.Class.String()]++
}

// carrier carries a session out once more, by an adapter.
func (w *worker) carrier(on dap.Target, seen *oracle.Seen, of *metamorphic.FollowUp, by *dap.Adapter) baseline.Carrier {
	if of == nil {
		return baseline.Repeating(seen, func(ctx context.Context) (*dap.Session, *dap.Output, error) {
			target := dap.TargetOf(seen.Debuggee.Build)
			if seen.As == "" {
				target.Settings = on.Settings // a variant may want some
			}
			if err := action.Start(&target, seen.As); err != nil {
				return nil, nil, err
			}
			return w.openBy(ctx, by, target, seen.Early, 1)
		})
	}
	return func(ctx context.Context) (*oracle.Seen, error) {
		s, events, err := of.Again(ctx, func(ctx context.Context, t dap.Target, patience int) (*dap.Session, *dap.Output, error) {
			return w.openBy(ctx, by, t, nil, patience)
		})
		if s == nil {
			return nil, err
		}
		s.Close()
		if err != nil {
			return nil, err
		}
		return oracle.SeenOf(seen.Debuggee, s, events, nil), nil
	}
}
