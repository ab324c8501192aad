package reference

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"misstep/dap"
	"misstep/history/timeline"
)

// An execution is one of a breakpoint's line: a step that has code there, from its first
// moment to the last one at which that code may come. The breakpoint is hit once in it.
type execution struct {
	step      *timeline.Step
	at, until int
	nth       int // of all that were counted since the breakpoint was set, from 1
	// exact says that the code comes at the first moment, and nowhere else.
	exact bool
}

// exact reports whether a step's lines have their code where it begins.
func exact(s *timeline.Step) bool { return s.Entry || s.First == s.Last && s.Until == s.Begin }

// passed judges the breakpoints between two moments of a goroutine, the first of
// which was seen at an event: none was passed by, and log points have printed. P is the
// pause at the second; nil if the goroutine has ended.
func (j *judge) passed(i, from, to, seen int, out *dap.Output, p *dap.Pause) {
	// In a fixed order, so that the same session has the same verdict.
	for _, key := range slices.Sorted(maps.Keys(j.points)) {
		b := j.points[key]
		if j.dead {
			b.uncounted() // a finding was made of another one
			b.done = nil
			continue
		}
		if !b.clear {
			b.unsure = true
			if p != nil && slices.Contains(p.Hit, key) {
				b.done = j.m.owner(to)
			}
			continue
		}
		if j.m.Concurrent() && b.since > seen && !(seen < 0 && b.early) {
			continue // it was not there all the while
		}
		over, here, maybe := j.executions(key, b, from, to, seen, p)
		b.unsure = b.unsure || maybe
		switch {
		case b.condition != "" && b.hit == "" && b.log == "":
			j.conditions(i, key, b, over, here)
		case b.condition != "" && b.hit != "":
			j.missed("R7-condition")
		case b.log != "" && j.m.Concurrent():
			// Messages are of any goroutine; see totals.
		case b.log != "":
			over, known := j.printing(b, over)
			here, known2 := j.printing(b, here)
			j.logs(i, key, b, over, here, maybe || !known || !known2, out)
		case b.hit != "":
			j.hits(i, key, b, over, here)
		default:
			for range here {
				j.made("R2-breakpoint")
			}
			if len(over) > 0 {
				j.check(i, "R2-breakpoint", false, dap.DiffLocation, "the execution of "+key+" before the pause", "a pause", "none")
			}
		}
	}
	if !j.dead {
		j.passedData(i, from, to)
	}
}

// executions are those of a breakpoint's line between two moments that are over, without
// having been paused in, and that which is paused in at the second moment. What is still
// going on is kept. Maybe says that there are others of which it is not known whether they
// have hit the breakpoint, or in which order.
func (j *judge) executions(key string, b *point, from, to, seen int, p *dap.Pause) (over, here []execution, maybe bool) {
	all := b.open
	maybe = j.within(b, from, seen)
	for n := from + 1; n <= to && n < j.t.Hi; n++ {
		switch {
		case !j.m.executes(n, b):
		case n <= j.upto:
			maybe = true
		default:
			// Which of two is hit first, if one is in the other, is not known.
			maybe = maybe || slices.ContainsFunc(all, func(e execution) bool { return e.until > e.at && n <= e.until })
			b.hits++
			all = append(all, execution{j.m.step(n), n, j.m.step(n).Until, b.hits, exact(j.m.step(n))})
		}
	}
	if to < j.t.Hi && !maybe {
		// The pause may be behind what the statement calls.
		for n := to + 1; n <= j.m.owner(to).Until; n++ {
			maybe = maybe || j.m.executes(n, b)
		}
	}
	b.open = nil
	for _, e := range all {
		switch {
		case b.function && p != nil && to < j.t.Hi && p.Reason == "step" && j.m.ahead(e.at, to):
			here = append(here, e) // the function has no code before where the step ended
		case e.exact && to == e.at, b.function && p != nil && to < j.t.Hi && slices.Contains(p.Hit, key) && j.m.Moments[to].Activation == j.m.Moments[e.at].Activation, !e.exact && to < j.t.Hi && j.m.owner(to) == e.step && p.Top().Line == b.line:
			// A step may end before the breakpoint, see short.
			if p != nil && strings.Contains(p.Reason, "breakpoint") {
				b.done = e.step
			}
			here = append(here, e)
		case to <= e.until && to < j.t.Hi:
			b.open = append(b.open, e)
		case j.m.Moments[e.at].Activation.Abrupt && e.until > e.at:
			maybe = true // it may have ended before
		default:
			over = append(over, e)
		}
	}
	return over, here, maybe
}

