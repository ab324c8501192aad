package campaign

import (
	"context"
	"fmt"

	"misstep/dap"
	"misstep/finding"
	"misstep/judge"
	"misstep/oracle"
	"misstep/oracle/metamorphic"
	"misstep/oracle/reference"
	"misstep/transform/action"
)

// confirmations is how often the session of a finding is carried out once more before it is
// told.
const confirmations = 2

// A Sometimes is something that one session showed, and that did not come again, in the same
// way, each time the same actions were done once more: it depends on time or chance, of the
// debugger or of the program.
type Sometimes struct {
	Class  string `json:"class"`
	Reason string `json:"reason"`
	Shown  int    `json:"shown"` // sessions that showed it, the first among them
	Of     int    `json:"of"`
}

// confirm holds back the findings of the run that do not come again. The transformations'
// and the comparisons' are confirmed by themselves.
func (w *worker) confirm(ctx context.Context) error {
	var model *reference.Model
	kept := w.found[:0]
	for _, f := range w.found {
		if f.Session() == nil || f.Debuggee == nil || f.Oracle != reference.Oracle && f.Oracle != "protocol" && f.Oracle != "trace" && f.Rule != metamorphic.Debugged {
			kept = append(kept, f)
			continue
		}
		if model == nil && w.model() != nil {
			run, err := w.model().Again(ctx)
			if err != nil {
				return fmt.Errorf("recording it anew: %w", err)
			}
			model = &reference.Model{Run: run}
		}
		shown := 1
		for range confirmations {
			again, err := w.again(ctx, f, model)
			if err != nil {
				return err
			}
			if again {
				shown++
			}
		}
		if shown == 1+confirmations {
			kept = append(kept, f)
			continue
		}
		w.run.Sometimes = append(w.run.Sometimes, Sometimes{f.Class.String(), f.Reason, shown, 1 + confirmations})
	}
	w.found = kept
	return nil
}

// again reports whether the actions that led to a finding lead to it once more: by the same
// rule, at the same place, with the same values.
func (w *worker) again(ctx context.Context, f *finding.Finding, model *reference.Model) (bool, error) {
	was := f.Session()
	target := dap.TargetOf(f.Debuggee.Build)
	if err := action.Start(&target, was.As); err != nil {
		return false, err
	}
	s, failed, err := w.open(ctx, target, was.Early)
	if err != nil {
		return false, err
	}
	var events []dap.Event
	if failed != nil {
		events = append(events, dap.Event{Output: *failed})
	}
	// As many events as there were, and the program's end, by which some is judged.
	for _, e := range was.Base {
		if failed != nil || e.Action.Kind == "" {
			continue
		}
		out, err := s.Do(ctx, e.Action)
		if err != nil {
			s.Close()
			return false, err
		}
		events = append(events, dap.Event{Action: e.Action, Output: out})
		if out.Kind.Fatal() {
			break
		}
	}
	if n := len(events); n == 0 || !events[n-1].Output.Kind.Fatal() && events[n-1].Output.Kind != dap.Ended {
		if _, err := s.Do(ctx, dap.Action{Kind: dap.Finish}); err != nil {
			s.Close()
			return false, err
		}
	}
	s.Close()
	j := judge.Judgement{Protocol: true, Reference: w.model() != nil, Plain: true}
	if f.Debuggee == w.p.tested {
		j.Model = model
	}
	found, _, err := j.Of(ctx, oracle.SeenOf(f.Debuggee, s, events, was.Early))
	if err != nil {
		return false, err
	}
	for _, g := range found {
		if g.Rule == f.Rule && g.On == f.On && g.Class == f.Class && g.Place == f.Place && g.Kind == f.Kind && g.What == f.What && g.Expected == f.Expected && g.Got == f.Got {
			return true, nil
		}
	}
	return false, nil
}
