package pointsto

import "container/heap"

// collapse makes each circle of copies one slot (Tarjan's algorithm, without
// recursion), and ranks the slots in the direction of the copies.
func (a *analysis) collapse() {
	const unseen = 0
	n := len(a.slots)
	index, low := make([]int32, n), make([]int32, n)
	on := make([]bool, n)
	var stack []int
	next, rank := int32(1), int32(n)
	type frame struct {
		at   int
		left []int
	}
	var work []frame
	open := func(i int) {
		index[i], low[i] = next, next
		next++
		stack = append(stack, i)
		on[i] = true
		f := frame{at: i}
		if c := a.slots[i].copies; c != nil {
			f.left = c.AppendTo(nil)
		}
		work = append(work, f)
	}
	for root := range n {
		if int(a.slots[root].same) != root || index[root] != unseen || a.slots[root].copies == nil {
			continue
		}
		open(root)
		for len(work) > 0 {
			f := &work[len(work)-1]
			if len(f.left) > 0 {
				to := a.find(f.left[0])
				f.left = f.left[1:]
				if index[to] == unseen {
					open(to)
				} else if on[to] {
					low[f.at] = min(low[f.at], index[to])
				}
				continue
			}
			i := f.at
			work = work[:len(work)-1]
			if len(work) > 0 {
				up := work[len(work)-1].at
				low[up] = min(low[up], low[i])
			}
			if low[i] != index[i] {
				continue
			}
			// A circle is done after all that follows from it.
			rank--
			for {
				k := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				on[k] = false
				if k == i {
					break
				}
				a.unite(i, k)
			}
			a.slots[a.find(i)].rank = rank
		}
	}
	heap.Init(&a.queue)
}