// since judges the plain breakpoints between the last moment at which the session was known to
// be and the one at which it is again: there was a pause at the line for each execution.
func (j *judge) since(i, from, to int, out *dap.Output) {
	if j.m.Concurrent() || from < j.t.Lo {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(j.points)) {
		b := j.points[key]
		if !b.clear || b.function || b.condition != "" || b.hit != "" || b.log != "" || b.since > j.parted || b.line == out.Pause.Top().Line {
			continue
		}
		executions := 0
		for n := max(from, j.m.owner(from).Until) + 1; n < to; n++ {
			if j.m.executes(n, b) && exact(j.m.step(n)) {
				executions++
			}
		}
		pauses := 0
		for _, e := range j.events[j.parted+1 : i] {
			if p := e.Output.Pause; p != nil && p.Top().Line == b.line && p.Top().File == b.file {
				pauses++
			}
		}
		if executions > pauses {
			j.check(i, "R2-breakpoint", false, dap.DiffLocation, fmt.Sprintf("%d executions of %s before the pause", executions, key), "a pause at each", fmt.Sprintf("none at %d", executions-pauses))
			return
		}
		for range executions {
			j.made("R2-breakpoint")
		}
	}
}

// within reports whether a moment is in an execution of a breakpoint's line that is not
// followed: it had begun when the breakpoint was set, or when the session was lost. One that was
// set where the session had paused, at an event, is hit there or not, as the debugger does it.
func (j *judge) within(b *point, from, seen int) bool {
	if from < j.t.Lo || from >= j.t.Hi {
		return false
	}
	s, x := j.m.owner(from), j.m.Moments[from].Activation
	for {
		if (!exact(s) || from == s.Begin && (b.log != "" || b.since > seen)) && s != b.done && slices.Contains(s.Lines, b.line) && j.m.Plan.Funcs[x.Func].File == j.m.Files[b.file] &&
			!slices.ContainsFunc(b.open, func(e execution) bool { return e.step == s }) {
			return true
		}
		if x.Parent == nil || x.Call < 0 {
			return false
		}
		s, x = &x.Parent.Steps[x.Call], x.Parent
	}
}

// hits judges a breakpoint with a hit condition.
func (j *judge) hits(i int, key string, b *point, over, here []execution) {
	const rule = "R7-hit"
	if b.unsure || j.m.Concurrent() {
		b.unsure = true
		j.missed(rule)
		return
	}
	for range here {
		j.made(rule)
	}
	for _, e := range over {
		if b.pausesAt(e.nth) {
			j.check(i, rule, false, dap.DiffLocation, fmt.Sprintf("execution %d of %s, with the hit condition %s", e.nth, key, b.hit), "a pause", "none")
			return
		}
		j.made(rule)
	}
}

// conditions judges a breakpoint with a condition.
func (j *judge) conditions(i int, key string, b *point, over, here []execution) {
	const rule = "R7-condition"
	for _, e := range here {
		if _, known := j.holds(b, e.at); known {
			j.made(rule)
		} else {
			j.missed(rule)
		}
	}
	for _, e := range over {
		holds, known := j.holds(b, e.at)
		if !known {
			j.missed(rule)
			return
		}
		j.check(i, rule, !holds, dap.DiffLocation, "an execution of "+key+" at which "+b.condition+" is true", "a pause", "none")
		if j.dead {
			return
		}
	}
}

