package omission

import (
	"go/ast"
	"go/token"
	"go/types"
	"math"
	"slices"

	"misstep/history"
)

// elsewhere are decisions against an operation that its activation did execute, but not
// on the subject, or not each time: a call that went to another function, a branch that
// went another way in another iteration, a condition that ended a loop.
func (f *Finder) elsewhere(fn *function, a *history.Activation, g goal, trace []visit, visits map[*node][]int, lost *node, b *bundler) []decision {
	var list []decision
	// Of calls that may go to several functions, only those that went to this one did
	// execute it.
	if g.call != nil && g.call.dynamic && len(g.call.callees) > 1 {
		switch went, other := f.went(g, trace, visits, func(fn int) bool { return fn == g.callee }); {
		case went:
			return nil
		case !other:
			return nil
		}
		list = append(list, decision{node: g.node, alt: -1, kind: "dispatch", cost: math.Log2(float64(len(g.call.callees)))})
	}
	if f.uncalled(fn, g) {
		return []decision{{node: g.node, alt: -1, kind: "uncalled", cost: 1}}
	}
	again := true
	switch {
	case g.op.kind == Call && g.call == nil:
		went, other := f.went(g, trace, visits, func(fn int) bool { return b.s.Funcs[fn] })
		if !went && other && g.op.dynamic {
			list = append(list, decision{node: g.node, alt: -1, kind: "dispatch", cost: 1})
		}
		again = went
	case g.operand != nil:
		others := false
		again = false
		v := fn.variable(g.operand)
		if fn.varies(g.operand) {
			// What it was where the operation happened.
			held := f.sightingsOf(fn, a, g.operand, visits)
			for _, i := range visits[g.node] {
				if t, ok := held.at(trace, i); ok {
					again = again || b.s.at(fn, t, g) != other
					others = true
				}
			}
		}
		for _, t := range f.events.touches[a] {
			if others {
				break
			}
			if f.events.exprs[t.site] == g.operand || v != nil && slices.Contains(f.events.uses[fn.id][v], t.site) {
				again = again || b.s.at(fn, t, g) != other
				others = true
			}
		}
		if !others {
			again = v != nil && b.s.Vars[v]
			if !again && fn.varies(g.operand) {
				// It is not known what it happened to, only that it did not to later ones.
				if d, ok := fn.leftLoop(g, trace, list); ok {
					d.loops = true
					list = append(list, d)
				}
				return list
			}
			again = true
		}
	}
	list = append(list, fn.iterations(g, trace, visits, again || b.ends, b.ranges, b.ends)...)
	if d, ok := fn.leftLoop(g, trace, list); ok {
		d.loops, d.again = true, again
		list = append(list, d)
	}
	if len(list) > 1 && list[0].kind == "dispatch" {
		list[0].cost += dispatchInLoop
	}
	if fn.graph.lostTo(lost, g.node) {
		list = append(list, decision{node: lost, alt: -1, kind: "lost", loops: true, again: again})
	}
	return list
}

// uncalled reports whether a call that leads to a goal gives its function to one that is not
// recorded, and that never called it: a sync.Once that had been done, a handler that was
// registered for what did not come.
func (f *Finder) uncalled(fn *function, g goal) bool {
	if g.call == nil || g.call.external == nil || len(f.events.byFunc[g.callee]) > 0 {
		return false
	}
	for _, x := range g.call.expr.Args {
		if f.program.functionOf(fn, x) == g.callee {
			return true
		}
	}
	return false
}

// iterations are branches that went another way in another iteration than leads to the goal.
func (fn *function) iterations(g goal, trace []visit, visits map[*node][]int, again, ranges, ends bool) []decision {
	var list []decision
	for _, n := range fn.graph.nodes {
		if len(visits[n]) == 0 || n.distinct() < 2 {
			continue
		}
		more := 0.0
		if head, is := n.at.(*ast.RangeStmt); is {
			if !ends && (!ranges || !again || !fn.fills(head, g)) {
				continue // each range comes to an end
			}
			more = rangeEnded * float64(1+fn.loopsIn(head.Body, g.node)) // the innermost first
		}
		if !fn.graph.leads(g.node, n, fn.graph.exit) {
			continue // it is no other iteration
		}
		for alt, s := range n.succs {
			if !fn.graph.leads(s, g.node, n) {
				continue
			}
			for _, i := range visits[n] {
				if i+1 < len(trace) && trace[i+1].node == s || fn.graph.executedBetween(trace, i, n, g.node) {
					continue
				}
				if i+1 < len(trace) && more == 0 && fn.graph.leads(trace[i+1].node, g.node, n) {
					continue // the way that was taken leads there as well
				}
				list = append(list, decision{node: n, alt: alt, cost: n.ways() + 1 + more, kind: "iteration", loops: true, again: again})
				break
			}
		}
	}
	return list
}

