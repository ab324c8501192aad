package omission

import (
	"cmp"
	"go/ast"
	"go/token"
	"slices"

	"misstep/history"
)

// maxNewSteps is among how many steps are looked for those that say most.
const maxNewSteps = 64

// executed are the steps that ran.
func (o *outcome) executed() map[*node]bool {
	ran := map[*node]bool{}
	for fn, acts := range o.byFunc {
		if o.program.funcs[fn] == nil {
			continue
		}
		for _, a := range acts {
			for _, v := range o.trace(a) {
				ran[v.node] = true
			}
		}
	}
	return ran
}

// asks reports whether all of some conditions were evaluated.
func (o *outcome) asks(judges map[*node]bool) bool {
	if len(judges) == 0 {
		return true
	}
	ran := o.executed()
	for n := range judges {
		if !ran[n] {
			return false
		}
	}
	return true
}

// differing tells two runs apart, one with an evaluation inverted, or each of its condition.
type differing struct {
	of        attempt
	got, base *outcome
	// sites are the steps that operate on the subject.
	sites map[*node]bool
}

// times is how often a step was executed after the evaluation, in its activation and what that called; in the whole run if each is
// inverted.
func (d differing) times(o *outcome, n *node) int {
	if d.of.each {
		return o.count(n)
	}
	return o.after(d.of.at, n)
}

// here is how often a step was executed after the evaluation in its very activation.
func (d differing) here(o *outcome, n *node) (sum int) {
	_, rest := o.since(d.of.at)
	for _, v := range rest {
		if v.node == n {
			sum++
		}
	}
	return sum
}

// steps are the first steps of a run after the evaluation that something holds of: in its activation, and in those of literals of its
// function that it called; else in the first that it called which has some.
func (d differing) steps(o *outcome, holds func(*node) bool) []*node {
	a, rest := o.since(d.of.at)
	if a == nil {
		return nil
	}
	var found []*node
	look := func(trace []visit) {
		for _, v := range trace {
			n := v.node
			if n.at == nil || n.cond != nil || len(found) == maxNewSteps || slices.Contains(found, n) || !holds(n) {
				continue
			}
			switch n.at.(type) {
			case *ast.BlockStmt, *ast.RangeStmt, *ast.ForStmt: // what is in them says more
			default:
				found = append(found, n)
			}
		}
	}
	look(rest[1:])
	var called []*history.Activation
	for fn, acts := range o.byFunc {
		if o.program.funcs[fn] != nil {
			called = append(called, acts...)
		}
	}
	called = slices.DeleteFunc(called, func(c *history.Activation) bool { return c.Start < rest[0].time || !below(c, a) })
	slices.SortFunc(called, func(x, y *history.Activation) int { return cmp.Compare(x.Start, y.Start) })
	around := d.of.at.node.fn.node
	for _, c := range called {
		if lit := o.program.funcs[c.Func].node; around.Pos() <= lit.Pos() && lit.End() <= around.End() {
			look(o.trace(c))
		}
	}
	for _, c := range called {
		if len(found) > 0 {
			break
		}
		look(o.trace(c))
	}
	return found
}

// more are steps that had not run, or else that ran more often: first those that operate on the subject, then those that change something.
func (d differing) more() []*node {
	own := d.steps(d.got, func(n *node) bool {
		return d.sites[n] && (d.times(d.got, n) > d.times(d.base, n) || d.here(d.got, n) > d.here(d.base, n))
	})
	ran := d.base.executed()
	list := d.steps(d.got, func(n *node) bool { return !ran[n] })
	if len(own)+len(list) == 0 {
		list = d.steps(d.got, func(n *node) bool { return d.times(d.got, n) > d.times(d.base, n) })
	} else if len(own) == 0 && !slices.ContainsFunc(list, (*node).changes) {
		// What is only given back, or called, says less than what is changed once more.
		list = append(list, d.steps(d.got, func(n *node) bool { return n.changes() && d.here(d.got, n) > d.here(d.base, n) })...)
	}
	slices.SortStableFunc(list, func(x, y *node) int { return compareBools(!x.changes(), !y.changes()) })
	for _, n := range list {
		if !slices.Contains(own, n) {
			own = append(own, n)
		}
	}
	return own[:min(len(own), maxNew)]
}

// changes reports whether a step assigns to what there was before, or sends something.
func (n *node) changes() bool {
	switch s := n.at.(type) {
	case *ast.AssignStmt:
		return s.Tok != token.DEFINE
	case *ast.IncDecStmt, *ast.SendStmt:
		return true
	}
	return false
}

// less are steps that ran less often.
func (d differing) less() []*node {
	list := d.steps(d.base, func(n *node) bool { return d.times(d.got, n) < d.times(d.base, n) })
	return list[:min(len(list), maxNew)]
}

// next is the step that comes next, where all that differs is a value.
func (d differing) next() []*node {
	list := d.steps(d.got, func(*node) bool { return true })
	return list[:min(len(list), 1)]
}