// logs judges a log point: how often, and with which values where they are known.
func (j *judge) logs(i int, key string, b *point, over, here []execution, maybe bool, out *dap.Output) {
	const rule = "R7-log"
	texts := messages(out, key)
	// Where the run pauses now may be before or after the log point.
	b.due = append(b.due, over...)
	if maybe {
		b.due, b.open, b.printed = nil, nil, 0
		if len(texts) > 0 || len(over) > 0 {
			j.missed(rule)
		}
		return
	}
	b.open = append(b.open, here...)
	open := b.open
	if b.condition != "" || b.hit != "" {
		open, _ = j.printing(b, b.open)
	}
	least, most := len(b.due)-b.printed, len(b.due)+len(open)-b.printed
	if len(texts) > most && (b.unsure || out.Pause != nil && !j.m.own(out.Pause)) {
		// One may be of an execution that began before the session was picked up.
		b.due, b.open, b.printed = nil, nil, 0
		j.missed(rule)
		return
	}
	if len(texts) > 0 || least > 0 {
		if len(texts) < least || len(texts) > most {
			b.clear = false // which messages come now is not known any more
		}
		j.check(i, rule, len(texts) >= least && len(texts) <= most, dap.DiffLog, "messages of the log point at "+key, strconv.Itoa(least), strconv.Itoa(len(texts)))
	}
	all := append(slices.Clone(b.due), open...)[min(b.printed, len(b.due)+len(open)):]
	// What is over and has printed is settled.
	b.printed += len(texts)
	settled := min(b.printed, len(b.due))
	b.due, b.printed = b.due[settled:], b.printed-settled
	for n, text := range texts {
		if j.dead {
			return
		}
		if strings.Contains(text, "{eval err") { // which is R9's
			j.missed(rule)
			break
		}
		bad, known := j.message(b, all[n].at, text)
		if !known {
			j.missed(rule)
			continue
		}
		j.check(i, rule, bad == (mismatch{}), dap.DiffLog, "a message of the log point at "+key+", "+bad.what, bad.want, bad.got+" in "+text)
	}
}

// printing are the executions at which a log point prints: those at which its condition holds,
// and its hit condition. Known is false if that is not known of one.
func (j *judge) printing(b *point, all []execution) (out []execution, known bool) {
	for _, e := range all {
		if b.fails {
			return all, false
		}
		if b.condition != "" {
			holds, known := j.holds(b, e.at)
			if !known {
				return all, false
			}
			if !holds {
				continue
			}
		}
		if b.hit != "" {
			if b.unsure {
				return all, false
			}
			if !b.pausesAt(e.nth) {
				continue
			}
		}
		out = append(out, e)
	}
	return out, true
}

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

// pausesAt reports whether a hit condition holds for the nth hit.
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

// A point is a verified breakpoint that the session has set.
type point struct {
	file      string
	line      int
	log       string
	hit       string
	condition string
	was       string // the condition of before, of one that was amended in vain and may stay as it was
	vain      bool   // it was amended in vain
	function  bool   // it is at the entry of funcs
	funcs     []int
	hits      int            // executions so far, if known
	unsure    bool           // hits are not known
	open      []execution    // that have begun, and are not over
	done      *timeline.Step // the last that was paused in
	due       []execution    // of a log point, that are over
	printed   int            // messages for executions from the first due one on
	clear     bool
	since     int  // the event that set it
	early     bool // it was set before the program started
	pauses    int  // and messages, of all goroutines
	fails     bool // its condition cannot be evaluated, says the debugger, which is R9's
}

// unsure notes that hits may have been passed without being counted.
func (j *judge) unsure() {
	for _, p := range j.points {
		p.uncounted()
		p.done = nil
	}
}

// uncounted notes that there may have been more executions of a breakpoint's line than are known.
func (p *point) uncounted() { p.unsure, p.open, p.due, p.printed = true, nil, nil, 0 }

// ahead reports whether nothing that surely has code comes between the entry of a function and
// a moment in it.
func (m *Model) ahead(entry, n int) bool {
	for k := entry + 1; k <= n; k++ {
		if s := m.step(k); m.Moments[k].Activation != m.Moments[entry].Activation || k < n && s.IsClear {
			return false
		}
	}
	return true
}
