package reference

import (
	"fmt"
	"maps"
	"regexp"
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
	"R5-stepin":     "A step in enters the call that happens next on the line, and none if there is none.",
	"R6-stepout":    "A step out ends in the caller.",
	"R7-log":        "A log point prints once for each execution of its line, with the values there.",
	"R7-hit":        "A breakpoint with a hit condition pauses as the history counts its executions.",
	"R7-condition":  "A breakpoint with a condition pauses where that is true, and only there.",
	"R8-end":        "The session ends as the program ends, with its output and exit code.",
	"R9-evaluate":   "An expression has the value that the compiled program computes there, in any frame.",
	"R10-assign":    "After an assignment the program runs on as if that stood there.",
	"R11-goroutine": "In programs with goroutines the rules hold for each.",
	"R11-hits":      "Over all goroutines, a breakpoint is hit as often as its line is executed.",
}

// passed judges the breakpoints between two moments of a goroutine, the first of
// which was seen at an event: none was passed by, and log points have printed.
func (j *judge) passed(i, from, to, seen int, out *dap.Output) {
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
		if j.m.concurrent() && p.since > seen && !(seen < 0 && p.early) {
			continue // it was not there all the while
		}
		var hits []int
		for n := from + 1; n <= to && n < j.t.hi; n++ {
			if j.m.executes(n, p) {
				hits = append(hits, n)
			}
		}
		switch {
		case p.condition != "" && p.hit == "" && p.log == "":
			j.conditions(i, key, p, hits, to)
		case p.condition != "":
			j.missed("R7-condition")
		case p.log != "" && j.m.concurrent():
			// Messages are of any goroutine; see totals.
		case p.log != "":
			j.logs(i, key, p, hits, to, j.inside(from, p), out)
		case p.hit != "":
			if p.unsure || j.m.concurrent() || j.inside(from, p) {
				p.unsure = true
				j.missed("R7-hit")
				continue
			}
			for n, h := range hits {
				if h != to && p.pausesAt(p.hits+n+1) {
					j.check(i, "R7-hit", false, dap.DiffLocation, fmt.Sprintf("execution %d of %s, with the hit condition %s", p.hits+n+1, key, p.hit), "a pause", "none")
					return
				}
				j.made("R7-hit")
			}
			p.hits += len(hits)
			if len(hits) == 0 {
				j.made("R7-hit")
			}
		default:
			j.made("R2-breakpoint")
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

// inside tells whether a moment is in the execution of a breakpoint's line, and the
// statement has several.
func (j *judge) inside(from int, p *point) bool {
	if from < j.t.lo || from >= j.t.hi {
		return false
	}
	mo := j.m.moments[from]
	s := mo.act.steps[mo.step]
	return s.first != s.last && s.first == p.line && j.m.plan.Funcs[mo.act.Func].File == j.m.files[p.file]
}

// conditions judges a breakpoint with a condition.
func (j *judge) conditions(i int, key string, p *point, hits []int, to int) {
	for _, h := range hits {
		holds, known := j.holds(p, h)
		if !known {
			j.missed("R7-condition")
			return
		}
		if h != to {
			j.check(i, "R7-condition", !holds, dap.DiffLocation, "an execution of "+key+" at which "+p.condition+" is true", "a pause", "none")
			if j.dead {
				return
			}
		} else {
			j.made("R7-condition")
		}
	}
}

// logs judges a log point: how often, and with which values where they are known.
// Inside tells that the run was in a statement over several lines, whose first line
// may come now.
func (j *judge) logs(i int, key string, p *point, hits []int, to int, inside bool, out *dap.Output) {
	texts := messages(out, key)
	if inside {
		j.missed("R7-log")
		return
	}
	// Where the run pauses now may be before or behind the log point.
	least := len(hits)
	if len(hits) > 0 && hits[len(hits)-1] == to {
		least--
	}
	j.check(i, "R7-log", len(texts) >= least && len(texts) <= len(hits), dap.DiffLog, "messages of the log point at "+key, strconv.Itoa(len(hits)), strconv.Itoa(len(texts)))
	for n, text := range texts {
		if j.dead {
			return
		}
		want, known := j.message(p, hits[n])
		if !known || strings.Contains(text, "{eval err") { // which is R9's
			j.missed("R7-log")
			return
		}
		j.check(i, "R7-log", named.ReplaceAllString(hexadecimal.ReplaceAllString(text, ""), "$1") == want, dap.DiffLog, "a message of the log point at "+key, want, text)
	}
}

// hexadecimal is how Delve shows numbers a second time.
var hexadecimal = regexp.MustCompile(` = 0x[0-9a-f…]+`)

// named is how Delve shows numbers that constants have names for.
var named = regexp.MustCompile(`\S+ \((-?[0-9]+)\)`)

// messages are those of the log point that was asked for under a key.
func messages(out *dap.Output, key string) []string {
	var texts []string
	for _, l := range out.Logs {
		if text, ok := strings.CutPrefix(l, key+": "); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// totals judges a session of a program with goroutines that has only continued, up
// to the end: how often breakpoints were hit in all.
func (j *judge) totals(i int, out *dap.Output) {
	if j.restarts {
		return
	}
	for _, e := range j.events[:i+1] {
		if k := e.Action.Kind; k.Resumes() && k != dap.Continue {
			return
		}
	}
	for _, key := range slices.Sorted(maps.Keys(j.points)) {
		p := j.points[key]
		if p.function || !p.clear || !p.early || p.hit != "" || p.condition != "" {
			continue
		}
		executions, steady := 0, true
		for _, t := range j.m.threads {
			for n := t.lo; n < t.hi; n++ {
				if j.m.executes(n, p) {
					executions++
					steady = steady && t.steady && j.m.whole(t)
				}
			}
		}
		if !steady {
			j.missed("R11-hits")
			continue
		}
		j.check(i, "R11-hits", p.pauses == executions, dap.DiffLocation, "hits of "+key+" by all goroutines", strconv.Itoa(executions), strconv.Itoa(p.pauses))
		if j.dead {
			return
		}
	}
}

// exit judges how the program ended.
func (j *judge) exit(i int, shown *dap.Exit, truth *exit) {
	const rule = "R8-end"
	if shown.Code != nil {
		j.check(i, rule, *shown.Code == truth.code, dap.DiffExit, "exit code", strconv.Itoa(truth.code), strconv.Itoa(*shown.Code))
	}
	if !j.dead {
		d := dap.Diff(&dap.Output{Kind: dap.Ended, Exit: &dap.Exit{Stdout: truth.stdout}}, &dap.Output{Kind: dap.Ended, Exit: &dap.Exit{Stdout: shown.Stdout}}, dap.Lens{})
		if d != nil {
			j.check(i, rule, false, d.Kind, d.What, d.A, d.B)
		} else {
			j.made(rule)
		}
	}
}

// pausesAt tells whether a hit condition holds for the nth hit.
func (p *point) pausesAt(n int) bool {
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

// End judges how a session ended against how the program ends by itself. It is not
// judged where the session assigned to a variable.
func End(events []dap.Event, stdout string, code int) ([]Verdict, Counts) {
	counts := Counts{map[string]int{}, map[string]int{}}
	last := len(events) - 1
	if last < 0 || events[last].Output.Exit == nil || slices.ContainsFunc(events, func(e dap.Event) bool { return e.Action.Kind == dap.SetVar }) {
		counts.NotMade["R8-end"]++
		return nil, counts
	}
	j := &judge{m: &Model{}, counts: counts}
	j.exit(last, events[last].Output.Exit, &exit{code, stdout})
	return j.found, counts
}
