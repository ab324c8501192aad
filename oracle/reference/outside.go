package reference

import (
	"maps"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/finding"
	"misstep/history/timeline"
)

// inside places a pause in what is not recorded within the statement that has called it. It
// reports whether there is one, and that is known.
func (j *judge) inside(i int, p *dap.Pause, out *dap.Output, before *track) bool {
	stack := j.m.frames(p)
	if len(stack) == 0 {
		return false
	}
	from, to := j.at, -1
	if p.Exception() {
		if to = j.panicking(stack, max(from, j.t.Lo)); to < 0 || j.lost {
			return false
		}
	} else if j.lost && j.astray {
		return false // nor is it known from where on
	} else if j.lost {
		to = j.among(&sought{pause: p, stack: stack}, max(from, j.t.Lo))
	} else {
		for n := max(from, j.t.Lo); n < j.t.Hi && to < 0; n++ {
			if j.m.fits(j.m.Moments[n], stack) {
				to = n
			}
		}
	}
	if to < 0 || !p.Exception() && !j.m.step(to).Library && !j.m.step(to).IsClear {
		return false
	}
	// What libraries call back may be called so several times.
	if x := j.m.Moments[to].Activation; !j.lost && !p.Exception() && (from < j.t.Lo || !timeline.Around(j.m.Moments[from].Activation, x)) {
		for n := to + 1; n < j.t.Hi; n++ {
			if j.m.Moments[n].Activation != x && j.m.fits(j.m.Moments[n], stack) {
				return false
			}
		}
	}
	// A breakpoint in a library that is hit once more may be hit by the same statement, or by a later execution of it.
	if !j.lost && j.outside && len(p.Hit) > 0 && from >= j.t.Lo && j.m.owner(to) == j.m.owner(from) {
		for n := j.m.owner(to).Until + 1; n < j.t.Hi; n++ {
			if j.m.fits(j.m.Moments[n], stack) {
				return false
			}
		}
	}
	if !j.lost {
		if to > from && from >= j.t.Lo && (j.m.unwound(from, to) || j.m.revisits(from, to)) || before != j.track {
			return false
		}
		j.passed(i, from, to, j.seen, out, p)
	} else {
		j.unsure()
	}
	j.seen, j.returned, j.behind, j.outside = i, false, true, true
	j.newly = false
	j.at, j.lost, j.may, j.upto, j.last, j.placed = to, false, nil, j.m.lastOf(to), p, i
	if p.Exception() || p.Carried() {
		j.upto = max(j.upto, j.m.unwinds(to))
	}
	if p.Exception() {
		j.upto = j.t.Hi - 1 // methods that give the texts of panics have been called
	}
	return true
}

// unwinds is the last moment at which deferred functions may be executed that the end of the activation
// at a moment, or of those that have called it, has come to execute: a pause in the runtime then does not
// say which of them are over.
func (m *Model) unwinds(n int) int {
	x := m.Moments[n].Activation
	for x.Abrupt && x.Parent != nil {
		x = x.Parent
	}
	for n+1 < len(m.Moments) && timeline.Around(m.Moments[n+1].Activation, x) {
		n++
	}
	return n
}

