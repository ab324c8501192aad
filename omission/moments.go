package omission

import (
	"go/ast"
	"go/types"
	"math"
	"slices"
	"sort"

	"misstep/history"
)

// maxMoments is how many moments of a decision are kept, at least half of that if there are
// more; all are counted.
const maxMoments = 64

// A sample keeps some of many moments, evenly spread over them, with the first and the
// last.
type sample struct {
	kept   []Decided
	last   Decided
	seen   int
	stride int // one of so many is kept; 0 is each
}

func (s *sample) add(m Decided) {
	if s.stride == 0 {
		s.stride = 1
	}
	if s.seen%s.stride == 0 {
		if len(s.kept) == maxMoments {
			for i := range maxMoments / 2 {
				s.kept[i] = s.kept[2*i]
			}
			s.kept = s.kept[:maxMoments/2]
			s.stride *= 2
		}
		if s.seen%s.stride == 0 {
			s.kept = append(s.kept, m)
		}
	}
	s.seen++
	s.last = m
}

// list are the moments that were kept.
func (s *sample) list() []Decided {
	if n := len(s.kept); n > 0 && s.kept[n-1] != s.last {
		return append(slices.Clip(s.kept), s.last)
	}
	return s.kept
}

// moments are when an activation took a decision.
func (f *Finder) moments(fn *function, a *history.Activation, d decision, g goal, same bool, trace []visit, visits map[*node][]int, b *bundler) found {
	x := found{fn: fn, decision: d, goal: g, same: same, activation: a.Start}
	var times sample
	at := visits[d.node]
	if d.kind == "lost" || d.kind == "left" {
		at = at[len(at)-1:]
	}
	var held *sightings
	if g.operand != nil && !same && g.op.kind != Call && fn.varies(g.operand) && !fn.anew(d, g.node, fn.variable(g.operand)) {
		held = f.sightingsOf(fn, a, g.operand, visits)
	}
	for n, i := range at {
		if d.kind == "iteration" && (i+1 < len(trace) && trace[i+1].node == d.node.succs[d.alt] || fn.graph.executedBetween(trace, i, d.node, g.node)) {
			continue
		}
		took := taken(trace, i)
		unfit := d.unfits(took)
		if x.unfit && !unfit {
			continue
		}
		// Which object it was may change within an activation.
		is := false
		if held != nil {
			if t, ok := held.at(trace, i); ok {
				switch b.s.at(fn, t, g) {
				case other:
					continue
				case subject:
					is = true
				}
			}
		}
		if unfit && !x.unfit { // what came before does not count
			x.unfit, x.same, x.count, times = true, same, 0, sample{}
			x.cost = min(x.cost, 1) // as of a condition that did not hold
		}
		x.same = x.same || is
		x.count++
		times.add(Decided{Activation: a.Start, Time: trace[i].time, Evaluation: n + 1, taken: took})
	}
	x.times = times.list()
	return x
}

// unfits reports whether a switch that did not take a case, but should have, took none, or the default one.
func (d decision) unfits(taken int) bool {
	var body *ast.BlockStmt
	switch s := d.node.at.(type) {
	case *ast.SwitchStmt:
		body = s.Body
	case *ast.TypeSwitchStmt:
		body = s.Body
	default:
		return false
	}
	if d.alt < 0 || d.alt >= len(body.List) || body.List[d.alt].(*ast.CaseClause).List == nil || taken < 0 {
		return false
	}
	for i, next := range d.node.succs { // cases without statements look like none
		if i < len(body.List) && next == d.node.succs[taken] && body.List[i].(*ast.CaseClause).List != nil {
			return false
		}
	}
	return true
}

