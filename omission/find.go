package omission

import (
	"cmp"
	"container/heap"
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"math"
	"slices"
	"strings"

	"misstep/history"
)

// MaxCalls is how long call chains are by default (Sakurai and Masuhara, section 3.3.2).
const MaxCalls = 5

// A Finder finds omissions in a recorded run.
type Finder struct {
	plan    *history.Plan
	code    *history.Code
	program *program
	events  *events
	calls   map[int][]int64 // when the activations of functions began
}

// New reads a history, which has to be recorded with objects, for a program as it was
// recorded.
func New(r *history.Reader, rec *history.Recording, aliases Aliases) (*Finder, error) {
	ev, err := readEvents(r)
	if err != nil {
		return nil, err
	}
	code := rec.Code()
	f := &Finder{plan: r.Plan, code: code, program: newProgram(code, rec.Packages, aliases), events: ev}
	ev.locate(f.program)
	return f, nil
}

// Options say what is looked for.
type Options struct {
	// Calls is how long call chains are; 0 is MaxCalls.
	Calls int
	// Reads are wanted, too.
	Reads bool
}

// Recorded tells whether the run was recorded with objects.
func (f *Finder) Recorded() bool {
	return slices.ContainsFunc(f.plan.Sites, func(s history.Site) bool { return s.Kind.Object() })
}

// Untaken counts the ways of branches that ran which were never taken.
func (f *Finder) Untaken() int {
	taken := map[*node]map[*node]bool{}
	for _, a := range f.events.tree.Activations {
		fn := f.program.funcs[a.Func]
		if fn == nil {
			continue
		}
		trace := fn.trace(f.code, a)
		for i, v := range trace {
			if v.node.distinct() < 2 {
				continue
			}
			if taken[v.node] == nil {
				taken[v.node] = map[*node]bool{}
			}
			if i+1 < len(trace) {
				taken[v.node][trace[i+1].node] = true
			}
		}
	}
	n := 0
	for v, ways := range taken {
		n += max(0, v.distinct()-len(ways))
	}
	return n
}

func parseExpr(text string) (ast.Expr, error) { return parser.ParseExpr(text) }

// A decision is a branch that kept control from a goal.
type decision struct {
	node *node
	alt  int     // which successor leads there; -1 where control was lost in the node
	cost float64 // how many ways there are beside that one, as a logarithm
	kind string  // of decisions without an alternative: lost, dispatch; of others iteration or empty
	// loops tells that the operation happened in the same activation, again that it
	// happened to the subject.
	loops, again bool
}

// found is a decision in activations.
type found struct {
	fn *function
	decision
	goal  goal
	same  bool // the object is known to be the subject
	loops bool // the operation happened in the same activation
	again bool // … to the subject
	times []Moment
	// activation is the beginning of the activation.
	activation int64
	count      int
}

// Find finds the operations on the subject that did not happen.
func (f *Finder) Find(ctx context.Context, s *Subject, opts Options) ([]*Balloon, error) {
	calls := opts.Calls
	if calls == 0 {
		calls = MaxCalls
	}
	e := newEffects(f.program, s)
	b := &bundler{f: f, s: s, ops: map[ast.Node]*Operation{}, branches: map[*Operation]map[branchKey]*Branch{}, ran: f.ran(e, s)}
	byFunc := map[int][]*history.Activation{}
	for _, a := range f.events.tree.Activations {
		byFunc[a.Func] = append(byFunc[a.Func], a)
	}
	for _, fn := range f.program.funcs {
		if fn == nil || len(byFunc[fn.id]) == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		goals := e.goals(fn, calls-1)
		if !opts.Reads {
			goals = slices.DeleteFunc(goals, func(g goal) bool { return g.op.kind == Read })
		}
		if len(goals) == 0 {
			continue
		}
		slices.SortStableFunc(goals, func(a, b goal) int {
			return cmp.Or(cmp.Compare(a.node.index, b.node.index), cmp.Compare(a.distance, b.distance), cmp.Compare(a.op.expr.Pos(), b.op.expr.Pos()))
		})
		f.search(fn, goals, byFunc[fn.id], b)
	}
	return b.result(), nil
}

