package omission

import (
	"cmp"
	"go/ast"
	"go/token"

	"misstep/internal/source"
)

// The weights of a ranking, in the unit of one condition that would have to be other
// than it was.
const (
	keepWeight     = 2.0 // it puts the object somewhere, and does not change it
	readWeight     = 6.0
	maybeWeight    = 2.0 // the object may be another
	ranWeight      = 3.0 // it happened to the object elsewhere
	distanceWeight = 1.5 // for each call
	depthWeight    = 0.5 // for each call further in which a call does what it does with the object
	loopWeight     = 2.0 // it happened in the same activation to another object
	againWeight    = 1.0 // … and to the subject, in another iteration
	copyWeight     = 1.0 // the object was copied into the subject later
	backWeight     = 4.0 // a function that is not recorded would have had to call back, and was not given it there
	ownerWeight    = 1.0 // the condition reads what the operation names: it comes first
	errorWeight    = 3.0 // it is what is done about an error, and there was none, or it would be one
)

// score is how far an operation is from what happened: the conditions that would have
// to be otherwise, the calls between, and what speaks against it.
func (b *bundler) score(x found, a *Operation) float64 {
	s := x.cost + distanceWeight*float64(x.goal.distance) + depthWeight*float64(x.goal.op.depth)
	switch x.goal.op.kind {
	case Keep, Held:
		if !x.goal.op.dropped {
			s += keepWeight
		}
	case Read:
		s += readWeight
	}
	if !x.same {
		s += maybeWeight
	}
	if a.Ran > 0 {
		s += ranWeight
	}
	if x.loops {
		s += loopWeight
	}
	if x.again {
		s += againWeight
	}
	if c := x.goal.call; c != nil && b.f.program.callsBack(x.fn, c, x.goal.callee) {
		s += backWeight
	}
	if x.node.cond != nil && b.reads(x) {
		s -= ownerWeight
	}
	if x.wantsError() || x.goal.op.complains() {
		s += errorWeight
	}
	return s
}

// wantsError reports whether a decision would have had to find an error where there was none.
func (x found) wantsError() bool {
	c, ok := ast.Unparen(x.node.cond).(*ast.BinaryExpr)
	if !ok || c.Op != token.NEQ && c.Op != token.EQL {
		return false
	}
	info := x.fn.pkg.Info
	err, null := c.X, c.Y
	if info.Types[err].IsNil() {
		err, null = null, err
	}
	if t := info.TypeOf(err); !info.Types[null].IsNil() || t == nil || !isError(t) {
		return false
	}
	return (x.alt == 0) == (c.Op == token.NEQ)
}

// reads reports whether a condition reads something of what the operation's object is
// reached through: the variable at the root of the operand.
func (b *bundler) reads(x found) bool {
	if x.goal.operand == nil {
		return false
	}
	root := source.Root(x.goal.operand)
	if root == nil {
		return false
	}
	v := x.fn.pkg.Info.ObjectOf(root)
	return v != nil && mentions(x.fn, x.node.cond, v)
}

// compareBranches orders branches, but for those that judge the run, which come last, by what inverting them showed, or what they depend on, and by how near they are. Those of what was written to the object come
// after those of the object itself, unless inverting them does what is wanted.
func compareBranches(x, y *Branch) int {
	return cmp.Or(compareBools(x.judges, y.judges), compareBools(x.remote(), y.remote()), cmp.Compare(x.order(), y.order()), cmp.Compare(x.own(), y.own()), cmp.Compare(x.score, y.score), cmp.Compare(x.Count, y.Count), comparePlaces(x.Place, y.Place), cmp.Compare(x.Outcome, y.Outcome))
}

func compareBools(x, y bool) int {
	switch {
	case x == y:
		return 0
	case y:
		return -1
	}
	return 1
}

// remote reports whether a branch is of what was written to the object, and nothing shows that it matters.
func (b *Branch) remote() bool { return b.far && b.order() > 1 }

// own is 1 if inverting a branch itself was seen to make nothing happen, and 0 otherwise.
func (b *Branch) own() int {
	if b.Verdict != nil && b.Verdict.order() > untried {
		return 1
	}
	return 0
}

// order is where a branch stands by what its inversion showed, or that of one which it
// depends on.
func (b *Branch) order() int {
	best := untried
	if b.observes {
		return best
	}
	if b.Verdict != nil {
		best = b.Verdict.order()
		if b.complains && best == printed {
			best = untried // that a complaint is printed is not what was missing
		}
	}
	b.each(func(br *Branch, hops int) {
		if v := br.Verdict; hops > 0 && v != nil && v.Happens {
			best = min(best, v.order())
		}
	})
	return best
}

// each yields a branch and those that it depends on by what was given, with how many steps there are to them: where a constant was given, what led there is
// told, and no more.
func (b *Branch) each(yield func(br *Branch, hops int)) {
	yield(b, 0)
	var reasons func(list []*Reason, hops int)
	reasons = func(list []*Reason, hops int) {
		for _, r := range list {
			if r.Branch != nil {
				yield(r.Branch, hops)
			}
			if !r.led {
				reasons(r.Why, hops+1)
			}
		}
	}
	reasons(b.Why, 1)
}

func comparePlaces(a, b Position) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}
