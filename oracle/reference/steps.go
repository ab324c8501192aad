package reference

import (
	"fmt"
	"go/ast"
	"strings"

	"misstep/dap"
	"misstep/history/timeline"
)

// step judges a step from one moment to another.
func (j *judge) step(i int, a dap.Action, from, to int, p *dap.Pause) {
	if from < j.t.Lo || a.Instruction || p.Reason != "step" {
		j.interrupted(i, a, from, to, place(p))
		return
	}
	was, is := j.m.Moments[from], j.m.Moments[to]
	if was.Activation.Parent == nil && is.Activation != was.Activation && !timeline.Around(is.Activation, was.Activation) {
		return // what calls it is not recorded, and may call more
	}
	switch a.Kind {
	case dap.Next:
		j.next(i, from, to, p)
	case dap.StepIn:
		j.stepIn(i, was, is, p)
	case dap.StepOut:
		j.stepOut(i, was, is, p)
	}
}

// interrupted judges a step that did not end as one: a breakpoint came before, or the program
// ended. It has not gone beyond where it had to end: the next statement of what it began in,
// or, if it was to leave that, of a caller.
func (j *judge) interrupted(i int, a dap.Action, from, to int, shown string) {
	rule := map[dap.Kind]string{dap.Next: "R4-next", dap.StepIn: "R5-stepin", dap.StepOut: "R6-stepout"}[a.Kind]
	if rule == "" || a.Instruction || from < j.t.Lo || from >= j.t.Hi || j.m.Concurrent() {
		return
	}
	was := j.m.Moments[from]
	if a.Kind == dap.StepOut && j.last.Carried() || inBody(was.Activation) {
		return // what has panicked does not return, but to what recovers; a body's caller is not where a step ends
	}
	if _, starts := j.m.step(from).Node.(*ast.GoStmt); starts && a.Kind == dap.StepIn {
		return // it may go into what is started, and wait for that
	}
	line := was.Activation.Steps[was.Step].First
	for n := max(from, j.upto) + 1; n < to; n++ {
		mo := j.m.Moments[n]
		s := mo.Activation.Steps[mo.Step]
		if mo.Call != 0 || !s.IsClear || j.m.Plan.Funcs[mo.Activation.Func].Defers {
			continue
		}
		same := mo.Activation == was.Activation
		caller := !same && timeline.Around(was.Activation, mo.Activation)
		if a.Kind != dap.StepOut && same && s.First != line || caller {
			j.check(i, rule, false, dap.DiffLocation, fmt.Sprintf("line %d of %s", s.First, j.name(mo.Activation)), "a pause", "none before "+shown)
			return
		}
	}
}

// next judges a step over.
func (j *judge) next(i, from, to int, p *dap.Pause) {
	const rule = "R4-next"
	was, is := j.m.Moments[from], j.m.Moments[to]
	if !stays(was.Activation, is.Activation) {
		if !j.m.simple(was.Activation) || deferred(is.Activation) {
			j.missed(rule)
			return
		}
		if j.astrays(i, rule, was, is, p) {
			return
		}
		j.check(i, rule, false, dap.DiffStack, "a step over goes into a call", "a pause in "+j.name(was.Activation)+" or its callers", j.name(is.Activation))
		return
	}
	if j.stutters(was, is, p) {
		j.check(i, rule, false, dap.DiffLocation, "a step over from the head of a loop", "a pause in its body, or after it", place(p))
		return
	}
	line := was.Activation.Steps[was.Step].First
	for n := from + 1; n < to; n++ {
		mo := j.m.Moments[n]
		if mo.Activation != was.Activation || mo.Call != 0 {
			continue
		}
		s := mo.Activation.Steps[mo.Step]
		if s.IsClear && s.First != line && (is.Activation != was.Activation || s.First != is.Activation.Steps[is.Step].First) {
			j.check(i, rule, false, dap.DiffLocation, fmt.Sprintf("line %d of %s", s.First, j.name(was.Activation)), "a pause", "none before "+place(p))
			return
		}
		line = s.First
	}
	j.made(rule)
}

