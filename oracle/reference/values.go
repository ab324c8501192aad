package reference

import (
	"slices"
	"strings"

	"misstep/dap"
	"misstep/finding"
	"misstep/history"
	"misstep/history/timeline"
)

// innermost judges the variables of the innermost frame of a pause.
func (j *judge) innermost(i int, p *dap.Pause, at int) {
	mo := j.m.Moments[at]
	s := mo.Activation.Steps[mo.Step]
	if s.Entry && len(mo.Activation.Steps) > 1 && p.Top().Line == s.First && len(p.Scopes) > 0 {
		if j.beneath(p) {
			j.unjudged(finding.Variables, entryValues, count(p.Scopes))
			return
		}
		j.entered(i, p, mo.Activation)
		return
	}
	j.shows(i, p, 0, p.Scopes, at)
}

// vars judges the variables of the frame that the session asked for.
func (j *judge) vars(i int, a dap.Action, out *dap.Output) error {
	p := j.events[i].From(j.pause(i))
	if out.Kind != dap.Answered || p == nil {
		return nil
	}
	if j.track == nil || j.lost || j.at < j.t.Lo || j.at >= j.t.Hi || a.Frame >= len(p.Stack) {
		j.unjudged(finding.Variables, unplaced, count(out.Scopes))
		return nil
	}
	if mo := j.m.Moments[j.at]; a.Frame == 0 && mo.Activation.Steps[mo.Step].Entry {
		j.unjudged(finding.Variables, entryValues, count(out.Scopes))
		return nil
	}
	j.shows(i, p, a.Frame, out.Scopes, j.at)
	return nil
}

// Why variables are not judged.
const (
	unplaced    = "where the session is in the recorded run is not known"
	foreign     = "of functions that are not recorded"
	within      = "the pause is within a statement, which may have changed them"
	entryValues = "at the entry of a function parameters may not be in their places yet"
	noSnapshot  = "no values were recorded there"
	shared      = "another goroutine may change them"
	unsteady    = "runs of the program differ in them"
	shadowed    = "a variable of the same name hides them"
	compilers   = "the compiler made them"
	results     = "results without a name"
	unneeded    = "nothing uses them any more, so that their memory may have been collected"
	changed     = "the session has just assigned to a variable"
)

// shows judges the variables that a frame is shown with, while the run is at a moment.
func (j *judge) shows(i int, p *dap.Pause, frame int, scopes []dap.Scope, at int) {
	if len(scopes) == 0 {
		return
	}
	no := func(why string) { j.unjudged(finding.Variables, why, count(scopes)) }
	x, n := j.m.frame(p, frame, at)
	if x == nil || n < 0 || n >= len(x.Steps) {
		no(foreign)
		return
	}
	if j.fresh {
		no(changed)
		return
	}
	s := x.Steps[n]
	truth, now, why := j.recorded(p, x, s, frame, at, j.behind)
	switch {
	case why != "":
		no(why)
		return
	case (p.Stack[frame].Line < s.First || p.Stack[frame].Line > s.Last) && searched(&s) == nil:
		no(within)
		return
	}
	for _, t := range truth {
		v := shown(scopes, t.Name)
		if v == nil && j.partway && frame == 0 {
			// A line may have instructions after the blocks in it; the trace holds what is shown there against the binary.
			j.unjudged(finding.Variables, within, 1)
			continue
		}
		if v == nil && j.m.declaredBefore(x, s, t.Name) {
			j.check(i, "R3-value", false, dap.DiffVariables, t.Name, "shown, as it is in scope", "not shown")
			return
		}
		if v == nil {
			continue
		}
		t, why := j.comparable(x, s, t, now)
		if why != "" {
			j.unjudged(finding.Variables, why, 1)
			continue
		}
		if what, want, got := differ(t, *v, t.Name); what != "" {
			j.check(i, "R3-value", false, dap.DiffVariables, what, want, got)
			return
		}
		if bad := j.m.misnamed(*v, t.Name); bad != (mismatch{}) {
			j.check(i, "R3-value", false, dap.DiffVariables, bad.what, bad.want, bad.got)
			return
		}
		j.judged(finding.Variables, 1)
		j.made("R3-value")
	}
	j.others(i, x, s, scopes, truth, now && frame == 0)
}

