package pointsto

import (
	"go/types"

	"golang.org/x/tools/container/intsets"
	"golang.org/x/tools/go/ssa"
)

// A slot is a variable of the constraints, or part of an object, or both.
type slot struct {
	pts, done intsets.Sparse // all it points to; what of that was passed on
	copies    intsets.Sparse // slots that hold all that this one holds
	uses      []use          // what happens with what it points to
	queued    bool
	same      int32 // the slot that stands for this one, as both hold the same; or itself
}

// A use is a constraint that depends on what a slot points to. It is given each
// target once.
type use func(a *analysis, target int)

// An Object is something that can be pointed to: what an instruction allocates, a
// variable of a package, a function, the value in an interface.
type Object struct {
	// At is the instruction, global or function that the object stems from; nil for the
	// analysis' own.
	At ssa.Value
	// Instr is the call to append or the MakeInterface, which allocate besides having a
	// value of their own.
	Instr ssa.Instruction
	Type  types.Type
	// Tag tells that it is the value in an interface.
	Tag bool
	// Fn is the function, of a function's object.
	Fn *ssa.Function

	start, size int
}

type analysis struct {
	prog *ssa.Program
	lay  layouts

	slots   []*slot
	objects []*Object
	owner   []int32 // of each slot, the object and one; 0 for none
	queue   []int

	values   map[ssa.Value]int
	globals  map[ssa.Value]*Object
	funcs    map[*ssa.Function]*function
	pending  []*ssa.Function
	callees  map[ssa.CallInstruction]map[*ssa.Function]bool
	panics   int // what is thrown
	pool     int // what is in any sync.Pool
	reflects int // what went into reflect.ValueOf
}

// function is a function that is called.
type function struct {
	fn      *ssa.Function
	object  *Object
	results int
	taken   bool
}

// row makes n slots and returns the first.
func (a *analysis) row(n int) int {
	at := len(a.slots)
	for range n {
		a.slots = append(a.slots, &slot{same: int32(len(a.slots))})
		a.owner = append(a.owner, 0)
	}
	return at
}

// object makes an object with n slots.
func (a *analysis) object(o *Object, n int) *Object {
	o.start, o.size = a.row(n), n
	a.objects = append(a.objects, o)
	for i := range n {
		a.owner[o.start+i] = int32(len(a.objects))
	}
	return o
}

// of is the object that a slot belongs to, or nil.
func (a *analysis) of(slot int) *Object {
	if i := a.owner[slot]; i > 0 {
		return a.objects[i-1]
	}
	return nil
}

// find is the slot that stands for a slot.
func (a *analysis) find(i int) int {
	for int(a.slots[i].same) != i {
		up := a.slots[i].same
		a.slots[i].same = a.slots[up].same
		i = int(up)
	}
	return i
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
	s.pts.UnionWith(&t.pts)
	s.done.IntersectionWith(&t.done)
	s.copies.UnionWith(&t.copies)
	s.uses = append(s.uses, t.uses...)
	t.pts.Clear()
	t.done.Clear()
	t.copies.Clear()
	t.uses = nil
	a.enqueue(i)
}

func (a *analysis) enqueue(i int) {
	i = a.find(i)
	if s := a.slots[i]; !s.queued {
		s.queued = true
		a.queue = append(a.queue, i)
	}
}

// point adds a target to a slot.
func (a *analysis) point(dst, target int) {
	dst = a.find(dst)
	if a.slots[dst].pts.Insert(target) {
		a.enqueue(dst)
	}
}

// copy makes a slot hold what another does.
func (a *analysis) copy(dst, src int) {
	dst, src = a.find(dst), a.find(src)
	if dst == src || !a.slots[src].copies.Insert(dst) {
		return
	}
	if a.slots[dst].pts.UnionWith(&a.slots[src].pts) {
		a.enqueue(dst)
	}
}

// copies makes a row of slots hold what another does.
func (a *analysis) copyRow(dst, src, n int) {
	for i := range n {
		a.copy(dst+i, src+i)
	}
}

// on does something with each target that a slot has or gets.
func (a *analysis) on(src int, u use) {
	s := a.slots[a.find(src)]
	s.uses = append(s.uses, u)
	for _, t := range s.done.AppendTo(nil) {
		u(a, t)
	}
}

// load makes a row hold what lies at an offset of what a slot points to.
func (a *analysis) load(dst, src, offset, n int) {
	a.on(src, func(a *analysis, t int) {
		for i := range n {
			if a.inside(t, offset+i) {
				a.copy(dst+i, t+offset+i)
			}
		}
	})
}

// store puts a row to an offset of what a slot points to.
func (a *analysis) store(dst, offset, src, n int) {
	a.on(dst, func(a *analysis, t int) {
		for i := range n {
			if a.inside(t, offset+i) {
				a.copy(t+offset+i, src+i)
			}
		}
	})
}

// shift makes a slot point to what lies at an offset of what another points to.
func (a *analysis) shift(dst, src, offset int) {
	if offset == 0 {
		a.copy(dst, src)
		return
	}
	a.on(src, func(a *analysis, t int) {
		if a.inside(t, offset) {
			a.point(dst, t+offset)
		}
	})
}

// inside tells whether an offset from a slot is still in the slot's object. Where a
// pointer was converted to one of another type it may not be.
func (a *analysis) inside(t, offset int) bool {
	o := a.of(t)
	return o != nil && t+offset < o.start+o.size
}

// solve passes on what is new until nothing is, and takes in the functions that are
// found on the way. Slots that are copies of each other in a circle are made one now
// and then (Tarjan's algorithm over the copies), as otherwise all that one of them gets
// runs round.
func (a *analysis) solve() {
	var fresh intsets.Sparse
	var targets, copies []int
	passed, limit := 0, 1<<14
	for len(a.queue) > 0 || len(a.pending) > 0 {
		if len(a.pending) > 0 {
			fn := a.pending[len(a.pending)-1]
			a.pending = a.pending[:len(a.pending)-1]
			a.body(fn)
			continue
		}
		if passed > limit {
			a.collapse()
			passed, limit = 0, max(limit, len(a.slots)/4)
		}
		i := a.queue[0]
		a.queue = a.queue[1:]
		s := a.slots[i]
		s.queued = false
		if a.find(i) != i {
			continue
		}
		fresh.Difference(&s.pts, &s.done)
		if fresh.IsEmpty() {
			continue
		}
		s.done.Copy(&s.pts)
		targets = fresh.AppendTo(targets[:0])
		copies = s.copies.AppendTo(copies[:0])
		for _, dst := range copies {
			passed++
			to := a.find(dst)
			if to != dst {
				s.copies.Remove(dst)
				if to == i {
					continue
				}
				s.copies.Insert(to)
			}
			if a.slots[to].pts.UnionWith(&fresh) {
				a.enqueue(to)
			}
		}
		// A use may add others to the slot, which have seen these targets already.
		for _, u := range s.uses[:len(s.uses):len(s.uses)] {
			for _, t := range targets {
				u(a, t)
			}
		}
	}
}

// collapse makes each circle of copies one slot.
func (a *analysis) collapse() {
	const unseen = 0
	index, low := make([]int32, len(a.slots)), make([]int32, len(a.slots))
	on := make([]bool, len(a.slots))
	var stack []int
	next := int32(1)
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
		work = append(work, frame{i, a.slots[i].copies.AppendTo(nil)})
	}
	for root := range a.slots {
		if int(a.slots[root].same) != root || index[root] != unseen || a.slots[root].copies.IsEmpty() {
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
			for {
				k := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				on[k] = false
				if k == i {
					break
				}
				a.unite(i, k)
			}
		}
	}
}
