package reference

import (
	"go/ast"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/history"
	"misstep/history/timeline"
)

// A sought is what a pause is matched by: its stack, and the breakpoint that it names.
type sought struct {
	pause *dap.Pause
	stack []frame
	hit   bool // a breakpoint, which is at the beginning of a line
	inst  bool // an instruction, anywhere in a statement
	// point is the breakpoint; it is counted or judged if the history says at which execution
	// it pauses: by a hit condition, or by a condition.
	point, counted, judged *point
}

// seek finds out what a pause is matched by. It is not certain if the history does not say
// at which execution the breakpoint pauses.
func (j *judge) seek(p *dap.Pause) (s *sought, certain bool) {
	s = &sought{pause: p, stack: j.m.frames(p)}
	s.inst = len(p.Hit) > 0 && strings.HasPrefix(p.Hit[0], "inst ")
	if p.Exception() {
		s.hit, s.point = true, j.failing(p)
		return s, false
	}
	s.hit = strings.Contains(p.Reason, "breakpoint") && len(p.Hit) > 0 && !s.inst
	if !s.hit || len(p.Hit) != 1 {
		return s, true
	}
	b := j.points[p.Hit[0]]
	s.point = b
	switch {
	case b == nil, !b.function && j.apart(p), b.vain:
		return s, b == nil
	case b.hit == "" && b.condition == "":
	case b.hit != "" && b.condition != "" || !b.clear || b.hit != "" && (b.unsure || j.m.Concurrent()):
		return s, false
	case b.condition != "":
		s.judged = b
	default:
		s.counted = b
	}
	return s, true
}

// match finds the first moment after another that a pause can be at. What it
// returns with it is why there is none; it is empty if that proves nothing.
func (j *judge) match(p *dap.Pause, from int, lost bool) (int, string) {
	s, certain := j.seek(p)
	if len(s.stack) == 0 {
		return -1, ""
	}
	start := max(from, j.t.Lo)
	j.unclear = ambiguous
	// A goroutine may have run unseen, before the first time or while another one was stepped, if a step ends in it.
	if j.m.Concurrent() && !s.hit && (from < j.t.Lo || j.shown != nil && j.shown.Thread != p.Thread) {
		lost = true
	}
	if lost || !certain || j.setHere(s.point, p) || j.setMeanwhile(s.point) || s.hit && j.midway(p) {
		return j.among(s, start), ""
	}
	later := s.hit && from >= j.t.Lo && j.later(p)
	executions, barred := 0, map[*timeline.Step]bool{}
	if s.counted != nil {
		executions = s.counted.hits
	}
	if s.point != nil {
		barred[s.point.done] = s.point.clear // it is hit once at each execution
		for _, e := range s.point.open {
			holds, known := j.holds(s.point, e.at)
			if s.judged != nil && !known {
				return j.among(s, start), "" // it may be hit there yet
			}
			barred[e.step] = s.counted != nil && !s.counted.pausesAt(e.nth) || s.judged != nil && known && !holds
		}
	}
	// Where a function of the compiler's was left, the statement's calls may have come before or
	// come after.
	if j.outside && !s.hit && from >= j.t.Lo && j.m.fits(j.m.Moments[from], s.stack) {
		return j.among(s, start), ""
	}
	for n := start; n < j.t.Hi; n++ {
		if from >= j.t.Lo && j.instance(p) && j.m.Moments[n].Activation == j.m.Moments[from].Activation {
			continue
		}
		if s.hit && n > from && len(s.stack[0].funs) > 1 && j.m.step(n).Part == history.Return && j.m.fits(j.m.Moments[n], s.stack) {
			j.unclear = anyOrder // the line on which one function ends is another's, too
			return -1, ""
		}
		if s.hit && s.point != nil && s.point.function {
			if !j.m.enters(n, s.point, p.Top().Line) {
				continue
			}
		} else if s.hit && !j.m.begins(n, from, p.Top().Line) && !(n == from && j.m.Moments[n].Call == 0 && j.short(p) && j.m.begins(n, n-1, p.Top().Line)) {
			continue
		}
		// One that the last step ended at has been hit.
		if s.hit && from >= j.t.Lo && j.last.Top().Line == p.Top().Line && j.m.owner(n) == j.m.owner(from) && !j.short(p) {
			continue
		}
		if later && !j.m.onceMore(from, n, p.Top().Line) {
			continue
		}
		// The instruction that was hit at an execution comes again at another one.
		if s.hit && j.outside && from >= j.t.Lo && j.struck.place != "" && j.struck.place == p.Top().Place && j.struck.at == from && j.m.owner(n) == j.m.owner(from) {
			continue
		}
		if s.counted != nil && n > from && j.m.executes(n, s.counted) {
			executions++
			barred[j.m.step(n)] = !s.counted.pausesAt(executions)
		}
		if s.judged != nil && n > from && j.m.executes(n, s.judged) {
			holds, known := j.holds(s.judged, n)
			if !known {
				return j.among(s, start), ""
			}
			barred[j.m.step(n)] = !holds
		}
		if s.hit && barred[j.m.owner(n)] {
			continue
		}
		if j.reaches(s, n, from) {
			if s.hit && s.point != nil && s.point.done == j.m.owner(n) {
				j.unclear = revisited // its line may come again, or it is the next execution
				return -1, ""
			}
			if j.vague(s, n) || j.either(s, n, from) || s.inst && n == from || s.hit && !exact(j.m.owner(n)) && j.m.owner(n).Begin <= j.picked {
				j.unclear = anyOrder
				return -1, ""
			}
			return n, ""
		}
	}
	j.unclear = nothing
	return -1, j.nowhere(s, start)
}