// recorded is the variables of a frame while the run is at a moment, or why they are not
// known. Behind says that the pause may come after a call of the statement. Now says that all
// have these values then; if not, the statement may have changed those that are not lasting.
func (j *judge) recorded(p *dap.Pause, x *timeline.Activation, s timeline.Step, frame, at int, behind bool) (vars []history.Value, now bool, why string) {
	vars, now, why = j.values(p, x, s, frame, at, behind)
	// A name that is declared on the line may be shown of the variable that it hides.
	scope, ok := j.m.inScope(x, s)
	return slices.DeleteFunc(slices.Clone(vars), func(v history.Value) bool {
		return ok && len(scope[v.Name]) > 1 && !j.m.declaredBefore(x, s, v.Name)
	}), now, why
}

// values is what recorded finds, with all that is in scope.
func (j *judge) values(p *dap.Pause, x *timeline.Activation, s timeline.Step, frame, at int, behind bool) (vars []history.Value, now bool, why string) {
	if j.wasBefore(&s) {
		return nil, false, changed
	}
	mo := j.m.Moments[at]
	inner := mo.Activation.Steps[mo.Step]
	now = !j.partway && p.Top().Line == inner.First && mo.Call == 0 && !behind && !j.m.late(mo.Activation, inner) && j.m.Leads(mo.Activation, inner)
	w := j.m.Watched(x, s)
	here, recorded := j.snapshot(x, s)
	if !recorded {
		if frame > 0 || !now {
			return nil, false, noSnapshot
		}
		if vars, ok := j.derived(x, mo.Step); ok {
			return vars, true, ""
		}
		return nil, false, noSnapshot
	}
	// Where a data breakpoint pauses, the statement has written what the call gave.
	if frame == 0 && mo.Call > 0 && p.Reason != dataReason && p.Top().Line == inner.First && inner.First == inner.Last {
		if vars, ok := j.returnedTo(x, s, mo.Call); ok && !j.outside && !j.stays {
			return vars, true, ""
		}
	}
	if frame > 0 {
		// They are as they are now, which the innermost function's snapshot tells.
		snap, _ := j.snapshot(mo.Activation, inner)
		for _, f := range snap.Frames {
			if f.Path == w.Path && f.Offset == w.Offset && f.Nth == s.Nth {
				return f.Vars, now, ""
			}
		}
		now = false
	}
	return here.Vars, now, ""
}

// others judges what is shown beside the variables that are in scope: nothing that the
// program does not have there.
func (j *judge) others(i int, x *timeline.Activation, s timeline.Step, scopes []dap.Scope, truth []history.Value, now bool) {
	can, ok := j.m.inScope(x, s)
	seen := map[string]bool{}
	for _, scope := range scopes {
		for _, v := range scope.Vars {
			name, hidden := strings.CutPrefix(v.Name, "(")
			name = strings.TrimPrefix(strings.TrimSuffix(name, ")"), "&")
			switch {
			case strings.HasPrefix(name, "~"):
				if !j.result(i, x, s, v, now) {
					return
				}
			case name == "" || name == "_" || strings.ContainsAny(name[:1], ".#"):
				j.unjudged(finding.Variables, compilers, 1)
			case !ok:
				if !slices.ContainsFunc(truth, func(t history.Value) bool { return t.Name == name }) {
					j.unjudged(finding.Variables, noSnapshot, 1)
				}
			case can[name] == nil:
				j.check(i, "R3-value", false, dap.DiffVariables, v.Name, "not shown: no such variable is in scope", v.Type+" "+v.Value)
				return
			case hidden:
				j.unjudged(finding.Variables, shadowed, 1)
			case seen[name]:
				j.check(i, "R3-value", false, dap.DiffVariables, v.Name, "shown once", "shown twice")
				return
			case !slices.ContainsFunc(truth, func(t history.Value) bool { return t.Name == name }):
				// It is declared on the line of the statement, or nothing uses it.
				if len(can[name]) > 1 {
					j.unjudged(finding.Variables, shadowed, 1) // or is hidden
				} else if !j.typed(i, can[name][0].Type(), v, undeclared) {
					return
				}
			}
			seen[name] = !hidden
		}
	}
}

// undeclared is why a variable is not judged that is declared by the statement itself.
const undeclared = "the statement declares them"
