package campaign

import (
	"context"
	"fmt"
	"slices"

	"misstep/dap"
	"misstep/finding"
	"misstep/internal/gobuild"
	"misstep/judge"
	"misstep/oracle/protocol"
	"misstep/script"
)

// enough is how many findings of a class, that are alike beyond it, the baseline has to show of a program before it is
// believed to show the others as well.
const enough = 3

// tries is how often the baseline is tried with a script before it is said not to show the finding, patient how often
// where that is one of the protocol, whose messages come as time has it.
const tries, patient = 3, 8

// keyOf tells findings apart that may have two causes.
func keyOf(f *finding.Finding) string { return f.Class.String() + " " + f.Fine() }

// recurring is how many of [patient] sessions have to show what comes now and then, if as many with the baseline never do.
const recurring = 3

// sift drops findings that the baseline shows as well where that is known already, or where their session, carried out once
// with it, shows them in the same way: most of what two versions of a debugger share is dropped so, by one session for all that one
// showed. The others are compared one by one.
func (w *worker) sift(ctx context.Context) error {
	if w.job.Baseline == "" {
		return nil
	}
	w.found = slices.DeleteFunc(w.found, func(f *finding.Finding) bool {
		known, least, _ := w.sharing(f)
		if known.count(keyOf(f)) < least {
			return false
		}
		w.share(f)
		return true
	})
	adapter, err := w.sibling(ctx)
	if err != nil || adapter == nil {
		return err
	}
	groups, _ := bySession(w.found, func(*finding.Finding) bool { return true })
	return w.part(ctx, adapter, groups)
}

// sibling is the adapter of the baseline; nil if that is of another build, so that its sessions are of another binary.
func (w *worker) sibling(ctx context.Context) (*dap.Adapter, error) {
	base, err := gobuild.ParseEngine(w.job.Baseline)
	if err != nil || !base.SameBuild(w.engines[0]) {
		return nil, err
	}
	adapter, err := w.m.adapter(ctx, base)
	if err != nil {
		return nil, fmt.Errorf("finding %s: %w", w.job.Baseline, err)
	}
	return adapter, nil
}

// part carries sessions out with the baseline, each once, and drops what it shows as well. Of the others it counts where the baseline
// went the same way until the finding.
func (w *worker) part(ctx context.Context, baseline *dap.Adapter, groups []*shownBy) error {
	both := map[*finding.Finding]bool{}
	for _, g := range groups {
		shown, events, err := w.again(ctx, g, baseline)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return fmt.Errorf("carrying a session out with %s: %w", w.job.Baseline, err)
		}
		for _, f := range g.found {
			if slices.ContainsFunc(shown, func(s *finding.Finding) bool { return s.Class == f.Class && keyOf(s) == keyOf(f) }) {
				both[f] = true
				w.share(f)
			} else if sameRoad(f.Session(), events) {
				w.apart[f]++
			}
		}
	}
	w.found = slices.DeleteFunc(w.found, func(f *finding.Finding) bool { return both[f] })
	return nil
}

// sameRoad reports whether all actions before the one that showed a finding were granted or refused alike, so that what comes then can
// be held against each other.
func sameRoad(s *finding.Session, events []dap.Event) bool {
	n := min(max(s.Index, 0), len(s.Base))
	if len(events) <= n {
		return false
	}
	for i := range n {
		if s.Base[i].Output.Kind != events[i].Output.Kind {
			return false
		}
	}
	return true
}

// aparted settles what its session has shown each time, and never with the baseline, which is tried as often as it is with a script.
func (w *worker) aparted(ctx context.Context) error {
	adapter, err := w.sibling(ctx)
	if err != nil || adapter == nil {
		return err
	}
	wanted := func(f *finding.Finding) bool {
		return f.Oracle != protocol.Oracle && w.repeated[f] && w.apart[f] > 0
	}
	for range tries - 1 {
		groups, _ := bySession(w.found, wanted)
		if err := w.part(ctx, adapter, groups); err != nil || ctx.Err() != nil {
			return err
		}
	}
	w.found = slices.DeleteFunc(w.found, func(f *finding.Finding) bool {
		alone := wanted(f) && w.apart[f] >= tries
		if alone {
			w.settled = append(w.settled, f)
		}
		return alone
	})
	return nil
}