// either reports whether a pause that fits a moment may be at a later one as well, since the
// one before it may have been there already: among the calls of a statement that come in an
// order of the compiler's.
func (j *judge) either(s *sought, n, from int) bool {
	x := j.m.Moments[n].Activation
	if n <= from || n > j.upto || x == j.m.Moments[from].Activation {
		return false
	}
	for k := n + 1; k < j.t.Hi; k++ {
		if j.m.Moments[k].Activation != x && j.m.fits(j.m.Moments[k], s.stack) {
			return true
		}
	}
	return false
}

// owner is the step whose lines have code at a moment: where a function ends that defers,
// that is the return.
func (m *Model) owner(n int) *timeline.Step {
	mo := m.Moments[n]
	s := &mo.Activation.Steps[mo.Step]
	if s.Node == nil && mo.Step > 0 {
		if was := &mo.Activation.Steps[mo.Step-1]; was.Until >= n {
			return was
		}
	}
	return s
}

// step is the step of a moment.
func (m *Model) step(n int) *timeline.Step {
	mo := m.Moments[n]
	return &mo.Activation.Steps[mo.Step]
}

// reaches reports whether a pause can be at a moment, the last one having been at another.
func (j *judge) reaches(s *sought, n, from int) bool {
	mo := j.m.Moments[n]
	// The search for a clause comes when the operand was computed, behind its calls, and so does a comparison.
	if step := j.m.step(n); mo.Call < len(step.Children) && (searched(step) != nil || step.Part == history.Cases) && !step.Covers(s.stack[0].line) {
		return false
	}
	// An instruction comes once in each execution of a statement.
	if s.hit && (n == from || j.m.begun(from, n)) && j.stood(s.pause) && !j.setHere(s.point, s.pause) {
		return false
	}
	return j.m.fits(mo, s.stack) && (n > from || mo.Call > 0 || from < j.t.Lo || s.inst || j.returned || j.again(n) || s.hit && j.short(s.pause))
}

// begun reports whether a moment is the first evaluation of the condition of a loop that has just begun at another.
func (m *Model) begun(from, n int) bool {
	if from < 0 || n != from+1 || m.Moments[from].Activation != m.Moments[n].Activation {
		return false
	}
	head, condition := m.step(from), m.step(n)
	return head.Node != nil && head.Node == condition.Node && head.Part == history.Head && condition.Part == history.Condition && condition.Nth == 0
}

