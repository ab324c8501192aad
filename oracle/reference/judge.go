package reference

import (
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strconv"
	"strings"

	"misstep/dap"
	"misstep/history"
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

// A Verdict is a rule that does not hold.
type Verdict struct {
	Rule  string
	Index int // of the event
	Diff  *dap.Difference
}

// Counts are how often each rule was checked, and could not be.
type Counts struct {
	Made, NotMade map[string]int
}

// A judge follows one session.
type judge struct {
	m      *Model
	events []dap.Event
	counts Counts
	found  []Verdict

	// at is the moment where the session is; lost tells that this is not known, and
	// that at is only a lower bound.
	at   int
	lost bool

	points map[string]*point // by what they were asked as
	dead   bool              // nothing can be judged any more
}

// A point is a breakpoint that the session has set.
type point struct {
	file      string
	line      int
	log       bool
	hit       string
	condition string
	function  bool
	hits      int  // so far, if known
	unsure    bool // hits are not known
	verified  bool
	clear     bool
}

// Judge holds a session against the history.
func (m *Model) Judge(events []dap.Event) ([]Verdict, Counts) {
	j := &judge{m: m, events: events, counts: Counts{map[string]int{}, map[string]int{}}, points: map[string]*point{}, at: -1}
	if m.Why != "" {
		j.counts.NotMade["reference"]++
		return nil, j.counts
	}
	for i := range events {
		if j.dead {
			break
		}
		j.event(i)
	}
	return j.found, j.counts
}

func (j *judge) check(i int, rule string, ok bool, kind dap.DiffKind, what, truth, shown string) {
	j.counts.Made[rule]++
	if !ok {
		j.found = append(j.found, Verdict{rule, i, &dap.Difference{Kind: kind, What: what, A: truth, B: shown}})
		// What follows from a wrong place is not another finding.
		j.dead = true
	}
}

func (j *judge) missed(rule string) { j.counts.NotMade[rule]++ }

func (j *judge) event(i int) {
	a, out := j.events[i].Action, &j.events[i].Output
	if out.Kind.Fatal() {
		j.dead = true
		return
	}
	switch a.Kind {
	case dap.Break:
		key := fmt.Sprintf("%s:%d", a.File, a.Line)
		b := out.Breakpoint
		if b == nil || !b.Verified {
			delete(j.points, key)
			return
		}
		p := &point{file: a.File, line: b.Line, log: a.Log != "", hit: a.Hit, condition: a.Condition, verified: true}
		if b.File != "" && b.File != a.File {
			p.file = b.File
		}
		p.clear = b.Line == a.Line && j.m.clearLine(p.file, p.line)
		if old := j.points[key]; old != nil {
			p.hits, p.unsure = old.hits, old.unsure
		}
		j.points[key] = p
	case dap.Unbreak:
		delete(j.points, fmt.Sprintf("%s:%d", a.File, a.Line))
	case dap.FuncBreak:
		if out.Breakpoint != nil && out.Breakpoint.Verified {
			j.points["func "+a.Name] = &point{function: true, verified: true}
		}
	case dap.FuncUnset:
		delete(j.points, "func "+a.Name)
	case dap.InstBreak:
		if out.Breakpoint != nil && out.Breakpoint.Verified {
			j.points["inst "+a.Name] = &point{function: true, verified: true}
		}
	case dap.InstUnset:
		delete(j.points, "inst "+a.Name)
	case dap.SetVar, dap.Interrupt:
		j.dead = true // another run than the recorded one, or one that depends on time
	case dap.Evaluate:
		if strings.HasPrefix(a.Name, "call ") {
			j.dead = true
		}
	case dap.Restart:
		j.at, j.lost = -1, false
		for _, p := range j.points {
			p.hits, p.unsure = 0, true
		}
	case dap.Finish:
		j.dead = true
	case dap.Continue, dap.Next, dap.StepIn, dap.StepOut:
		if a.Instruction {
			j.lost = true
		}
		j.resume(i, a, out)
	}
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
			if s.first <= line && line <= s.last && (!s.clear || s.first != line) {
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

// resume judges what an action led to that let the program run.
func (j *judge) resume(i int, a dap.Action, out *dap.Output) {
	from, lost := j.at, j.lost
	p := out.Pause
	if p == nil {
		if out.Kind == dap.Ended {
			if !lost {
				j.passed(i, from, len(j.m.moments), out)
			}
		}
		j.dead = true
		return
	}
	if p.Exception() || carried(p) || !j.m.own(p) {
		// Where the runtime or a library is paused at is not in the history.
		j.lost = true
		j.missed("R1-pause")
		j.unsure()
		return
	}
	to, why := j.match(p, from, lost)
	if to < 0 {
		if lost || why == "" {
			j.missed("R1-pause")
			j.lost = true
			return
		}
		j.check(i, "R1-pause", false, dap.DiffLocation, why, j.where(from), place(p))
		return
	}
	j.counts.Made["R1-pause"]++
	if !lost && from >= 0 && j.m.moments[to].act != j.m.moments[from].act && !j.certain(p, to) || !lost && from < 0 && !j.certain(p, to) {
		j.at, j.lost = to, true
		j.unsure()
		return
	}
	if !lost {
		j.passed(i, from, to, out)
		if !j.dead {
			j.step(i, a, from, to, p)
		}
	} else {
		j.unsure()
	}
	if !j.dead && (to != from || lost) {
		j.values(i, p, to)
	}
	j.at, j.lost = to, false
}

// unsure notes that hits may have been passed without being counted.
func (j *judge) unsure() {
	for _, p := range j.points {
		p.unsure = true
	}
}

// own tells whether a pause is in the program's code.
func (m *Model) own(p *dap.Pause) bool {
	if len(p.Stack) == 0 {
		return false
	}
	_, ok := m.files[p.Top().File]
	return ok
}

// carried tells whether functions are on the stack that were not called where the
// source says.
func carried(p *dap.Pause) bool {
	for _, f := range p.Stack {
		if strings.Contains(f.Func, "-range") || strings.HasPrefix(f.Func, "runtime.gopanic") || f.Func == "runtime.deferreturn" ||
			f.Func == "runtime.Goexit" || strings.HasPrefix(f.Func, "runtime.debugCall") || f.Func == "runtime.sigpanic" {
			return true
		}
	}
	return len(p.Stack) >= dap.MaxFrames
}

func place(p *dap.Pause) string {
	var fs []string
	for _, f := range p.Stack {
		if !strings.HasPrefix(f.File, "$GOROOT") && f.File != "" {
			fs = append(fs, fmt.Sprintf("%s %s:%d", f.Func, f.File, f.Line))
		}
	}
	return strings.Join(fs, " < ")
}

// where says where a moment is.
func (j *judge) where(n int) string {
	if n < 0 {
		return "the program had just begun"
	}
	if n >= len(j.m.moments) {
		return "the program had ended"
	}
	mo := j.m.moments[n]
	f := j.m.plan.Funcs[mo.act.Func]
	return fmt.Sprintf("the last pause was in %s at line %d", f.Name, mo.act.steps[mo.step].first)
}

// match finds the first moment behind another that a pause can be at. What it
// returns beside is why there is none; it is empty if that proves nothing.
func (j *judge) match(p *dap.Pause, from int, lost bool) (int, string) {
	stack := j.m.frames(p)
	if len(stack) == 0 {
		return -1, ""
	}
	start := max(from, 0)
	if lost {
		return j.only(stack, start), ""
	}
	// A breakpoint is at the beginning of a line.
	hit := strings.Contains(p.Reason, "breakpoint") && len(p.Hit) > 0 && !strings.HasPrefix(p.Hit[0], "inst ")
	var counted *point // the breakpoint, if the history says at which execution it pauses
	executions := 0
	if hit && len(p.Hit) == 1 {
		b := j.points[p.Hit[0]]
		switch {
		case b == nil, b.hit == "" && b.condition == "":
		case b.condition != "" || b.unsure || !b.clear:
			return j.only(stack, start), ""
		default:
			counted, executions = b, b.hits
		}
	}
	for n := start; n < len(j.m.moments); n++ {
		if hit && !j.m.begins(n, from) {
			continue
		}
		if counted != nil && n > from && j.m.executes(n, counted) {
			if executions++; !j.pauses(counted, executions) {
				continue
			}
		}
		if j.m.fits(j.m.moments[n], stack) && (n > from || j.m.moments[n].call > 0 || from < 0 || j.again(n)) {
			return n, ""
		}
	}
	// Generic functions have frames of the compiler's on the way, which say nothing.
	for _, f := range p.Stack {
		if strings.Contains(f.Func, "[") {
			return -1, ""
		}
	}
	// Perhaps only the callers' lines are off.
	for n := start; n < len(j.m.moments); n++ {
		if mo := j.m.moments[n]; j.m.covers(mo, stack[0]) && j.m.functions(mo, stack) {
			return -1, "the line of a caller"
		}
	}
	if !j.m.known(stack[0]) {
		return -1, "" // a line of no statement: a brace, a declaration, the function's head
	}
	return -1, "a pause at a statement that is not executed there any more"
}

// only is the one moment from a point on that fits a stack; -1 if there are
// several, or none.
func (j *judge) only(stack []frame, start int) int {
	only := -1
	for n := start; n < len(j.m.moments); n++ {
		if j.m.fits(j.m.moments[n], stack) {
			if only >= 0 {
				return -1
			}
			only = n
		}
	}
	return only
}

// executes tells whether a moment is an execution of a breakpoint's line.
func (m *Model) executes(n int, p *point) bool {
	mo := m.moments[n]
	if mo.call != 0 || m.plan.Funcs[mo.act.Func].File != m.files[p.file] {
		return false
	}
	s := mo.act.steps[mo.step]
	return s.clear && s.first == p.line
}

// begins tells whether a breakpoint can be hit at a moment behind another: at the
// beginning of a statement, or once more in one over several lines.
func (m *Model) begins(n, from int) bool {
	mo := m.moments[n]
	s := mo.act.steps[mo.step]
	loop, isLoop := s.node.(*ast.ForStmt)
	switch {
	case n < from, mo.call > 0, s.part == history.Next, s.part == history.Condition && isLoop && loop.Init != nil:
		return false
	case s.part == history.Head && isLoop && loop.Init == nil && loop.Cond != nil:
		return false // its condition is where it begins, each time
	case s.part == history.Cases:
		// A clause's line is its own.
	case !s.entry && s.node != nil && m.first[m.plan.Funcs[mo.act.Func].File][s.first] != s.node.Pos():
		return false // not the first on its line
	}
	return n > from || s.first != s.last && !s.clear
}

// again tells whether a moment can be paused at twice: a statement over several
// lines, or with calls of what is not recorded.
func (j *judge) again(n int) bool {
	s := j.m.moments[n].act.steps[j.m.moments[n].step]
	return s.first != s.last || s.library || !s.clear
}

// A frame is one of the program's own functions on a stack.
type frame struct {
	file int
	line int
	funs []int // that it may be
}

// frames are the recorded functions on a stack, innermost first.
func (m *Model) frames(p *dap.Pause) []frame {
	var out []frame
	for n, f := range p.Stack {
		if i, ok := m.files[f.File]; ok {
			g := frame{i, f.Line, m.candidates(f.File, f.Line)}
			if m.wrapper(p, n) {
				continue
			}
			out = append(out, g)
		}
	}
	return out
}

// wrapper tells whether a frame is an instance of a generic function that only
// calls the function for its shape, which is the frame above.
func (m *Model) wrapper(p *dap.Pause, n int) bool {
	if n == 0 || !strings.Contains(p.Stack[n].Func, "[") || !strings.Contains(p.Stack[n-1].Func, "[go.shape.") || strings.Contains(p.Stack[n].Func, "[go.shape.") {
		return false
	}
	base := func(s string) string { return s[:strings.Index(s, "[")] }
	return base(p.Stack[n].Func) == base(p.Stack[n-1].Func)
}

// certain tells whether a pause at a moment is surely at that one, and not at a
// later execution: the statement is clear, or no other activation fits.
func (j *judge) certain(p *dap.Pause, at int) bool {
	mo := j.m.moments[at]
	s := mo.act.steps[mo.step]
	if s.clear || s.entry {
		return true
	}
	stack := j.m.frames(p)
	for n := at + 1; n < len(j.m.moments); n++ {
		if j.m.moments[n].act != mo.act && j.m.fits(j.m.moments[n], stack) {
			return false
		}
	}
	return true
}

// fits tells whether a moment has a line and the functions below it.
func (m *Model) fits(mo moment, stack []frame) bool {
	x, at := mo.act, mo.step
	for n, f := range stack {
		if x == nil || !has(f.funs, x.Func) {
			return false
		}
		if at < 0 || at >= len(x.steps) {
			if n == 0 {
				return false
			}
		} else if s := x.steps[at]; f.line < s.first || f.line > s.last {
			return false
		}
		x, at = x.parent, x.call
	}
	return x == nil
}

// covers tells whether a moment has the line of a frame.
func (m *Model) covers(mo moment, f frame) bool {
	s := mo.act.steps[mo.step]
	return has(f.funs, mo.act.Func) && f.line >= s.first && f.line <= s.last
}

// functions tells whether a moment has the functions of a stack.
func (m *Model) functions(mo moment, stack []frame) bool {
	x := mo.act
	for _, f := range stack {
		if x == nil || !has(f.funs, x.Func) {
			return false
		}
		x = x.parent
	}
	return x == nil
}

func has(list []int, n int) bool {
	for _, x := range list {
		if x == n {
			return true
		}
	}
	return false
}

// known tells whether a line belongs to a statement that is clear wherever it is
// executed, so that a pause there says which.
func (m *Model) known(f frame) bool {
	if _, begins := m.first[f.file][f.line]; !begins || len(f.funs) == 0 {
		return false
	}
	return m.clearLine(m.plan.Files[f.file].Name, f.line)
}

// passed judges the breakpoints between two moments: none was passed by, and log
// points have printed.
func (j *judge) passed(i, from, to int, out *dap.Output) {
	// In a fixed order, so that the same session has the same verdict.
	for _, key := range slices.Sorted(maps.Keys(j.points)) {
		p := j.points[key]
		if p.function || !p.verified {
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
				if h != to && j.pauses(p, p.hits+n+1) {
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
func (j *judge) pauses(p *point, n int) bool {
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
	if from < 0 || a.Instruction || p.Reason != "step" {
		return
	}
	was, is := j.m.moments[from], j.m.moments[to]
	switch a.Kind {
	case dap.Next:
		if !j.m.around(was.act, is.act) {
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
		j.check(i, "R5-stepin", j.m.around(is.act, c), dap.DiffLocation, "a step into a line that calls", "a pause in "+j.name(c), place(p))
	case dap.StepOut:
		if was.act.parent == nil || was.act.call < 0 {
			j.missed("R6-stepout")
			return
		}
		j.check(i, "R6-stepout", j.m.around(was.act.parent, is.act) && is.act != was.act, dap.DiffLocation, "a step out of "+j.name(was.act), "a pause in "+j.name(was.act.parent), place(p))
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
		if m.plan.Funcs[x.Func].Guarded && x.parent != nil || x.Abrupt {
			return false
		}
	}
	return true
}

// around tells whether one activation is another or one of its callers.
func (m *Model) around(inner, outer *act) bool {
	for x := inner; x != nil; x = x.parent {
		if x == outer {
			return true
		}
	}
	return false
}

func (j *judge) name(x *act) string { return j.m.plan.Funcs[x.Func].Name }