// sharing is what is known of a finding's like, how many of these the baseline has to show before it is believed to show all, and how
// often it is tried with a script before it is said not to.
func (w *worker) sharing(f *finding.Finding) (known *classes, least, times int) {
	// The protocol's rules are about the adapter: what it does with one program it does with another.
	if f.Oracle == protocol.Oracle {
		return &w.m.kept.shared, 1, patient
	}
	return &w.p.shared, enough, tries
}

// share counts a finding as one that the baseline shows as well.
func (w *worker) share(f *finding.Finding) {
	known, _, _ := w.sharing(f)
	known.add(keyOf(f))
	if w.run.Shared == nil {
		w.run.Shared = map[string]int{}
	}
	w.run.Shared[f.Class.String()]++
}

// compared settles findings: it drops those that the baseline shows as well: whose script, carried out with
// it, ends in the same class, in the same way. They are counted. What the engine under test does not show each time either, by
// the same script, cannot be told from what it shares with the baseline, and is held back.
func (w *worker) compared(ctx context.Context) error {
	if w.job.Baseline == "" {
		w.settled, w.found = append(w.settled, w.found...), nil
		return nil
	}
	if err := w.aparted(ctx); err != nil || len(w.found) == 0 {
		return err
	}
	env, forget := w.m.env(w.job.Options).Remembering()
	defer forget()
	env.Engine = w.job.Engine
	base := *env
	base.Adapter, base.Engine, base.Memo = nil, w.job.Baseline, &script.Memo{}
	defer base.Memo.Close()
	var left []*finding.Finding // for which there was no time
	for _, f := range w.found {
		class, key := f.Class.String(), keyOf(f)
		if f.Debuggee == nil || f.Debuggee.Build == nil {
			w.settled = append(w.settled, f) // no script shows it
			continue
		}
		s, err := script.Of(f, f.Debuggee.Build.Program)
		if err != nil {
			return fmt.Errorf("writing %s down for %s: %w", class, w.job.Baseline, err)
		}
		shows := func(e *script.Env, s *script.Script) (shown bool, granted int) {
			if ctx.Err() != nil {
				return false, 0
			}
			result := e.Run(ctx, s)
			return slices.ContainsFunc(result.Findings, func(g *finding.Finding) bool {
				// What the baseline shows is the same if it is wrong in the same way; something else of the class it may always have had.
				return g.Class == f.Class && (e != &base || keyOf(g) == key)
			}), result.Granted
		}
		known, least, times := w.sharing(f)
		shared := known.count(key) >= least
		for try := 0; try < times && !shared; try++ {
			var granted int
			shared, granted = shows(&base, s)
			if shared || granted == 0 {
				continue
			}
			// What the baseline grants led it another way, on which it may have come to nothing of the kind. What is refused
			// is left out then, if the engine under test shows the finding all the same.
			plain := s.WithoutRefused()
			if still, _ := shows(env, plain); still {
				s = plain
			}
		}
		if shared {
			w.share(f)
			continue
		}
		// What one session is enough for may take some before it comes again; if none of them shows it, nor does the script. What
		// comes now and then is tried as often with both.
		shown, of := 0, confirmations
		for try := 0; try < of; try++ {
			again, _ := shows(env, s)
			if again {
				shown++
			}
			if of < patient && (shown == 0 && judge.Once(f) || try == of-1 && shown > 0 && shown < of) {
				of++
			}
		}
		recurs := shown >= recurring && shown < of
		for try := times; try < of && recurs; try++ {
			by, _ := shows(&base, s)
			recurs = !by
		}
		if ctx.Err() != nil { // and nothing is known
			if w.last {
				w.holdBack(f)
			} else {
				left = append(left, f)
			}
			continue
		}
		switch {
		case shown == of:
			w.settled = append(w.settled, f)
		case judge.Once(f) && shown > 0, recurs:
			f.Reason += fmt.Sprintf(" Its script showed it in %d of %d sessions, and in none of %d with %s.", shown, of, max(times, of), w.job.Baseline)
			w.settled = append(w.settled, f)
		default:
			w.run.Sometimes = append(w.run.Sometimes, Sometimes{Class: class, Reason: f.Reason, Shown: 1 + shown, Of: 1 + of})
		}
	}
	w.found = left
	return nil
}
