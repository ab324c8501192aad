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

// assign follows an assignment, or a call: from there on the session is judged by a run of the program
// with that assignment or call at that execution of the statement, and those before.
func (j *judge) assign(i int, a dap.Action, out *dap.Output) error {
	rule := "R10-assign"
	if a.Kind == dap.Call {
		rule = "R14-call"
	}
	p := j.pause(i)
	w, n := j.recordable(p, a)
	if a.Kind == dap.Call && out.Kind == dap.Refused && (len(j.data) > 0 || callBroken(out.Text)) {
		n = -1 // it may have been done in part
	} else if out.Kind == dap.Refused { // nothing was done
		if a.Kind == dap.SetVar && n >= 0 && !j.dead && j.settable(p, a) {
			j.check(i, rule, false, dap.DiffAnswer, a.String(), "done, as it is a number's", out.Text)
		}
		return nil
	}
	if n >= 0 && a.Kind == dap.SetVar {
		_, pkg := j.m.Code.Node(j.m.Moments[j.at].Activation.Func)
		if at := j.m.step(j.at).Node.Pos(); pkg != nil && (knownLiteral(pkg, at, a.Name) || capturedCopy(pkg, at, a.Name)) {
			n = -1
		}
	}
	if n >= 0 {
		mo := j.m.Moments[j.at]
		sets := append(slices.Clip(j.sets), record.Set{Number: w.First + n, Nth: j.m.step(j.at).Nth})
		run, err := j.m.Assigned(j.ctx, sets)
		if err != nil {
			return err
		}
		// Up to there both runs are the same.
		if run.Why == "" && !run.Concurrent() && j.at < len(run.Moments) && run.Moments[j.at].Activation.Func == mo.Activation.Func {
			j.m, j.t, j.sets, j.stirs = &Model{run}, run.Threads[0], sets, nil
			j.assigned, j.assigning, j.fresh, j.before = a.String(), rule, true, j.m.step(j.at)
			j.forgetData()
			for _, b := range j.points {
				b.open, b.done, b.due, b.printed = nil, nil, nil, 0
			}
			return nil
		}
	}
	j.missed(rule)
	j.dead, j.over, j.why = true, true, afterSet // another run than the recorded one
	return nil
}

// recordable is the statement at which a session assigns something and the number of the assignment among
// those that the program can be recorded with there; -1 if it cannot be.
func (j *judge) recordable(p *dap.Pause, a dap.Action) (*history.Watched, int) {
	if p == nil || j.track == nil || j.lost || j.at < j.t.Lo || j.at >= j.t.Hi || a.Frame != 0 ||
		j.m.Concurrent() || len(j.sets) >= record.MaxSets || j.fresh || !j.m.Assigns() {
		return nil, -1
	}
	mo := j.m.Moments[j.at]
	s := mo.Activation.Steps[mo.Step]
	w := j.m.Watched(mo.Activation, s)
	if w == nil || !s.IsClear || mo.Call != 0 || j.m.late(mo.Activation, s) || p.Top().Line != s.First {
		return nil, -1
	}
	return w, slices.Index(w.Sets, assignmentOf(a))
}

// assignmentOf is what a program is recorded with for an assignment, or for a call.
func assignmentOf(a dap.Action) history.Assignment {
	if a.Kind == dap.Call {
		return history.Assignment{Value: a.Name}
	}
	return history.Assignment{Name: a.Name, Value: a.Value}
}

// settable reports whether a debugger can surely do an assignment that the program can be recorded with: of
// a constant to a whole variable that the pause shows, of a number or a truth value.
func (j *judge) settable(p *dap.Pause, a dap.Action) bool {
	if v := shown(p.Scopes, a.Name); v == nil || unreadable(*v) {
		return false
	}
	if _, err := strconv.ParseFloat(a.Value, 64); err != nil && a.Value != "true" && a.Value != "false" {
		return false
	}
	_, pkg := j.m.Code.Node(j.m.Moments[j.at].Activation.Func)
	if pkg == nil {
		return false
	}
	t := check(pkg, j.m.step(j.at).Node.Pos(), a.Name)
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsNumeric|types.IsBoolean) != 0
}

// wasBefore reports whether the values at a step were recorded before the session's assignment.
func (j *judge) wasBefore(s *timeline.Step) bool {
	return j.before != nil && s.Node == j.before.Node && s.Begin == j.before.Begin
}
