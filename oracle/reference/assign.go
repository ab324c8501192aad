package reference

import (
	"go/types"
	"slices"
	"strconv"

	"misstep/dap"
	"misstep/history"
	"misstep/history/record"
	"misstep/history/timeline"
)

// assign follows an assignment: from there on the session is judged by a run of the program
// with that assignment at that execution of the statement, and those before.
func (j *judge) assign(i int, a dap.Action, out *dap.Output) error {
	const rule = "R10-assign"
	p := j.pause(i)
	if out.Kind == dap.Refused && (p == nil || j.dead || !j.settable(p, a)) {
		return nil // nothing was assigned
	}
	known := p != nil && j.track != nil && !j.lost && j.at >= j.t.Lo && j.at < j.t.Hi && a.Frame == 0 &&
		!j.m.Concurrent() && len(j.sets) < record.MaxSets && !j.fresh && j.m.Assigns()
	if known {
		mo := j.m.Moments[j.at]
		s := mo.Activation.Steps[mo.Step]
		w := j.m.Watched(mo.Activation, s)
		n := -1
		if w != nil && s.IsClear && mo.Call == 0 && !j.m.late(mo.Activation, s) && p.Top().Line == s.First {
			n = slices.Index(w.Sets, history.Assignment{Name: a.Name, Value: a.Value})
		}
		if out.Kind == dap.Refused {
			if n >= 0 {
				j.check(i, rule, false, dap.DiffAnswer, a.String(), "done, as it is a number's", out.Text)
			}
			return nil
		}
		if n >= 0 {
			sets := append(slices.Clip(j.sets), record.Set{Number: w.First + n, Nth: s.Nth})
			run, err := j.m.Assigned(j.ctx, sets)
			if err != nil {
				return err
			}
			// Up to there both runs are the same.
			if run.Why == "" && !run.Concurrent() && j.at < len(run.Moments) && run.Moments[j.at].Activation.Func == mo.Activation.Func {
				j.m, j.t, j.sets, j.stirs = &Model{run}, run.Threads[0], sets, nil
				j.assigned, j.fresh, j.before = a.String(), true, j.m.step(j.at)
				for _, b := range j.points {
					b.open, b.done, b.due, b.printed = nil, nil, nil, 0
				}
				return nil
			}
		}
	}
	if out.Kind == dap.Refused {
		return nil
	}
	j.missed(rule)
	j.dead, j.over, j.why = true, true, afterSet // another run than the recorded one
	return nil
}

// settable reports whether a debugger can surely assign what it is asked to: a constant to a variable of a
// number or a truth value, or to a part of one that is such, as far as the pause shows it.
func (j *judge) settable(p *dap.Pause, a dap.Action) bool {
	x, at := j.m.frame(p, a.Frame, j.at)
	if j.track == nil || j.lost || x == nil || at < 0 || at >= len(x.Steps) || x.Steps[at].Node == nil {
		return false
	}
	_, pkg := j.m.Code.Node(x.Func)
	if pkg == nil {
		return false
	}
	if v := shown(p.Scopes, rootOf(a.Name)); v == nil || unreadable(*v) {
		return false
	}
	t := check(pkg, x.Steps[at].Node.Pos(), a.Name)
	if t == nil || rootOf(a.Name) != a.Name {
		return false // what leads there may be nil
	}
	b, ok := t.Underlying().(*types.Basic)
	if _, err := strconv.ParseFloat(a.Value, 64); err != nil && a.Value != "true" && a.Value != "false" {
		return false
	}
	return ok && b.Info()&(types.IsNumeric|types.IsBoolean) != 0
}

// wasBefore reports whether the values at a step were recorded before the session's assignment.
func (j *judge) wasBefore(s *timeline.Step) bool {
	return j.before != nil && s.Node == j.before.Node && s.Begin == j.before.Begin
}