// panicking is the one moment from one on at which a panic ends an activation with a stack; -1
// if there is none, or several.
func (j *judge) panicking(stack []frame, start int) int {
	found := -1
	for n := start; n < j.t.Hi; n++ {
		mo := j.m.Moments[n]
		x := mo.Activation
		if !x.Abrupt || mo.Call < len(x.Steps[mo.Step].Children) || !j.m.fits(mo, stack) {
			continue
		}
		// It is the last that it executed.
		if next := mo.Step + 1; next < len(x.Steps) && x.Steps[next].Node != nil {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = n
	}
	return found
}

// gone places a pause of a goroutine with none of the program's functions on its stack: the
// one at its bottom has returned.
func (j *judge) gone(i int, a dap.Action, p *dap.Pause, out *dap.Output, before *track) bool {
	from := j.at
	if j.lost || from < j.t.Lo || from >= j.t.Hi || before != j.track {
		return false
	}
	root := j.m.Moments[from].Activation
	for root.Parent != nil {
		root = root.Parent
	}
	to := from
	for to+1 < j.t.Hi && timeline.Around(j.m.Moments[to+1].Activation, root) {
		to++
	}
	if root.Abrupt || j.m.unwound(from, to) {
		return false
	}
	j.passed(i, from, to, j.seen, out, p)
	if !j.dead {
		j.interrupted(i, a, from, to, "the end of "+j.name(root))
	}
	if j.dead && j.strays() {
		return true
	}
	j.seen, j.returned, j.behind, j.outside = i, false, true, true
	j.newly = false
	j.at, j.may, j.upto, j.last, j.placed = to, nil, to, p, i
	// Variables of packages may have been initialised since then.
	for n := to + 1; n < j.t.Hi && j.m.Plan.Funcs[root.Func].Name != "main.main"; n++ {
		if x := j.m.Moments[n].Activation; x.Parent == nil && j.m.Plan.Funcs[x.Func].Name == "main.main" {
			break
		}
		j.upto = n
	}
	return true
}

// lastOf is the last moment of a moment's step: what libraries call back may have been called
// already.
func (m *Model) lastOf(n int) int {
	is, last := m.Moments[n], n
	for ; n < len(m.Moments) && timeline.Around(m.Moments[n].Activation, is.Activation); n++ {
		if mo := m.Moments[n]; mo.Activation == is.Activation {
			if mo.Step != is.Step {
				break
			}
			last = n
		}
	}
	return last
}

// beside says why a pause cannot be one of the recorded run; empty if it can.
func (j *judge) beside(p *dap.Pause) string {
	switch {
	case p.Exception() && !j.m.own(p), slices.ContainsFunc(p.Stack, printsPanics):
		return exceptional
	case inserted(p):
		return carried
	case len(p.Stack) >= dap.MaxFrames:
		return deep
	case j.itsOwn(p):
		return hardCoded
	case !j.m.own(p):
		return elsewhere
	}
	return ""
}

// failing is the breakpoint at which a debugger pauses as it cannot evaluate its condition; nil
// if there is none.
func (j *judge) failing(p *dap.Pause) *point {
	if strings.Contains(p.Text, "Unable to step") {
		return nil // the step is refused, wherever it is
	}
	top := p.Top()
	for _, key := range slices.Sorted(maps.Keys(j.points)) {
		if b := j.points[key]; !b.function && b.condition != "" && b.file == top.File && b.line == top.Line {
			return b
		}
	}
	return nil
}

// refused judges a pause at which the debugger says that it cannot do what it was asked for: the
// program is where it was.
func (j *judge) refused(i int, p *dap.Pause) {
	stays := !j.conditional && !j.lost && j.at >= j.t.Lo && j.at < j.t.Hi && j.last.Top().Line == p.Top().Line && j.m.fits(j.m.Moments[j.at], j.m.frames(p))
	if !stays {
		j.missed("R1-pause")
		j.unjudged(finding.Pauses, exceptional, 1)
		j.lose(j.at)
		j.unsure()
		return
	}
	j.made("R1-pause")
	j.judged(finding.Pauses, 1)
	j.seen, j.last, j.placed = i, p, i
	j.innermost(i, p, j.at)
}

// itsOwn reports whether the program has paused itself: no breakpoint of the session's is hit. Debuggers say that it is at
// the call, or after it.
func (j *judge) itsOwn(p *dap.Pause) bool {
	d := j.session.Debuggee
	return p.Reason == "breakpoint" && len(p.Hit) == 0 && d != nil && d.Source != nil && d.Source.Breaks()
}

// inserted reports whether functions are on the stack that the history does not have: those that the debugger was asked
// to call.
func inserted(p *dap.Pause) bool {
	return slices.ContainsFunc(p.Stack, func(f dap.Frame) bool { return strings.HasPrefix(f.Func, "runtime.debugCall") })
}

// printsPanics reports whether a frame is the runtime's that asks the values of panics which nobody recovers for their texts,
// before it ends the program.
func printsPanics(f dap.Frame) bool { return f.Func == "runtime.preprintpanics" }
