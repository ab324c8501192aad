package reference

import (
	"misstep/dap"
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
	if j.lost {
		to = j.among(&sought{pause: p, stack: stack}, max(from, j.t.Lo))
	} else {
		for n := max(from, j.t.Lo); n < j.t.Hi && to < 0; n++ {
			if j.m.fits(j.m.Moments[n], stack) {
				to = n
			}
		}
	}
	if to < 0 || !j.m.step(to).Library && !j.m.step(to).IsClear {
		return false
	}
	// What libraries call back may be called so several times.
	if x := j.m.Moments[to].Activation; !j.lost && (from < j.t.Lo || !timeline.Around(j.m.Moments[from].Activation, x)) {
		for n := to + 1; n < j.t.Hi; n++ {
			if j.m.Moments[n].Activation != x && j.m.fits(j.m.Moments[n], stack) {
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
	case p.Exception():
		return exceptional
	case p.Carried():
		return carried
	case len(p.Stack) >= dap.MaxFrames:
		return deep
	case !j.m.own(p):
		return elsewhere
	}
	return ""
}
