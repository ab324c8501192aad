package reference

import (
	"go/ast"
	"reflect"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/history"
	"misstep/history/timeline"
)

// manyPlaces is among how many moments the values that a pause shows, and the pauses that come
// next, tell which it is at.
const manyPlaces = 400

// among is the moment of a pause if where the session was before is not known, but not before
// a moment; -1 if several are left. Those are kept as the track's candidates: from each one
// the next pause has few successors, and the values that it shows rule others out, until one
// is left.
func (j *judge) among(s *sought, start int) int {
	may := j.may
	if j.may = j.candidates(s, j.fitting(s, start)); j.m.only(j.may) {
		j.supposed = false
		return j.may[0]
	}
	if len(may) == 0 || !j.lost {
		return -1
	}
	var can []int
	for _, c := range may {
		can = j.successors(can, s, c)
	}
	slices.Sort(can)
	if j.may = j.candidates(s, slices.Compact(can)); j.m.only(j.may) {
		j.supposed = true
		return j.may[0]
	}
	return -1
}

// only reports whether moments are a single one, at which a debugger surely can pause.
func (m *Model) only(can []int) bool {
	return len(can) == 1 && (m.step(can[0]).IsClear || m.step(can[0]).Entry)
}

// proves reports whether a pause can be at no other moment than one, wherever the session was
// before.
func (j *judge) proves(p *dap.Pause, at int) bool {
	s := &sought{pause: p, stack: j.m.frames(p)}
	can := j.candidates(s, j.fitting(s, max(j.floor, j.t.Lo)))
	return j.m.only(can) && can[0] == at
}

// anywhere is where a pause must be that has not come about as it should have, by its stack and
// its values alone; -1 if that is not known.
func (j *judge) anywhere(p *dap.Pause) int {
	unclear := j.unclear
	s, _ := j.seek(p)
	to := j.among(s, max(j.at, j.t.Lo))
	j.unclear = unclear
	return to
}

// fitting are the moments from one on that a pause fits; if there are many, not all.
func (j *judge) fitting(s *sought, start int) []int {
	var can []int
	for n := start; n < j.t.Hi && len(can) <= manyPlaces; n++ {
		if j.m.fits(j.m.Moments[n], s.stack) && j.comes(s, n) {
			can = append(can, n)
		}
	}
	return can
}

// comes reports whether a pause can come about at a moment in the way that it has: at a breakpoint,
// and by a step that has not left a call, it is where a statement on one line begins; by a step out
// to the line of the call, it is after that.
func (j *judge) comes(s *sought, n int) bool {
	mo := j.m.Moments[n]
	if !exact(j.m.owner(n)) && j.m.step(n).First != j.m.step(n).Last {
		return true
	}
	was, p := j.shown, s.pause
	if s.hit && s.point != nil && !s.point.function {
		return mo.Call == 0
	}
	if p.Reason != "step" || was == nil || was.Thread != p.Thread || was.Carried() || p.Carried() || len(was.Stack) < 2 || len(p.Stack) == 0 {
		return true
	}
	if !j.m.own(was) {
		return true // calls of what is not recorded are not counted
	}
	caller := was.Stack[1]
	switch {
	case j.moved == dap.StepOut && len(p.Stack) == len(was.Stack)-1 && caller.Func == p.Top().Func && caller.Line == p.Top().Line:
		return mo.Call > 0
	case (j.moved == dap.Next || j.moved == dap.StepIn) && len(p.Stack) == len(was.Stack) && was.Top().Func == p.Top().Func && was.Top().Line != p.Top().Line:
		return mo.Call == 0
	case j.moved == dap.StepIn && len(p.Stack) > len(was.Stack):
		return mo.Call == 0
	}
	return true
}

// candidates leaves out the moments that the values of a pause rule out. There are none if it
// may be at another moment as well, or if there are many.
func (j *judge) candidates(s *sought, can []int) []int {
	if len(can) > manyPlaces {
		return nil
	}
	can = slices.DeleteFunc(can, func(n int) bool { return j.contradicts(s.pause, n) })
	if slices.ContainsFunc(can, func(n int) bool { return j.m.elsewhere(n) }) {
		return nil
	}
	return can
}

// successors adds the moments at which a session may pause next that was at another: all that
// fit, up to the first that cannot be passed by.
func (j *judge) successors(can []int, s *sought, from int) []int {
	for n := from; n < j.t.Hi && len(can) <= manyPlaces; n++ {
		mo := j.m.Moments[n]
		if s.point != nil && s.point.function {
			if !j.m.enters(n, s.point, s.pause.Top().Line) {
				continue
			}
		} else if s.hit && !j.m.begins(n, from, s.pause.Top().Line) && n != from {
			continue
		}
		if !j.m.fits(mo, s.stack) {
			continue
		}
		must := n > from && mo.Call == 0 && j.m.step(n).IsClear && (s.point == nil || s.point.hit == "")
		switch {
		case s.point == nil || s.point.condition == "":
		case s.pause.Exception():
			must = false // the debugger could not evaluate it, whatever it is
		default:
			holds, known := j.holds(s.point, n)
			if known && !holds && n > from {
				continue
			}
			must = must && known
		}
		can = append(can, n)
		if must {
			break
		}
	}
	return can
}