// vague reports whether the history does not say that a pause which fits a moment is there.
func (j *judge) vague(s *sought, n int) bool {
	mo := j.m.Moments[n]
	step := &mo.Activation.Steps[mo.Step]
	switch node := step.Node.(type) {
	case *ast.ForStmt, *ast.RangeStmt:
		// The parts of a loop over several lines come again in each iteration.
		if step.First != step.Last {
			return true
		}
	case *ast.SwitchStmt:
		// The line of one without a tag comes at its end, if no clause is executed; where calls make what a
		// variable is compared with, it comes after them.
		if step.Part == history.Head && (node.Tag == nil || j.m.computes(mo.Activation, node)) {
			return true
		}
	}
	// What comes after each iteration of a loop may share its line with the condition.
	if s.hit && j.m.Post(step.Node) {
		return true
	}
	// The line of a clause that another one falls through to comes on that way, too, and that of one which
	// is compared with comes in some searches and not in others.
	if line := s.stack[0].line; j.m.fallsTo(mo.Activation, step, line) || s.hit && line != step.First && j.m.searches(mo.Activation, step, line) {
		return true
	}
	// A select's other lines may come at each of its executions, or not.
	if s.hit && step.Heads != nil && step.Node != nil && s.stack[0].line != step.First {
		return true
	}
	// Which part of the statement an instruction is of, the history does not say.
	return s.inst && (!step.IsClear || step.Library || len(step.Children) > 0)
}

// nowhere is why a pause that no moment fits is wrong; empty if that proves nothing.
func (j *judge) nowhere(s *sought, start int) string {
	if s.judged != nil {
		return conditional
	}
	for n := start; s.counted != nil && n < j.t.Hi; n++ {
		if j.m.executes(n, s.counted) && j.m.fits(j.m.Moments[n], s.stack) {
			return uncountedHit
		}
	}
	// Where a function returns, its deferred calls have code on their own lines.
	for _, fn := range s.stack[0].funs {
		if j.m.Plan.Funcs[fn].Defers {
			return ""
		}
	}
	if s.pause.Reason == "step" && j.m.ends(j.at, s.stack[0]) {
		return ""
	}
	// The beginning of a loop's line may be what comes in each iteration.
	for n := start; s.hit && n < j.t.Hi; n++ {
		mo := j.m.Moments[n]
		if part := j.m.step(n).Part; (part == history.Next || part == history.Condition || j.m.loopAt(mo, s.stack[0].line)) && j.m.fits(mo, s.stack) {
			return ""
		}
	}
	// Perhaps only the callers' lines are off.
	for n := start; n < j.t.Hi; n++ {
		if mo := j.m.Moments[n]; j.m.covers(mo, s.stack[0]) && j.m.functions(mo, s.stack) {
			if j.m.elsewhere(n) {
				return ""
			}
			return "the line of a caller"
		}
	}
	if !j.m.known(s.stack[0]) {
		return "" // a line of no statement: a brace, a declaration, the function's head
	}
	return "a pause at a statement that is not executed there any more"
}

// conditional is the reason if a breakpoint's condition does not hold.
const conditional = "a pause where the condition does not hold"

// uncountedHit is the reason if a breakpoint pauses at an execution that its hit condition leaves out.
const uncountedHit = "a pause where the hit condition does not hold"

// executes reports whether a moment is an execution of a breakpoint's line.
func (m *Model) executes(n int, p *point) bool {
	mo := m.Moments[n]
	if p.function {
		return mo.Call == 0 && mo.Activation.Steps[mo.Step].Entry && slices.Contains(p.funcs, mo.Activation.Func)
	}
	if mo.Call != 0 || m.Plan.Funcs[mo.Activation.Func].File != m.Files[p.file] {
		return false
	}
	s := mo.Activation.Steps[mo.Step]
	return slices.Contains(s.Lines, p.line)
}

// enters reports whether a breakpoint at a function can be hit at a moment: where it is
// entered, or, if its head has no code, at what comes first.
func (m *Model) enters(n int, p *point, line int) bool {
	mo := m.Moments[n]
	x := mo.Activation
	if mo.Call > 0 || x.Of != nil || !slices.Contains(p.funcs, x.Func) && p.funcs != nil {
		return false
	}
	return x.Steps[mo.Step].Entry || !x.Steps[0].Covers(line) && &x.Steps[0] != p.done
}

// begins reports whether a breakpoint can be hit at a moment after another: at the
// beginning of a statement, or anywhere in one whose parts come in an order of the
// compiler's.
func (m *Model) begins(n, from, line int) bool {
	mo := m.Moments[n]
	s := mo.Activation.Steps[mo.Step]
	loop, isLoop := s.Node.(*ast.ForStmt)
	switch {
	case n < from, mo.Call > 0 && exact(&s), s.Part == history.Next, s.Part == history.Condition && isLoop && loop.Init != nil:
		return false
	case s.Part == history.Head && isLoop && loop.Init == nil && loop.Cond != nil:
		return false // its condition is where it begins, each time
	case s.Part == history.Cases:
		if line < s.First || line > s.Last {
			return false // a comparison with what was computed there
		}
	case s.Node == nil && !s.Entry && m.owner(n) == &mo.Activation.Steps[mo.Step]:
		_, begins := m.First[m.Plan.Funcs[mo.Activation.Func].File][line]
		return n > from && !begins // the brace at a function's end
	case line != s.First:
		// It begins somewhere in the statement.
	case !s.Entry && s.Node != nil && m.First[m.Plan.Funcs[mo.Activation.Func].File][s.First] != s.Node.Pos():
		return false // not the first on its line
	}
	return n > from || !exact(&s)
}

