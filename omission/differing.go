package omission

import (
	"cmp"
	"go/ast"
	"slices"

	"misstep/history"
)

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
}

// times is how often a step was executed after the evaluation, in its activation and what that called; in the whole run if each is
// inverted.
func (d differing) times(o *outcome, n *node) int {
	if d.of.each {
		return o.count(n)
	}
	return o.after(d.of.at, n)
}

// steps are the first steps of a run after the evaluation that something holds of: in its activation; else in the first that it called which
// has some.
func (d differing) steps(o *outcome, holds func(*node) bool) []*node {
	a, rest := o.since(d.of.at)
	if a == nil {
		return nil
	}
	var found []*node
	look := func(trace []visit) {
		for _, v := range trace {
			n := v.node
			if n.at == nil || n.cond != nil || len(found) == maxNew || slices.Contains(found, n) || !holds(n) {
				continue
			}
			switch n.at.(type) {
			case *ast.BlockStmt, *ast.RangeStmt, *ast.ForStmt: // what is in them says more
			default:
				found = append(found, n)
			}
		}
	}
	if look(rest[1:]); len(found) > 0 {
		return found
	}
	var called []*history.Activation
	for fn, acts := range o.byFunc {
		if o.program.funcs[fn] != nil {
			called = append(called, acts...)
		}
	}
	slices.SortFunc(called, func(x, y *history.Activation) int { return cmp.Compare(x.Start, y.Start) })
	for _, c := range called {
		if c.Start < rest[0].time || !below(c, a) {
			continue
		}
		if look(o.trace(c)); len(found) > 0 {
			break
		}
	}
	return found
}

// more are steps that had not run; else those that ran more often.
func (d differing) more() []*node {
	ran := d.base.executed()
	if list := d.steps(d.got, func(n *node) bool { return !ran[n] }); len(list) > 0 {
		return list
	}
	return d.steps(d.got, func(n *node) bool { return d.times(d.got, n) > d.times(d.base, n) })
}

// less are steps that ran less often.
func (d differing) less() []*node {
	return d.steps(d.base, func(n *node) bool { return d.times(d.got, n) < d.times(d.base, n) })
}

// next is the step that comes next, where all that differs is a value.
func (d differing) next() []*node {
	list := d.steps(d.got, func(*node) bool { return true })
	return list[:min(len(list), 1)]
}