// passed are branches of a loop that led elsewhere in one iteration, and on to the next, before those that are the nearest to a goal that
// was not executed in any, as that of an else-if which comes first. Known are the nearest.
func (fn *function) passed(g goal, trace []visit, visits map[*node][]int, known []decision, used edges) (list []decision) {
	for _, d := range fn.iterations(g, trace, visits, false, false, false) {
		goesOn := func(i int) bool {
			return i+1 < len(trace) && trace[i+1].node != d.node.succs[d.alt] && fn.graph.leads(trace[i+1].node, d.node, fn.graph.exit)
		}
		excluded := func(o decision) bool { return o.node == d.node || fn.excludes(d, o) }
		if slices.ContainsFunc(known, excluded) || !slices.ContainsFunc(visits[d.node], goesOn) {
			continue
		}
		only := make([]bool, len(fn.graph.nodes))
		only[d.node.index] = true
		for _, near := range fn.graph.dominant(g.node, only, nil, used) {
			if near.alt == d.alt {
				d.cost, d.loops = near.cost, false
				list = append(list, d)
			}
		}
	}
	return list
}

// excludes reports whether what two decisions want to be so cannot be: the first that a value is not what it was, a constant, and the second that
// it is another one.
func (fn *function) excludes(was, wanted decision) bool {
	x, c, ok := fn.equals(was.node)
	y, d, other := fn.equals(wanted.node)
	return ok && other && was.alt == 1 && wanted.alt == 0 && x == y && c != d
}

// equals is what a condition compares with a constant, and that.
func (fn *function) equals(n *node) (operand, value string, ok bool) {
	x, ok := ast.Unparen(n.cond).(*ast.BinaryExpr)
	if !ok || x.Op != token.EQL || fn.pkg.Info.Types[x.Y].Value == nil {
		return "", "", false
	}
	return types.ExprString(x.X), fn.pkg.Info.Types[x.Y].Value.ExactString(), true
}

// leftLoop is the statement that left the innermost loop around a goal before it was come to
// its end: a return, a break or a goto. Later elements were not come to.
func (fn *function) leftLoop(g goal, trace []visit, others []decision) (decision, bool) {
	var body *ast.BlockStmt
	for _, b := range fn.loops {
		if g.node.within(b) && (body == nil || b.Pos() > body.Pos()) {
			body = b
		}
	}
	if body == nil {
		return decision{}, false
	}
	for i := len(trace) - 1; i >= 0; i-- {
		n := trace[i].node
		if !n.within(body) {
			continue
		}
		for k := i - 1; k >= 0; k-- {
			if led := trace[k].node; led.distinct() > 1 {
				if slices.ContainsFunc(others, func(d decision) bool { return d.node == led }) {
					return decision{}, false // the branch that led there says it
				}
				break
			}
		}
		switch s := n.at.(type) {
		case *ast.ReturnStmt:
			return decision{node: n, alt: -1, kind: "left", cost: 1}, true
		case *ast.BranchStmt:
			if s.Tok != token.CONTINUE && i+1 < len(trace) && !trace[i+1].node.within(body) && !trace[i+1].node.loops() {
				return decision{node: n, alt: -1, kind: "left", cost: 1}, true
			}
		}
		break
	}
	return decision{}, false
}

// loopsIn is how many loops in a block a node is in.
func (fn *function) loopsIn(block *ast.BlockStmt, n *node) int {
	count := 0
	for _, b := range fn.loops {
		if b != block && block.Pos() <= b.Pos() && b.End() <= block.End() && n.within(b) {
			count++
		}
	}
	return count
}

// within reports whether a node is in a block.
func (n *node) within(b *ast.BlockStmt) bool {
	at := n.at
	if n.cond != nil {
		at = n.cond
	}
	return at != nil && b.Pos() <= at.Pos() && at.End() <= b.End()
}

// fills reports whether an operation changes the same object in each iteration of a range, over what a key or a call chose there,
// which may be the wrong one.
func (fn *function) fills(head *ast.RangeStmt, g goal) bool {
	switch x := ast.Unparen(head.X).(type) {
	case *ast.IndexExpr:
	case *ast.CallExpr:
		if fn.pkg.Info.Types[x.Fun].IsType() {
			return false
		}
	default:
		return false
	}
	if g.op.kind != Write || g.operand == nil {
		return false
	}
	// What is stored into a variable that is the object itself does not make it another one.
	return !fn.varies(g.operand) || !refers(typeOf(fn, g.operand))
}

// rangeEnded is added to the cost of an iteration that there was not, as the range over something ended: what is ranged over may
// lack an element, or be the wrong thing.
const rangeEnded = 3

// dispatchInLoop is added to the cost of a call that went to another function where a
// branch kept it from being made once more.
const dispatchInLoop = 4

// went reports whether a call went to functions of some kind, and to others.
func (f *Finder) went(g goal, trace []visit, visits map[*node][]int, want func(fn int) bool) (went, other bool) {
	for _, i := range visits[g.node] {
		for _, c := range trace[i].calls {
			switch {
			case want(c.Func):
				went = true
			case g.call == nil || slices.Contains(g.call.callees, c.Func):
				other = true
			}
		}
	}
	return went, other
}