// anew reports whether a variable is assigned to on all ways from a decision to a goal, so
// that what it was before says nothing.
func (f *function) anew(d decision, goal *node, v types.Object) bool {
	if v == nil {
		return false
	}
	if _, head := d.node.at.(*ast.RangeStmt); head && d.node.assigns(f, v) {
		return true
	}
	seen := map[*node]bool{}
	stack := d.node.succs
	if d.alt >= 0 {
		stack = stack[d.alt : d.alt+1]
	}
	stack = slices.Clone(stack)
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n == goal {
			return false
		}
		if !seen[n] && !n.assigns(f, v) {
			seen[n] = true
			stack = append(stack, n.succs...)
		}
	}
	return true
}

// sightings tell what a variable, which is assigned to more than once, held when in an
// activation.
type sightings struct {
	a       *history.Activation
	given   []int   // where in the trace it is assigned to, in order
	touches []touch // of the objects that it was seen to hold
}

func (f *Finder) sightingsOf(fn *function, a *history.Activation, x ast.Expr, visits map[*node][]int) *sightings {
	h := &sightings{a: a}
	v := fn.variable(x)
	if v == nil {
		return f.sightingsOfField(fn, h, fn.field(x), visits)
	}
	for n, at := range visits {
		if n.assigns(fn, v) {
			h.given = append(h.given, at...)
		}
	}
	slices.Sort(h.given)
	value := ast.Unparen(fn.defs[v])
	for _, t := range f.events.touches[a] {
		if slices.Contains(f.events.uses[fn.id][v], t.site) || value != nil && f.events.exprs[t.site] == value {
			h.touches = append(h.touches, t)
		}
	}
	return h
}

// sightingsOfField are those of a field, by its text.
func (f *Finder) sightingsOfField(fn *function, h *sightings, text string, visits map[*node][]int) *sightings {
	if text == "" {
		return h
	}
	for n, at := range visits {
		if slices.ContainsFunc(n.stores(), func(to ast.Expr) bool { return fn.field(to) == text }) {
			h.given = append(h.given, at...)
		}
	}
	slices.Sort(h.given)
	for _, t := range f.events.touches[h.a] {
		if fn.field(f.events.exprs[t.site]) == text {
			h.touches = append(h.touches, t)
		}
	}
	return h
}

// at is which object it was at a visit, as far as it was seen since it was assigned last;
// false if that is not known.
func (h *sightings) at(trace []visit, i int) (touch, bool) {
	// The time of a visit is that of the last event before it that is not about an
	// object: its own events about objects come after that, up to the next time.
	from, to := h.a.Start, h.a.End
	next := sort.Search(len(trace)-i-1, func(k int) bool { return trace[i+1+k].time > trace[i].time })
	if i+1+next < len(trace) {
		to = trace[i+1+next].time
	}
	if k, found := slices.BinarySearch(h.given, i); found || k > 0 {
		if !found {
			k--
		}
		j := h.given[k]
		from = trace[j].time
		if _, head := trace[j].node.at.(*ast.RangeStmt); head && j+1 < len(trace) {
			from = trace[j+1].time // the body begins with an event
		}
	}
	if to < 0 {
		to = math.MaxInt64
	}
	n := sort.Search(len(h.touches), func(k int) bool { return h.touches[k].time > to })
	if n == 0 || h.touches[n-1].time <= from {
		return touch{}, false
	}
	return h.touches[n-1], true
}

// assigns reports whether a node assigns to a variable.
func (n *node) assigns(fn *function, v types.Object) bool {
	var list []ast.Expr
	switch s := n.at.(type) {
	case *ast.AssignStmt:
		list = s.Lhs
	case *ast.RangeStmt:
		list = []ast.Expr{s.Key, s.Value}
	}
	return slices.ContainsFunc(list, func(x ast.Expr) bool {
		id, ok := x.(*ast.Ident)
		return ok && fn.pkg.Info.ObjectOf(id) == v
	})
}

// taken is which successor came after a visit, or -1.
func taken(trace []visit, i int) int {
	if i+1 >= len(trace) {
		return -1
	}
	for n, s := range trace[i].node.succs {
		if s == trace[i+1].node {
			return n
		}
	}
	return -1
}
