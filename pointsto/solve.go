package pointsto

import (
	"container/heap"

	"golang.org/x/tools/container/intsets"
)

// queue has the slots that have something to pass on, those first from which most
// others follow, so that these have all of it when it is their turn.
type queue struct {
	a     *analysis
	slots []int32
}

func (q *queue) Len() int { return len(q.slots) }
func (q *queue) Less(i, k int) bool {
	x, y := q.slots[i], q.slots[k]
	if rx, ry := q.a.slots[x].rank, q.a.slots[y].rank; rx != ry {
		return rx < ry
	}
	if q.a.backwards {
		return x > y
	}
	return x < y
}
func (q *queue) Swap(i, k int) { q.slots[i], q.slots[k] = q.slots[k], q.slots[i] }
func (q *queue) Push(x any)    { q.slots = append(q.slots, x.(int32)) }
func (q *queue) Pop() any {
	last := q.slots[len(q.slots)-1]
	q.slots = q.slots[:len(q.slots)-1]
	return last
}

func (a *analysis) enqueue(i int) {
	if s := a.slots[i]; !s.queued {
		s.queued = true
		heap.Push(&a.queue, int32(i))
	}
}

// solve passes on what is new until nothing is, and takes in the functions that are
// found on the way. Slots that are copies of each other in a circle are made one now
// and then, as otherwise all that one of them gets runs round.
func (a *analysis) solve() {
	var targets, copies []int
	limit := 1 << 14
	for steps := 0; len(a.queue.slots) > 0 || len(a.pending) > 0; steps++ {
		if steps%256 == 0 && a.ctx != nil && a.ctx.Err() != nil {
			a.stopped = true
			return
		}
		if n := len(a.pending); n > 0 {
			f := a.pending[n-1]
			a.pending = a.pending[:n-1]
			a.body(f)
			continue
		}
		if (a.passed > limit || a.often) && !a.plain {
			a.collapse()
			a.passed = 0
			limit = max(limit, a.edges)
		}
		i := int(heap.Pop(&a.queue).(int32))
		s := a.slots[i]
		s.queued = false
		fresh := s.fresh
		if a.find(i) != i || fresh == nil || fresh.IsEmpty() {
			continue
		}
		// Uses that come in meanwhile are given all.
		s.fresh = nil
		if s.copies != nil {
			copies = s.copies.AppendTo(copies[:0])
			for _, dst := range copies {
				a.passed++
				to := a.find(dst)
				if to != dst {
					s.copies.Remove(dst)
					if to == i || !s.copies.Insert(to) {
						a.edges--
						continue
					}
				}
				a.add(to, fresh)
			}
		}
		if len(s.uses) > 0 {
			targets = fresh.AppendTo(targets[:0])
			for _, u := range s.uses[:len(s.uses):len(s.uses)] {
				a.passed++
				for _, t := range targets {
					u.apply(a, t)
				}
			}
		}
	}
}

// unite makes two slots one, which hold the same as each is a copy of the other.
func (a *analysis) unite(i, k int) {
	i, k = a.find(i), a.find(k)
	if i == k {
		return
	}
	s, t := a.slots[i], a.slots[k]
	t.same = int32(i)
	// What the uses of one were given, those of the other were not.
	given := func(s *slot) *intsets.Sparse {
		g := &intsets.Sparse{}
		if s.pts != nil {
			g.Copy(s.pts)
		}
		if s.fresh != nil {
			g.DifferenceWith(s.fresh)
		}
		return g
	}
	both := given(s)
	both.IntersectionWith(given(t))
	s.pts = union(s.pts, t.pts)
	s.copies = union(s.copies, t.copies)
	if s.pts != nil {
		s.fresh = &intsets.Sparse{}
		s.fresh.Difference(s.pts, both)
		if !s.fresh.IsEmpty() {
			a.enqueue(i)
		}
	}
	if len(s.uses) > 0 && len(t.uses) > 0 {
		seen := make(map[use]bool, len(s.uses))
		for _, u := range s.uses {
			seen[u] = true
		}
		for _, u := range t.uses {
			if !seen[u] {
				seen[u] = true
				s.uses = append(s.uses, u)
			}
		}
	} else {
		s.uses = append(s.uses, t.uses...)
	}
	t.pts, t.fresh, t.copies, t.uses = nil, nil, nil, nil
}

func union(x, y *intsets.Sparse) *intsets.Sparse {
	switch {
	case x == nil:
		return y
	case y != nil:
		x.UnionWith(y)
	}
	return x
}