// astrays tells of a step that ends in another call of the function that it began in, which is none that this has made: most
// likely it is the same one, at a line that should have come before. It reports whether the step is such a one.
func (j *judge) astrays(i int, rule string, was, is timeline.Moment, p *dap.Pause) bool {
	if was.Activation.Func != is.Activation.Func || timeline.Around(is.Activation, was.Activation) {
		return false
	}
	j.check(i, rule, false, dap.DiffLocation, "where the step ends", "a later line of this call of "+j.name(was.Activation)+", or one of its callers", place(p))
	return true
}

// stutters reports whether a step goes from the head of a loop over a function to that same line, where the body's own
// function begins: in the source there is nothing between the two.
func (j *judge) stutters(was, is timeline.Moment, p *dap.Pause) bool {
	return is.Activation.Of != nil && is.Activation.Of == was.Activation.Activation && is.Step == 0 &&
		was.Activation.Steps[was.Step].Node == is.Activation.Steps[0].Node && p.Top().Line == j.last.Top().Line
}

// stepIn judges a step in.
func (j *judge) stepIn(i int, was, is timeline.Moment, p *dap.Pause) {
	const rule = "R5-stepin"
	s := was.Activation.Steps[was.Step]
	if s.Library || s.First != s.Last || !s.IsClear {
		j.missed(rule)
		return
	}
	if was.Call < len(s.Children) {
		c := s.Children[was.Call]
		node, _ := j.m.Code.Node(c.Func)
		if d, ok := node.(*ast.FuncDecl); ok && d.Recv != nil && strings.Contains(j.last.Top().Func, "[") && !timeline.Around(is.Activation, c) {
			j.missed(rule) // methods of type parameters are called through the compiler's functions
			return
		}
		j.check(i, rule, timeline.Around(is.Activation, c), dap.DiffLocation, "a step into a line that calls", "a pause in "+j.name(c), place(p))
		return
	}
	// Nothing is called any more, if not by the next statement on the line.
	for _, next := range was.Activation.Steps[was.Step+1:] {
		if next.First != s.First {
			break
		}
		if len(next.Children) > 0 || next.Library {
			j.missed(rule)
			return
		}
	}
	ok := stays(was.Activation, is.Activation)
	if !ok && (!j.m.simple(was.Activation) || deferred(is.Activation)) {
		j.missed(rule)
		return
	}
	if !ok && j.astrays(i, rule, was, is, p) {
		return
	}
	j.check(i, rule, ok, dap.DiffStack, "a step into a line that calls nothing", "a pause in "+j.name(was.Activation)+" or its callers", j.name(is.Activation))
}

// stepOut judges a step out.
func (j *judge) stepOut(i int, was, is timeline.Moment, p *dap.Pause) {
	caller := was.Activation.Parent
	if caller == nil || was.Activation.Of != nil || was.Activation.Call < 0 || deferred(is.Activation) || was.Activation.Abrupt {
		j.missed("R6-stepout")
		return
	}
	ok := timeline.Around(caller, is.Activation) && is.Activation != was.Activation
	j.check(i, "R6-stepout", ok, dap.DiffLocation, "a step out of "+j.name(was.Activation), "a pause in "+j.name(caller), place(p))
}

// stays reports whether a step over from one activation may end in another: in it, in a caller, or in the body of a loop
// over a function of one of these.
func stays(was, is *timeline.Activation) bool {
	for x := was; x != nil; x = x.Parent {
		if x == is || is.Of != nil && sameCall(x, is) {
			return true
		}
	}
	return false
}

// inBody reports whether an activation is the body of a loop over a function, or was called in one.
func inBody(x *timeline.Activation) bool {
	for ; x != nil; x = x.Parent {
		if x.Of != nil {
			return true
		}
	}
	return false
}

// deferred reports whether an activation was not called by a statement.
func deferred(x *timeline.Activation) bool {
	for ; x != nil; x = x.Parent {
		if x.Parent != nil && x.Call < 0 {
			return true
		}
	}
	return false
}

// simple reports whether no deferred function runs where an activation ends.
func (m *Model) simple(x *timeline.Activation) bool {
	for ; x != nil; x = x.Parent {
		if m.Plan.Funcs[x.Func].Defers || x.Abrupt {
			return false
		}
	}
	return true
}

func (j *judge) name(x *timeline.Activation) string { return j.m.Plan.Funcs[x.Func].Name }