// search looks for decisions in all activations of a function.
func (f *Finder) search(fn *function, goals []goal, acts []*history.Activation, b *bundler) {
	// What follows from which nodes were executed is the same for many activations.
	memo := map[string]map[*node][]decision{}
	for _, a := range acts {
		trace := fn.trace(f.code, a)
		if len(trace) == 0 {
			continue
		}
		executed := make([]bool, len(fn.graph.nodes))
		signature := make([]byte, len(fn.graph.nodes)+1)
		for _, v := range trace {
			executed[v.node.index] = true
			signature[v.node.index] = 1
		}
		lost := trace[len(trace)-1].node
		if lost == fn.graph.exit {
			lost = nil
		} else {
			signature[len(signature)-1] = byte(1 + lost.index%250)
		}
		known := memo[string(signature)]
		if known == nil {
			known = map[*node][]decision{}
			memo[string(signature)] = known
		}
		visits := map[*node][]int{}
		for i, v := range trace {
			visits[v.node] = append(visits[v.node], i)
		}
		for _, g := range goals {
			same := g.op.kind == Call && g.call == nil
			if v := f.variableOf(fn, g.operand); v != nil && b.s.Vars[v] {
				same = true
			} else if g.operand != nil && g.op.kind != Call && !fn.varies(g.operand) {
				if i := f.events.is(f.program, a, g.operand, a.End); i != nil {
					if !b.s.Instances[i] {
						continue
					}
					same = true
				}
			}
			if executed[g.node.index] {
				for _, d := range f.elsewhere(fn, a, g, trace, visits, lost, b) {
					b.add(f.moments(fn, a, d, g, same, trace, visits, b))
				}
				continue
			}
			list, ok := known[g.node]
			if !ok {
				list = fn.graph.dominant(g.node, executed, lost)
				known[g.node] = list
			}
			if lost != nil && !slices.ContainsFunc(list, func(d decision) bool { return d.kind == "lost" }) && lost.distinct() < 2 {
				for _, s := range lost.succs {
					if fn.graph.leads(s, g.node, lost) {
						list = append(slices.Clip(list), decision{node: lost, alt: -1, kind: "lost"})
						break
					}
				}
			}
			for _, d := range list {
				b.add(f.moments(fn, a, d, g, same, trace, visits, b))
			}
		}
	}
}

func (f *Finder) variableOf(fn *function, x ast.Expr) types.Object {
	if x == nil {
		return nil
	}
	x = ast.Unparen(x)
	if u, ok := x.(*ast.UnaryExpr); ok && u.Op == token.AND {
		x = ast.Unparen(u.X)
	}
	if id, ok := x.(*ast.Ident); ok {
		return fn.pkg.Info.ObjectOf(id)
	}
	return nil
}

// dominant are the executed branches from which a way leads to a node on which nothing
// was executed (section 3.3.2, DominantJumps), and the node in which control was lost
// by a panic or the program's end. The cost of a way counts the branches on it.
func (g *graph) dominant(goal *node, executed []bool, lost *node) []decision {
	preds := g.predecessors()
	cost := map[*node]float64{goal: 0}
	q := &queue{{goal, 0}}
	found := map[*node]decision{}
	for q.Len() > 0 {
		it := heap.Pop(q).(item)
		if it.cost > cost[it.node] {
			continue
		}
		for _, p := range preds[it.node.index] {
			for alt, s := range p.succs {
				if s != it.node {
					continue
				}
				c := it.cost + p.ways()
				if executed[p.index] {
					d := decision{node: p, alt: alt, cost: c}
					if p.distinct() < 2 {
						if p != lost {
							continue
						}
						d.alt, d.kind = -1, "lost"
					}
					if old, ok := found[p]; !ok || c < old.cost {
						found[p] = d
					}
					continue
				}
				if old, ok := cost[p]; !ok || c < old {
					cost[p] = c
					heap.Push(q, item{p, c})
				}
			}
		}
	}
	var list []decision
	for _, n := range g.nodes {
		if d, ok := found[n]; ok {
			list = append(list, d)
		}
	}
	return list
}

// ways is how many ways there are from a node beside one of them, as a logarithm to the
// base 2 of all: 0 where there is one, 1 of a condition.
func (n *node) ways() float64 {
	if k := n.distinct(); k > 1 {
		return math.Log2(float64(k))
	}
	return 0
}

// distinct is how many successors a node has.
func (n *node) distinct() int {
	seen := map[*node]bool{}
	for _, s := range n.succs {
		seen[s] = true
	}
	if _, ok := n.at.(*ast.RangeStmt); ok {
		return min(len(seen), 2) // another iteration or none
	}
	return len(seen)
}

func (g *graph) predecessors() [][]*node {
	if g.preds == nil {
		g.preds = make([][]*node, len(g.nodes))
		for _, n := range g.nodes {
			seen := map[*node]bool{}
			for _, s := range n.succs {
				if !seen[s] {
					seen[s] = true
					g.preds[s.index] = append(g.preds[s.index], n)
				}
			}
		}
	}
	return g.preds
}

type item struct {
	node *node
	cost float64
}

type queue []item

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].cost < q[j].cost }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(item)) }
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

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
		for _, t := range f.events.touches[a] {
			if f.events.exprs[t.site] == g.operand {
				again = again || b.s.Instances[t.of]
				others = true
			}
		}
		if !others {
			v := f.variableOf(fn, g.operand)
			again = v != nil && b.s.Vars[v]
			if !again && fn.varies(g.operand) {
				return list // it is not known what it happened to
			}
			again = true
		}
	}
	for _, n := range fn.graph.nodes {
		if len(visits[n]) == 0 || n.distinct() < 2 {
			continue
		}
		if _, head := n.at.(*ast.RangeStmt); head {
			continue // each range comes to an end
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
				list = append(list, decision{node: n, alt: alt, cost: n.ways() + 1, kind: "iteration", loops: true, again: again})
				break
			}
		}
	}
	if len(list) > 1 && list[0].kind == "dispatch" {
		list[0].cost += dispatchInLoop
	}
	if lost != nil && lost.distinct() < 2 {
		for _, s := range lost.succs {
			if fn.graph.leads(s, g.node, lost) {
				list = append(list, decision{node: lost, alt: -1, kind: "lost", loops: true, again: again})
				break
			}
		}
	}
	return list
}

