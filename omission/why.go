package omission

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
	"time"

	"misstep/history"
)

// A Reason says where a value came from that a branch decided by, or where another could
// have come from: a step of the chain from a branch to what it depends on, by data (an
// assignment, what a function returned, a change of a field or a container) and by control
// (the branch that led there, or kept another assignment from happening).
type Reason struct {
	// Text is the step, such as an assignment, and Place where it stands.
	Text  string   `json:"text"`
	Place Position `json:"place"`
	Func  string   `json:"func"`
	// Omitted says that it was not performed.
	Omitted bool `json:"omitted,omitempty"`
	// Ran is how often it was performed elsewhere, or at other times, of what was not.
	Ran int `json:"ran,omitempty"`
	// Maybe says that it would have been performed on the object in question, or on another.
	Maybe bool `json:"maybe,omitempty"`
	// Lacks says of a type assertion that did not hold what the object is not, or has no method for, and of a literal which field it leaves out.
	Lacks string `json:"lacks,omitempty"`
	// Branch is what decided that it was performed, or not; nil if nothing did.
	Branch *Branch `json:"branch,omitempty"`
	// Why are the reasons of the step's own value.
	Why []*Reason `json:"why,omitempty"`

	node *node
	expr ast.Node // what is performed there; nil if it is all of the node
	led  bool     // Why are the reasons of Branch, as there are none of the value
}

// The bounds of chains: of how many balloons the reasons are looked for, and of how many of
// their branches; how many steps a chain has; how many reasons a step has; how long is
// looked.
const (
	maxExplained = 13
	maxWhyBranch = 2
	maxHops      = 10
	maxSteps     = 120 // of all chains from one value
	maxReasons   = 6
	maxWhyTime   = 5 * time.Second
)

// An explainer finds reasons.
type explainer struct {
	ctx   context.Context
	f     *Finder
	until time.Time
	// given are the places of variables' assignments, by variable.
	given map[types.Object][]*node
	// found are the omitted changes of objects that were looked for.
	found map[changed]*change
	// read are the objects that functions read which are not recorded, the nearest first.
	read []*history.Instance
	// outside are the packages of other modules that gave values, and are not recorded.
	outside []string
	// seen are the steps of a chain.
	seen steps
	// length says that only the length of a slice is of interest.
	length bool
}

// explain finds the reasons of the branches of balloons.
func (f *Finder) explain(ctx context.Context, list []*Balloon) {
	e := f.explainer(ctx)
	for _, b := range list[:min(len(list), maxExplained)] {
		done := map[branchKey]bool{}
		for _, op := range b.Operations {
			for _, br := range op.Branches[:min(len(op.Branches), maxWhyBranch)] {
				k := br.decision.key()
				if len(done) < maxWhyBranch && !done[k] && !br.asked {
					done[k], br.asked = true, true
					br.Why = e.branch(br)
					if op.Instead && op.Distance == 0 {
						br.Why = joinReasons(br.Why, e.performedWith(op, br))
					}
				}
			}
		}
	}
	f.performedReasons(list)
}

func (f *Finder) explainer(ctx context.Context) *explainer {
	return &explainer{ctx: ctx, f: f, until: time.Now().Add(maxWhyTime), found: map[changed]*change{}, seen: steps{}}
}

// branch are the reasons of a branch at the first and the last of its moments.
func (e *explainer) branch(b *Branch) []*Reason {
	if len(b.Moments) == 0 {
		return nil
	}
	var list []*Reason
	known := map[Position]bool{}
	moments := b.Moments[:1]
	if n := len(b.Moments); n > 1 {
		moments = []Decided{b.Moments[0], b.Moments[n-1]}
	}
	for _, m := range moments {
		e.seen = steps{}
		for _, r := range e.decidedAt(b, m, maxHops) {
			if !known[r.Place] {
				known[r.Place] = true
				list = append(list, r)
			}
		}
	}
	return list[:min(len(list), maxReasons)]
}

