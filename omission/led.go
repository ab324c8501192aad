package omission

import (
	"go/ast"
	"slices"
)

// distinct leaves out what the same evaluation of a branch decided as what comes before.
func distinct(list []*Reason) []*Reason {
	type moment struct {
		node *node
		time int64
	}
	seen := map[moment]bool{}
	return slices.DeleteFunc(list, func(r *Reason) bool {
		if r.Branch == nil || len(r.Branch.Moments) == 0 {
			return false
		}
		k := moment{r.Branch.decision.node, r.Branch.Moments[0].Time}
		known := seen[k]
		seen[k] = true
		return known && r.Omitted
	})
}

// mayFollow reports whether a step may come after a node of its function: what can come after the step only gave it nothing.
func (s step) mayFollow(n *node) bool {
	at := s.trace[s.i].node
	return slices.ContainsFunc(n.succs, func(next *node) bool { return s.fn.graph.leads(next, at, s.fn.graph.exit) })
}

// omitted are the reasons why a node of an activation was not executed before a step: the
// branches that kept it from that. What comes after the step only is none of these.
func (e *explainer) omitted(s step, n *node) []*Reason {
	executed := make([]bool, len(s.fn.graph.nodes))
	for _, v := range s.trace[:min(s.i+1, len(s.trace))] {
		executed[v.node.index] = true
	}
	if executed[n.index] {
		return nil
	}
	var best *decision
	for _, d := range s.fn.graph.dominant(n, executed, nil, e.f.used()) {
		if d.alt >= 0 && (best == nil || d.cost < best.cost) {
			best = &d
		}
	}
	if best == nil {
		return nil
	}
	last := -1
	for k := s.i - 1; k >= 0; k-- {
		if s.trace[k].node != best.node {
			continue
		}
		if last < 0 && s.trace[k+1].node == best.node.succs[best.alt] {
			return nil // it did go that way, and on to the step
		}
		// The last time, but for a switch, which rather took no case than another.
		unfit := best.unfits(taken(s.trace, k))
		if last < 0 || unfit {
			last = k
		}
		if unfit {
			break
		}
	}
	if last < 0 {
		return nil
	}
	e.seen.first(n.at, s.a)
	r := e.reason(s.fn, n.at, true)
	r.node = n
	r.Branch = e.f.decided(step{fn: s.fn, a: s.a, trace: s.trace, i: last}, *best)
	return []*Reason{r}
}

// ledTo is the last branch before a step, in its activation, that might have gone another
// way, without the step, to a later one; nil if there is none.
func (f *Finder) ledTo(s, later step) *Branch {
	g := s.fn.graph
	to := g.exit
	if later.fn == s.fn && later.a == s.a && later.i < len(later.trace) {
		to = later.trace[later.i].node
	}
	at := s.trace[s.i].node
	if at.loops() {
		return nil
	}
	for k := s.i - 1; k >= 0; k-- {
		n := s.trace[k].node
		if n.loops() && g.leads(at, n, g.exit) {
			break // what comes before is another iteration
		}
		if n.distinct() < 2 || n == at || n.loops() {
			continue // that a loop went on says nothing
		}
		for alt, next := range n.succs {
			if next != s.trace[k+1].node && next != at && (g.leads(next, to, at) || g.leads(next, g.exit, at)) && !g.leads(next, at, n) {
				return f.decided(step{fn: s.fn, a: s.a, trace: s.trace, i: k}, decision{node: n, alt: alt, cost: n.ways()})
			}
		}
	}
	return nil
}

// loops reports whether a node decides whether a loop goes on.
func (n *node) loops() bool {
	if _, ok := n.at.(*ast.RangeStmt); ok {
		return true
	}
	return n.cond != nil && n.fn.loopConds[n.cond]
}

// decided is a branch that decided at a step.
func (f *Finder) decided(s step, d decision) *Branch {
	evaluation := 0
	for _, v := range s.trace[:s.i+1] {
		if v.node == d.node {
			evaluation++
		}
	}
	b := &Branch{score: d.cost, fn: s.fn, decision: d, Count: 1, sure: true}
	m := Decided{Activation: s.a.Start, Time: s.time(), Evaluation: evaluation, taken: taken(s.trace, s.i)}
	if b.unfit = d.unfits(m.taken); b.unfit {
		b.score = min(b.score, 1)
	}
	b.sample.add(m)
	f.describeBranch(b)
	return b
}