// elsewhere reports whether a debugger may also pause on the lines of a moment when the
// history is at none that has them: on those of clauses and labels, which jumps share.
func (m *Model) elsewhere(n int) bool {
	s := m.step(n)
	if m.Switches[s.Node] != nil {
		return true
	}
	switch s.Node.(type) {
	case *ast.LabeledStmt, *ast.BranchStmt, *ast.DeclStmt:
		return true
	case *ast.BlockStmt:
		return s.Part != history.Return
	case *ast.ForStmt, *ast.RangeStmt, *ast.IfStmt:
		return s.First != s.Last
	case nil:
		return m.Plan.Funcs[m.Moments[n].Activation.Func].Defers
	}
	return false
}

// contradicts reports whether a pause shows a variable with a value that it does not have at a
// moment.
func (j *judge) contradicts(p *dap.Pause, n int) bool {
	if len(p.Scopes) == 0 {
		return false
	}
	mo := j.m.Moments[n]
	x, s := mo.Activation, mo.Activation.Steps[mo.Step]
	var truth []history.Value
	now := true
	if s.Entry {
		truth = j.arguments(x)
	} else {
		var why string
		behind := p.Reason == "step" && (s.Library || len(s.Children) > 0)
		if truth, now, why = j.recorded(p, x, s, 0, n, behind); why != "" {
			return false
		}
	}
	if p.Top().Line < s.First || p.Top().Line > s.Last {
		return false
	}
	for _, t := range truth {
		v := shown(p.Scopes, t.Name)
		if v == nil || unreadable(*v) {
			continue
		}
		t, why := j.comparable(x, s, t, now)
		if why != "" {
			continue
		}
		if compare(t, *v, t.Name) != (mismatch{}) {
			return true
		}
	}
	return false
}

// unreadable reports whether a debugger cannot read a variable, or a part of it, which says nothing of
// where it is.
func unreadable(v dap.Variable) bool {
	return strings.Contains(v.Value, "(unreadable ") || slices.ContainsFunc(v.Children, unreadable)
}

// stale reports whether what variables lead to may be gone that nothing uses any more: the program has garbage collected, or a call
// that the debugger was asked for may have moved the stack, which takes along what is in use.
func (j *judge) stale() bool { return j.m.Collects || j.called }

// comparable is what of a variable's value at a step can be held against what is shown of it, or
// why nothing can.
func (j *judge) comparable(x *timeline.Activation, s timeline.Step, t history.Value, now bool) (history.Value, string) {
	lasting := j.m.lasting(x, s, t.Name)
	switch {
	case t.Kind == history.Unknown:
		return t, unsteady
	case flat[t.Kind] || j.m.needed(x, s, t.Name):
	case j.stale():
		return t, unneeded
	case points[t.Kind] && j.m.left(x, s, t.Name):
		t = itself(t)
	}
	if !now && (!lasting || j.m.sets(x, s, t.Name)) {
		next, same := j.unchanged(x, s, t)
		switch {
		case !same:
			return t, within
		case j.calm(s.Begin, next):
		case !j.m.alone(x, s, t.Name):
			return t, within
		default:
			t = itself(t)
		}
	}
	if j.m.Concurrent() && !lasting {
		if !j.m.alone(x, s, t.Name) {
			return t, shared
		}
		t = itself(t)
	}
	return t, ""
}

// unchanged reports whether a variable has the same value before a step as before the next one, and
// when that begins.
func (j *judge) unchanged(x *timeline.Activation, s timeline.Step, t history.Value) (next int, same bool) {
	n := slices.IndexFunc(x.Steps, func(o timeline.Step) bool { return o.Begin == s.Begin && o.Node == s.Node && o.Part == s.Part })
	for n >= 0 && n+1 < len(x.Steps) && x.Steps[n+1].Part == history.Cases && len(x.Steps[n+1].Children) == 0 && !x.Steps[n+1].Library {
		n++ // which evaluates what changes nothing
	}
	if n < 0 || n+1 >= len(x.Steps) || s.Node == nil || x.Steps[n+1].Node == nil {
		return 0, false
	}
	after := x.Steps[n+1]
	snap, ok := j.snapshot(x, after)
	if !ok {
		return 0, false
	}
	for _, v := range j.same(x, s, after, snap.Vars, nil) {
		if v.Name == t.Name {
			return after.Begin, reflect.DeepEqual(v, t)
		}
	}
	return 0, false
}

// itself is a value without what it only leads to, which others may reach.
func itself(t history.Value) history.Value {
	if t.Kind != "struct" && t.Kind != "array" {
		t.Children = nil
		return t
	}
	parts := make([]history.Value, len(t.Children))
	for i, c := range t.Children {
		parts[i] = itself(c)
	}
	t.Children = parts
	return t
}
