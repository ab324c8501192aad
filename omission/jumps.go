package omission

import (
	"container/heap"
	"go/ast"
	"math"
	"slices"
)

// Untaken counts the ways of branches that ran which were never taken.
func (f *Finder) Untaken() int {
	taken := map[*node]map[*node]bool{}
	for _, a := range f.events.tree.Activations {
		fn := f.program.funcs[a.Func]
		if fn == nil {
			continue
		}
		trace := f.trace(fn, a)
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

// dominant are the executed branches from which a way leads to a node on which nothing
// was executed (section 3.3.2, DominantJumps), and the node in which control was lost
// by a panic or the program's end. The cost of a way counts the branches on it, those less that went this way elsewhere in the run,
// which used tells: they may well do so again.
func (g *graph) dominant(goal *node, executed []bool, lost *node, used edges) []decision {
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
				if !executed[p.index] && used[edge{p, alt}] {
					c = it.cost + usedWeight*p.ways()
				}
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

// An edge is one of the ways from a node; edges are those that were taken.
type edge struct {
	node *node
	alt  int
}

type edges map[edge]bool

// usedWeight is what a branch on a way counts that went so elsewhere.
const usedWeight = 0.25

// used are the ways that were taken in a run, which are looked for once.
func (f *Finder) used() edges {
	if f.taken != nil {
		return f.taken
	}
	f.taken = edges{}
	for _, a := range f.events.tree.Activations {
		fn := f.program.funcs[a.Func]
		if fn == nil {
			continue
		}
		trace := f.trace(fn, a)
		for i, v := range trace[:max(0, len(trace)-1)] {
			if v.node.distinct() < 2 {
				continue
			}
			for alt, s := range v.node.succs {
				if s == trace[i+1].node {
					f.taken[edge{v.node, alt}] = true
				}
			}
		}
	}
	return f.taken
}

// lostTo reports whether an activation that was left in a node, if it was, would have had a
// way to another.
func (g *graph) lostTo(lost, to *node) bool {
	return lost != nil && lost.distinct() < 2 && slices.ContainsFunc(lost.succs, func(s *node) bool { return g.leads(s, to, lost) })
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

// leads reports whether a way leads from a node to another without a third.
func (g *graph) leads(from, to, without *node) bool {
	k := [3]int{from.index, to.index, without.index}
	if known, ok := g.led[k]; ok {
		return known
	}
	if g.led == nil {
		g.led = map[[3]int]bool{}
	}
	g.led[k] = g.reaches(from, to, without)
	return g.led[k]
}

func (g *graph) reaches(from, to, without *node) bool {
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

// executedBetween reports whether a node was executed after a visit, before the next one
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
