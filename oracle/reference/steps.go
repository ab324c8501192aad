package reference

import (
	"fmt"
	"strings"

	"misstep/dap"
)

// step judges a step from one moment to another.
func (j *judge) step(i int, a dap.Action, from, to int, p *dap.Pause) {
	if from < j.t.lo || a.Instruction || p.Reason != "step" || strings.Contains(p.Top().Func, "[") {
		return
	}
	was, is := j.m.moments[from], j.m.moments[to]
	if was.act.parent == nil && is.act != was.act && !around(is.act, was.act) {
		return // what calls it is not recorded, and may call more
	}
	switch a.Kind {
	case dap.Next:
		if !around(was.act, is.act) {
			if !j.m.simple(was.act) || deferred(is.act) {
				j.missed("R4-next")
				return
			}
			j.check(i, "R4-next", false, dap.DiffStack, "a step over goes into a call", "a pause in "+j.name(was.act)+" or its callers", j.name(is.act))
			return
		}
		line := was.act.steps[was.step].first
		for n := from + 1; n < to; n++ {
			mo := j.m.moments[n]
			if mo.act != was.act || mo.call != 0 {
				continue
			}
			s := mo.act.steps[mo.step]
			if s.clear && s.first != line && (is.act != was.act || s.first != is.act.steps[is.step].first) {
				j.check(i, "R4-next", false, dap.DiffLocation, fmt.Sprintf("line %d of %s", s.first, j.name(was.act)), "a pause", "none before "+place(p))
				return
			}
			if mo.act == was.act {
				line = s.first
			}
		}
		j.made("R4-next")
	case dap.StepIn:
		s := was.act.steps[was.step]
		if s.library || s.first != s.last || !s.clear {
			j.missed("R5-stepin")
			return
		}
		if was.call >= len(s.children) {
			// Nothing is called any more, if not by the next statement on the line.
			for _, next := range was.act.steps[was.step+1:] {
				if next.first != s.first {
					break
				}
				if len(next.children) > 0 || next.library {
					j.missed("R5-stepin")
					return
				}
			}
			if !around(was.act, is.act) && (!j.m.simple(was.act) || deferred(is.act)) {
				j.missed("R5-stepin")
				return
			}
			j.check(i, "R5-stepin", around(was.act, is.act), dap.DiffStack, "a step into a line that calls nothing", "a pause in "+j.name(was.act)+" or its callers", j.name(is.act))
			return
		}
		c := s.children[was.call]
		j.check(i, "R5-stepin", around(is.act, c), dap.DiffLocation, "a step into a line that calls", "a pause in "+j.name(c), place(p))
	case dap.StepOut:
		if was.act.parent == nil || was.act.call < 0 {
			j.missed("R6-stepout")
			return
		}
		j.check(i, "R6-stepout", around(was.act.parent, is.act) && is.act != was.act, dap.DiffLocation, "a step out of "+j.name(was.act), "a pause in "+j.name(was.act.parent), place(p))
	}
}

// deferred tells whether an activation was not called by a statement.
func deferred(x *act) bool {
	for ; x != nil; x = x.parent {
		if x.parent != nil && x.call < 0 {
			return true
		}
	}
	return false
}

// simple tells whether no deferred function runs where an activation ends.
func (m *Model) simple(x *act) bool {
	for ; x != nil; x = x.parent {
		if m.plan.Funcs[x.Func].Defers || x.Abrupt {
			return false
		}
	}
	return true
}

func (j *judge) name(x *act) string { return j.m.plan.Funcs[x.Func].Name }