// decidedAt are the reasons of a branch at one of its moments.
func (e *explainer) decidedAt(b *Branch, m Decided, hops int) []*Reason {
	x := b.decides()
	a := e.f.activation(b.fn.id, m.Activation)
	if x == nil || a == nil {
		return nil
	}
	trace := e.f.trace(b.fn, a)
	i := nth(trace, b.decision.node, m.Evaluation)
	if i < 0 {
		return nil
	}
	at := step{fn: b.fn, a: a, trace: trace, i: i}
	return without(append(e.ungiven(at, x), e.value(at, x, whole, hops)...), b)
}

// control are the reasons of the branch that led to a step which has none of its own, as what it gives is a constant.
func (e *explainer) control(r *Reason, hops int) []*Reason {
	if len(r.Why) > 0 || r.Branch == nil || len(r.Branch.Moments) == 0 {
		return r.Why
	}
	r.led = true
	return e.decidedAt(r.Branch, r.Branch.Moments[0], hops)
}

// performedWith are the reasons of what an operation that was performed gave, the last time that its branch led to it: another value is wanted.
func (e *explainer) performedWith(op *Operation, b *Branch) []*Reason {
	if len(b.Moments) == 0 || op.node == nil || op.node.fn != b.fn {
		return nil
	}
	a := e.f.activation(b.fn.id, b.Moments[len(b.Moments)-1].Activation)
	if a == nil {
		return nil
	}
	trace := e.f.trace(b.fn, a)
	var values []ast.Expr
	switch at := op.node.at.(type) {
	case *ast.ReturnStmt:
		values = at.Results
	case *ast.AssignStmt:
		values = at.Rhs
	}
	for i := len(trace) - 1; i >= 0; i-- {
		if trace[i].node != op.node {
			continue
		}
		e.seen = steps{}
		var list []*Reason
		for _, x := range values {
			list = append(list, e.value(step{fn: b.fn, a: a, trace: trace, i: i}, x, whole, maxHops)...)
		}
		return without(list, b)
	}
	return nil
}

// joinReasons are some reasons and those of others that are of other places, as many as there may be.
func joinReasons(list, others []*Reason) []*Reason {
	for _, r := range others {
		if !slices.ContainsFunc(list, func(x *Reason) bool { return x.Place == r.Place }) {
			list = append(list, r)
		}
	}
	return list[:min(len(list), maxReasons)]
}

// without leaves out what a branch itself kept from happening: that is no reason of it.
func without(list []*Reason, b *Branch) []*Reason {
	list = slices.DeleteFunc(list, func(r *Reason) bool {
		return r.Omitted && r.Branch != nil && r.Branch.fn == b.fn && r.Branch.decision.node == b.decision.node && slices.Equal(r.Branch.Moments, b.Moments)
	})
	for _, r := range list {
		r.Why = without(r.Why, b)
	}
	return list
}

// goes is the expression that says which function a call goes to: the function's value, or
// what has the method.
func (b *Branch) goes() ast.Expr {
	if b.call == nil {
		return nil
	}
	if recv := b.fn.receiver(b.call.expr); recv != nil {
		return recv
	}
	return ast.Unparen(b.call.expr.Fun)
}

// decides is the expression that a branch decides by; nil if there is none.
func (b *Branch) decides() ast.Expr {
	switch {
	case b.decision.kind == "dispatch":
		return b.goes()
	case b.decision.kind == "uncalled" && len(b.call.operands) > len(b.call.expr.Args):
		return b.call.operands[0] // what it was told before
	}
	if x := b.decision.node.decides(); x != nil {
		return x
	}
	return b.awaits()
}

// decides is the expression that a node decides by.
func (n *node) decides() ast.Expr {
	if n.cond != nil {
		return n.cond
	}
	switch s := n.at.(type) {
	case *ast.SwitchStmt:
		return s.Tag
	case *ast.RangeStmt:
		return s.X
	case *ast.TypeSwitchStmt:
		return operandOf(s)
	case *ast.CaseClause:
		if len(s.List) > 0 {
			return s.List[0]
		}
	}
	return nil
}

