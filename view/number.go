package view

import (
	"cmp"
	"maps"
	"slices"
)

// number gives the rows the order in which the page has them: the children of a row
// follow each other, and its descendants come after them.
func (p *pageData) number(b *builder) {
	rows := b.rows
	// Children, in the order in which they were made, parent by parent.
	starts := make([]int32, len(rows)+2) // of the children of row n-1
	for _, r := range rows {
		starts[r.parent+2]++
	}
	for i := 1; i < len(starts); i++ {
		starts[i] += starts[i-1]
	}
	children := make([]int32, len(rows))
	fill := slices.Clone(starts)
	for i, r := range rows {
		children[fill[r.parent+1]] = int32(i)
		fill[r.parent+1]++
	}
	of := func(row int32) []int32 { return children[starts[row+1]:starts[row+2]] }
	// Activations end up beside each other; what is to be visited next is on top.
	order := make([]int32, 0, len(rows)) // old numbers
	renamed := make([]int32, len(rows))
	var stack []int32
	place := func(row int32) {
		list := of(row)
		for _, c := range list {
			renamed[c] = int32(len(order))
			order = append(order, c)
		}
		for _, c := range slices.Backward(list) {
			if len(of(c)) > 0 {
				stack = append(stack, c)
			}
		}
	}
	place(-1)
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		place(top)
	}
	p.rows = make([]row, len(rows))
	for n, old := range order {
		r := rows[old]
		if r.parent >= 0 {
			r.parent = renamed[r.parent]
		}
		if list := of(old); len(list) > 0 {
			r.first, r.size = renamed[list[0]], int32(len(list))
		}
		p.rows[n] = r
	}
	counts := map[int32]int{}
	for _, list := range b.placed {
		var mine []int32
		for _, old := range list {
			mine = append(mine, renamed[old])
			for r := p.rows[renamed[old]].parent; r >= 0; r = p.rows[r].parent {
				counts[r]++
			}
		}
		p.balloons = append(p.balloons, mine)
	}
	for _, row := range slices.SortedFunc(maps.Keys(counts), cmp.Compare) {
		p.badges = append(p.badges, badge{row, counts[row]})
	}
}

// A badge is how many balloons are below a row.
type badge struct {
	row   int32
	count int
}
