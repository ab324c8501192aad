package reference

import (
	"go/ast"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/history"
)

// match finds the first moment behind another that a pause can be at. What it
// returns beside is why there is none; it is empty if that proves nothing.
func (j *judge) match(p *dap.Pause, from int, lost bool) (int, string) {
	stack := j.m.frames(p)
	if len(stack) == 0 {
		return -1, ""
	}
	start := max(from, j.t.lo)
	if lost {
		return j.only(stack, start), ""
	}
	// A breakpoint is at the beginning of a line.
	inst := len(p.Hit) > 0 && strings.HasPrefix(p.Hit[0], "inst ") // anywhere in a statement
	hit := strings.Contains(p.Reason, "breakpoint") && len(p.Hit) > 0 && !inst
	var counted, judged *point // the breakpoint, if the history says at which execution it pauses
	executions := 0
	if hit && len(p.Hit) == 1 {
		b := j.points[p.Hit[0]]
		switch {
		case b == nil, b.hit == "" && b.condition == "":
		case b.hit != "" && b.condition != "" || !b.clear || b.hit != "" && (b.unsure || j.m.concurrent()):
			return j.only(stack, start), ""
		case b.condition != "":
			judged = b
		default:
			counted, executions = b, b.hits
		}
	}
	for n := start; n < j.t.hi; n++ {
		if hit && !j.m.begins(n, from) && !(n == from && j.returned && j.m.moments[n].call == 0) {
			continue
		}
		if counted != nil && n > from && j.m.executes(n, counted) {
			if executions++; !counted.pausesAt(executions) {
				continue
			}
		}
		if judged != nil && n > from && j.m.executes(n, judged) {
			holds, known := j.holds(judged, n)
			if !known {
				return j.only(stack, start), ""
			}
			if !holds {
				continue
			}
		}
		if j.m.fits(j.m.moments[n], stack) && (n > from || j.m.moments[n].call > 0 || from < j.t.lo || inst || j.returned || j.again(n)) {
			// A select's other lines may come at each of its executions, or not.
			if s := &j.m.moments[n].act.steps[j.m.moments[n].step]; hit && s.heads != nil && s.node != nil && stack[0].line != s.first {
				return -1, ""
			}
			if inst && !j.m.moments[n].act.steps[j.m.moments[n].step].clear {
				return -1, "" // which part of the statement it is, the history does not say
			}
			return n, ""
		}
	}
	if judged != nil {
		return -1, conditional
	}
	// Where a function returns, its deferred calls have code on their own lines.
	for _, fn := range stack[0].funs {
		if j.m.plan.Funcs[fn].Defers {
			return -1, ""
		}
	}
	// Generic functions have frames of the compiler's on the way, which say nothing.
	for _, f := range p.Stack {
		if strings.Contains(f.Func, "[") {
			return -1, ""
		}
	}
	// Perhaps only the callers' lines are off.
	for n := start; n < j.t.hi; n++ {
		if mo := j.m.moments[n]; j.m.covers(mo, stack[0]) && j.m.functions(mo, stack) {
			return -1, "the line of a caller"
		}
	}
	if !j.m.known(stack[0]) {
		return -1, "" // a line of no statement: a brace, a declaration, the function's head
	}
	return -1, "a pause at a statement that is not executed there any more"
}

// conditional is the reason if a breakpoint's condition does not hold.
const conditional = "a pause where the condition does not hold"

// only is the one moment from a point on that fits a stack; -1 if there are
// several, or none.
func (j *judge) only(stack []frame, start int) int {
	only := -1
	for n := start; n < j.t.hi; n++ {
		if j.m.fits(j.m.moments[n], stack) {
			if only >= 0 {
				return -1
			}
			only = n
		}
	}
	// Lines that are not clear come again where the history has nothing.
	if only >= 0 {
		if s := j.m.moments[only].act.steps[j.m.moments[only].step]; !s.clear && !s.entry {
			return -1
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
	return n > from || s.first != s.last
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
			if !wrapper(p, n) {
				out = append(out, frame{i, f.Line, m.candidates(f.File, f.Line)})
			}
		}
	}
	return out
}

// wrapper tells whether a frame is an instance of a generic function that only
// calls the function for its shape, which is the frame above.
func wrapper(p *dap.Pause, n int) bool {
	// The compiler's function that go and defer statements start.
	if strings.Contains(p.Stack[n].Func, ".gowrap") || strings.Contains(p.Stack[n].Func, ".deferwrap") {
		return true
	}
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
	for n := at + 1; n < j.t.hi; n++ {
		if j.m.moments[n].act != mo.act && j.m.fits(j.m.moments[n], stack) {
			return false
		}
	}
	return true
}

// unwound tells whether an activation that a panic ended was left between two moments:
// where a debugger pauses on such a way the history does not say.
func (m *Model) unwound(from, to int) bool {
	is := m.moments[to].act
	for x := m.moments[from].act; x != nil && !around(is, x); x = x.parent {
		if x.Abrupt {
			return true
		}
	}
	return false
}

// again tells whether a pause that fits the moment of the last one may be at a later one
// as well: a statement over several lines comes back to its first line before it is
// over, where a breakpoint may be, and goes to the next behind one of its calls.
func (m *Model) again(from, to int, p *dap.Pause) bool {
	mo := m.moments[from]
	s := mo.act.steps[mo.step]
	return to == from && s.first != s.last && (p.Reason == "breakpoint" || mo.call < len(s.children))
}

// revisits tells whether a pause at a moment behind another may be at an earlier one
// as well: where a switch or select has no clause to execute, or one ends, its own
// line and those of its clauses come again, in an order of the compiler's.
func (m *Model) revisits(from, to int) bool {
	was, is := m.moments[from], m.moments[to]
	// The step of the activation that is paused in now, if a call of it was left.
	x, step := was.act, was.step
	for x != is.act && x.parent != nil {
		x, step = x.parent, x.call
	}
	if step < 0 {
		return false
	}
	node, at := is.act.steps[is.step].node, x.steps[step].node
	if to == from || node == nil || at == nil {
		return false
	}
	around := m.switches[node]
	return around != nil && around.Pos() <= at.Pos() && at.Pos() < around.End()
}

// fits tells whether a moment has a line and the functions below it.
func (m *Model) fits(mo moment, stack []frame) bool {
	x, at := mo.act, mo.step
	for n, f := range stack {
		if x == nil || !slices.Contains(f.funs, x.Func) {
			return false
		}
		if at < 0 || at >= len(x.steps) {
			if n == 0 {
				return false
			}
		} else if !x.steps[at].covers(f.line) {
			return false
		}
		x, at = x.parent, x.call
	}
	return x == nil
}

// covers tells whether a moment has the line of a frame.
func (m *Model) covers(mo moment, f frame) bool {
	return slices.Contains(f.funs, mo.act.Func) && mo.act.steps[mo.step].covers(f.line)
}

// functions tells whether a moment has the functions of a stack.
func (m *Model) functions(mo moment, stack []frame) bool {
	x := mo.act
	for _, f := range stack {
		if x == nil || !slices.Contains(f.funs, x.Func) {
			return false
		}
		x = x.parent
	}
	return x == nil
}

// known tells whether a line belongs to a statement that is clear wherever it is
// executed, so that a pause there says which.
func (m *Model) known(f frame) bool {
	if _, begins := m.first[f.file][f.line]; !begins || len(f.funs) == 0 {
		return false
	}
	return m.clearLine(m.plan.Files[f.file].Name, f.line)
}