// dispatchInLoop is added to the cost of a call that went to another function where a
// branch kept it from being made once more.
const dispatchInLoop = 4

// went tells whether a call went to functions of some kind, and to others.
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

// leads tells whether a way leads from a node to another without a third.
func (g *graph) leads(from, to, without *node) bool {
	k := [3]int{from.index, to.index, without.index}
	if known, ok := g.ways[k]; ok {
		return known
	}
	if g.ways == nil {
		g.ways = map[[3]int]bool{}
	}
	g.ways[k] = g.search(from, to, without)
	return g.ways[k]
}

func (g *graph) search(from, to, without *node) bool {
	seen := map[*node]bool{without: true}
	stack := []*node{from}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n == to {
			return true
		}
		if seen[n] {
			continue
		}
		seen[n] = true
		stack = append(stack, n.succs...)
	}
	return false
}

// executedBetween tells whether a node was executed after a visit, before the next one
// of the same branch.
func (g *graph) executedBetween(trace []visit, i int, branch, goal *node) bool {
	for _, v := range trace[i+1:] {
		if v.node == goal {
			return true
		}
		if v.node == branch {
			return false
		}
	}
	return false
}

// maxMoments is how many moments of a decision are kept; all are counted.
const maxMoments = 16

// moments are when an activation took a decision.
func (f *Finder) moments(fn *function, a *history.Activation, d decision, g goal, same bool, trace []visit, visits map[*node][]int, b *bundler) found {
	x := found{fn: fn, decision: d, goal: g, same: same, loops: d.loops, again: d.again, activation: a.Start}
	at := visits[d.node]
	if d.kind == "lost" {
		at = at[len(at)-1:]
	}
	for n, i := range at {
		if d.kind == "iteration" && (i+1 < len(trace) && trace[i+1].node == d.node.succs[d.alt] || fn.graph.executedBetween(trace, i, d.node, g.node)) {
			continue
		}
		// Which object it was may change within an activation.
		if g.operand != nil && !same && g.op.kind != Call && fn.varies(g.operand) && !fn.anew(d, g.node, f.variableOf(fn, g.operand)) {
			if i := f.then(fn, a, g.operand, trace, i); i != nil {
				if !b.s.Instances[i] {
					continue
				}
				x.same = true
			}
		}
		x.count++
		if len(x.times) < maxMoments {
			x.times = append(x.times, Moment{Activation: a.Start, Time: trace[i].time, Evaluation: n + 1, taken: taken(trace, i)})
		}
	}
	return x
}

// anew tells whether a variable is assigned to on all ways from a decision to a goal, so
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

// then is which object an expression, whose variable is assigned to more than once, was
// at a visit: as it was seen since it was assigned last. It is nil if that is not known.
func (f *Finder) then(fn *function, a *history.Activation, x ast.Expr, trace []visit, i int) *history.Instance {
	v := f.variableOf(fn, x)
	if v == nil {
		return nil
	}
	// The time of a visit is that of the last event before it that is not about an
	// object: its own events about objects come after that, up to the next time.
	from, to := a.Start, a.End
	for _, next := range trace[i+1:] {
		if next.time > trace[i].time {
			to = next.time
			break
		}
	}
	for j := i; j >= 0; j-- {
		if n := trace[j].node; n.assigns(fn, v) {
			from = trace[j].time
			if _, head := n.at.(*ast.RangeStmt); head && j+1 < len(trace) {
				from = trace[j+1].time // the body begins with an event
			}
			break
		}
	}
	if to < 0 {
		to = math.MaxInt64
	}
	t, ok := pick(f.events.touches[a], to, false, func(t touch) bool {
		if t.time <= from {
			return false
		}
		given := fn.defs[v]
		return slices.Contains(f.events.uses[fn.id][v], t.site) || given != nil && f.events.exprs[t.site] == ast.Unparen(given)
	})
	if !ok {
		return nil
	}
	return t.of
}

// assigns tells whether a node assigns to a variable.
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

// ran counts how often operations happened to the subject.
func (f *Finder) ran(e *effects, s *Subject) map[ast.Expr]int {
	n := map[ast.Expr]int{}
	for _, list := range f.events.touches {
		for _, t := range list {
			if s.Instances[t.of] {
				n[f.events.exprs[t.site]]++
			}
		}
	}
	return n
}

func lineText(text string) string { return strings.Join(strings.Fields(text), " ") }
