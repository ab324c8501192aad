package reference

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"misstep/dap"
)

// Rules are what must hold between a session and the history of the program.
var Rules = map[string]string{
	"R1-pause":      "Each pause lies at a statement that is executed then, with that stack.",
	"R2-breakpoint": "No execution of a line with a verified breakpoint is passed by.",
	"R3-value":      "Each variable in scope is shown, with its true value.",
	"R4-next":       "A step over skips no statement of its activation.",
	"R5-stepin":     "A step in enters the call that happens next on the line.",
	"R6-stepout":    "A step out ends in the caller.",
	"R7-log":        "A log point prints once for each execution of its line.",
	"R7-hit":        "A breakpoint with a hit condition pauses as the history counts its executions.",
}

// clearLine tells whether a line begins a clear statement wherever it is executed;
// lines that never are count as clear.
func (m *Model) clearLine(file string, line int) bool {
	f, ok := m.files[file]
	if !ok {
		return false
	}
	for _, x := range m.acts {
		if m.plan.Funcs[x.Func].File != f {
			continue
		}
		for _, s := range x.steps {
			if s.covers(line) && (!s.clear || s.first != line) {
				return false
			}
		}
	}
	for n := range m.plan.Funcs {
		if m.plan.Funcs[n].File == f && (m.plan.Funcs[n].Line == line || m.plan.Funcs[n].EndLine == line) {
			return false
		}
	}
	return true
}

// passed judges the breakpoints between two moments: none was passed by, and log
// points have printed.
func (j *judge) passed(i, from, to int, out *dap.Output) {
	// In a fixed order, so that the same session has the same verdict.
	for _, key := range slices.Sorted(maps.Keys(j.points)) {
		p := j.points[key]
		if p.function {
			continue
		}
		if !p.clear {
			p.unsure = true
			continue
		}
		var hits []int
		for n := from + 1; n <= to && n < len(j.m.moments); n++ {
			if j.m.executes(n, p) {
				hits = append(hits, n)
			}
		}
		switch {
		case p.condition != "":
			j.missed("R2-breakpoint")
		case p.log:
			logs := 0
			for _, l := range out.Logs {
				if strings.HasPrefix(l, key+": ") {
					logs++
				}
			}
			// Where the run pauses now may be before or behind the log point.
			least := len(hits)
			if len(hits) > 0 && hits[len(hits)-1] == to {
				least--
			}
			j.check(i, "R7-log", logs >= least && logs <= len(hits), dap.DiffLog, "messages of the log point at "+key, strconv.Itoa(len(hits)), strconv.Itoa(logs))
		case p.hit != "":
			if p.unsure {
				j.missed("R7-hit")
				continue
			}
			for n, h := range hits {
				if h != to && p.pauses(p.hits+n+1) {
					j.check(i, "R7-hit", false, dap.DiffLocation, fmt.Sprintf("execution %d of %s, with the hit condition %s", p.hits+n+1, key, p.hit), "a pause", "none")
					return
				}
			}
			p.hits += len(hits)
			j.counts.Made["R7-hit"]++
		default:
			j.counts.Made["R2-breakpoint"]++
			for _, h := range hits {
				if h != to {
					j.check(i, "R2-breakpoint", false, dap.DiffLocation, "the execution of "+key+" before the pause", "a pause", "none")
					return
				}
			}
		}
		if j.dead {
			return
		}
	}
}

// pauses tells whether a hit condition holds for the nth hit.
func (p *point) pauses(n int) bool {
	op := strings.TrimRight(p.hit, "0123456789 ")
	v, err := strconv.Atoi(strings.TrimSpace(p.hit[len(op):]))
	if err != nil {
		return false
	}
	switch strings.TrimSpace(op) {
	case "", "==", "=":
		return n == v
	case ">=":
		return n >= v
	case ">":
		return n > v
	case "<":
		return n < v
	case "<=":
		return n <= v
	case "!=":
		return n != v
	case "%":
		return v != 0 && n%v == 0
	}
	return false
}

// step judges a step from one moment to another.
func (j *judge) step(i int, a dap.Action, from, to int, p *dap.Pause) {
	if from < 0 || a.Instruction || p.Reason != "step" || strings.Contains(p.Top().Func, "[") {
		return
	}
	was, is := j.m.moments[from], j.m.moments[to]
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
		j.counts.Made["R4-next"]++
	case dap.StepIn:
		s := was.act.steps[was.step]
		if s.library || was.call >= len(s.children) || s.first != s.last || !s.clear {
			j.missed("R5-stepin")
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

// around tells whether one activation is another or one of its callers.
func around(inner, outer *act) bool {
	for x := inner; x != nil; x = x.parent {
		if x == outer {
			return true
		}
	}
	return false
}

func (j *judge) name(x *act) string { return j.m.plan.Funcs[x.Func].Name }