// again reports whether a moment can be paused at twice: a statement over several
// lines, or with calls of what is not recorded.
func (j *judge) again(n int) bool {
	s := j.m.Moments[n].Activation.Steps[j.m.Moments[n].Step]
	return s.First != s.Last || s.Library || !s.IsClear
}

// certain reports whether a pause at a moment is surely at that one, and not at a
// later execution: the statement is clear, or no other activation fits.
func (j *judge) certain(p *dap.Pause, at int) bool {
	mo := j.m.Moments[at]
	s := mo.Activation.Steps[mo.Step]
	if s.IsClear || s.Entry {
		return true
	}
	stack := j.m.frames(p)
	for n := at + 1; n < j.t.Hi; n++ {
		if !sameCall(j.m.Moments[n].Activation, mo.Activation) && j.m.fits(j.m.Moments[n], stack) {
			return false
		}
	}
	return true
}

// sameCall reports whether two activations are of one call of a function: it itself, or bodies of its loops over
// functions.
func sameCall(a, b *timeline.Activation) bool { return a.Outermost() == b.Outermost() }

// unwound reports whether an activation that a panic ended was left between two moments:
// where a debugger pauses on such a way the history does not say.
func (m *Model) unwound(from, to int) bool {
	is := m.Moments[to].Activation
	for x := m.Moments[from].Activation; x != nil && !timeline.Around(is, x); x = x.Parent {
		if x.Abrupt {
			return true
		}
	}
	return false
}

// fits reports whether a moment has a line and the functions below it.
func (m *Model) fits(mo timeline.Moment, stack []frame) bool {
	return m.fitsAt(mo.Activation, mo.Step, stack, true)
}

// fitsAt is fits for the frames from an activation on, which is at a step.
func (m *Model) fitsAt(x *timeline.Activation, at int, stack []frame, top bool) bool {
	for n, f := range stack {
		if f.panicked && n > 0 {
			// Between the deferred function and what deferred it is what has panicked.
			for k := n; k < len(stack); k++ {
				if m.fitsAt(x, at, stack[k:], false) {
					return true
				}
			}
			return false
		}
		// What was deferred before what recovers from a panic is called when the functions that panicked are gone.
		for n > 0 && x != nil && x.Abrupt && !f.is(x) {
			x, at = x.Parent, x.Call
		}
		if !f.is(x) {
			return false
		}
		if at < 0 || at >= len(x.Steps) {
			if n == 0 && top {
				return false
			}
		} else if s := &x.Steps[at]; !s.Covers(f.line) && !(n == 0 && top && (m.searches(x, s, f.line) || m.compares(x, s, f.line))) &&
			!(n > 0 && x.Abrupt && f.line == m.Plan.Funcs[x.Func].EndLine) { // where what is deferred is called after a recovery
			return false
		}
		x, at = x.Parent, x.Call
	}
	return x == nil
}

// covers reports whether a moment has the line of a frame.
func (m *Model) covers(mo timeline.Moment, f frame) bool {
	return f.is(mo.Activation) && mo.Activation.Steps[mo.Step].Covers(f.line)
}

// functions reports whether a moment has the functions of a stack.
func (m *Model) functions(mo timeline.Moment, stack []frame) bool {
	x := mo.Activation
	for n, f := range stack {
		for n > 0 && x != nil && x.Abrupt && !f.is(x) {
			x = x.Parent
		}
		if !f.is(x) {
			return false
		}
		x = x.Parent
	}
	return x == nil
}

// known reports whether a line belongs to a statement that is clear wherever it is
// executed, so that a pause there says which.
func (m *Model) known(f frame) bool {
	if _, begins := m.First[f.file][f.line]; !begins || len(f.funs) == 0 {
		return false
	}
	return m.ClearLine(m.Plan.Files[f.file].Name, f.line)
}