// calledFrom is the call that an activation is of, and when its function executed it; nil if
// that is not recorded.
func (f *Finder) calledFrom(callee *function, a *history.Activation) (step, *call) {
	if a.Parent == nil || f.program.funcs[a.Parent.Func] == nil {
		return step{}, nil
	}
	fn := f.program.funcs[a.Parent.Func]
	trace := f.trace(fn, a.Parent)
	for i, v := range trace {
		if !slices.Contains(v.calls, a) {
			continue
		}
		for _, c := range fn.calls {
			if c.node == v.node && slices.Contains(c.callees, callee.id) {
				return step{fn: fn, a: a.Parent, trace: trace, i: i, calls: a}, c
			}
		}
	}
	return step{}, nil
}

// lastReturn is the return statement by which an activation ended; nil if it did not end by
// one.
func (f *Finder) lastReturn(fn *function, a *history.Activation) (step, *ast.ReturnStmt) {
	trace := f.trace(fn, a)
	for i := len(trace) - 1; i >= 0; i-- {
		if ret, ok := trace[i].node.at.(*ast.ReturnStmt); ok {
			return step{fn: fn, a: a, trace: trace, i: i}, ret
		}
	}
	return step{}, nil
}

// activation is that of a function which began at a time.
func (f *Finder) activation(fn int, start int64) *history.Activation {
	list := f.events.byFunc[fn]
	n, ok := slices.BinarySearchFunc(list, start, func(a *history.Activation, start int64) int { return cmp.Compare(a.Start, start) })
	if !ok {
		return nil
	}
	return list[n]
}

// nth is the nth visit of a node in a trace, from 1; -1 if there are fewer.
func nth(trace []visit, n *node, evaluation int) int {
	for i, v := range trace {
		if v.node == n {
			if evaluation--; evaluation == 0 {
				return i
			}
		}
	}
	return -1
}

// A step is a moment of an activation.
type step struct {
	fn    *function
	a     *history.Activation
	trace []visit
	i     int
	// calls is the call by which control left the activation then, if the moment is that of its arguments: the step's own event comes
	// after it.
	calls *history.Activation
}

func (s step) time() int64 {
	if s.calls != nil {
		return min(s.trace[s.i].time, s.calls.Start)
	}
	return s.trace[s.i].time
}

// after is the time of the last event of a step, or later: what it evaluates has events of
// its own.
func (s step) after() int64 {
	if s.calls != nil {
		return s.calls.Start
	}
	for _, next := range s.trace[s.i+1:] {
		if next.time > s.time() {
			return next.time
		}
	}
	return s.a.End
}

// reason describes a step of a chain.
func (e *explainer) reason(fn *function, at ast.Node, omitted bool) *Reason {
	if r, ok := at.(*ast.RangeStmt); ok {
		return &Reason{Text: "for range " + e.f.shortSource(fn, r.X), Place: e.f.place(fn, at.Pos()), Func: fn.name, Omitted: omitted}
	}
	return &Reason{Text: e.f.shortSource(fn, at), Place: e.f.place(fn, at.Pos()), Func: fn.name, Omitted: omitted}
}

// String says what a step is.
func (r *Reason) String() string {
	text := fmt.Sprintf("%s at %s:%d", r.Text, r.Place.File, r.Place.Line)
	if r.Omitted {
		text += " not performed"
	}
	var list []string
	if r.Maybe {
		list = append(list, "maybe on another object")
	}
	if r.Ran > 0 {
		list = append(list, "happened "+count(r.Ran, "time")+" elsewhere")
	}
	if len(list) > 0 {
		text += " (" + strings.Join(list, "; ") + ")"
	}
	if r.Lacks != "" {
		text += ", as " + r.Lacks
	}
	if r.Branch != nil {
		text += ": " + r.Branch.String()
	}
	return text
}
