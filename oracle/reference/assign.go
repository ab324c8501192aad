package reference

import (
	"slices"

	"misstep/dap"
	"misstep/history"
	"misstep/history/record"
)

// assign follows an assignment: from there on the session is judged by a run of the
// program with that assignment at that execution of the statement.
func (j *judge) assign(i int, a dap.Action, out *dap.Output) error {
	const rule = "R10-assign"
	p := j.pause(i)
	if out.Kind == dap.Refused {
		return nil // nothing was assigned
	}
	known := p != nil && j.track != nil && !j.lost && j.at >= j.t.lo && j.at < j.t.hi && a.Frame == 0 &&
		!j.m.concurrent() && j.assigned == "" && !j.restarts && j.m.runner != nil
	if known {
		mo := j.m.moments[j.at]
		s := mo.act.steps[mo.step]
		w := j.m.watched(mo.act, s)
		n := -1
		if w != nil && s.clear && mo.call == 0 && p.Top().Line == s.first {
			n = slices.Index(w.Sets, history.Assignment{Name: a.Name, Value: a.Value})
		}
		if n >= 0 {
			run, err := j.m.runner.assigned(j.ctx, record.Set{Number: w.First + n, Nth: s.nth})
			if err != nil {
				return err
			}
			// Up to there both runs are the same.
			if run.Why == "" && !run.concurrent() && j.at < len(run.moments) && run.moments[j.at].act.Func == mo.act.Func {
				j.m, j.t = &Model{run}, run.threads[0]
				j.assigned, j.fresh = a.String(), true
				return nil
			}
		}
	}
	j.missed(rule)
	j.dead = true // another run than the recorded one
	return nil
}
