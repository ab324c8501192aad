package pointsto

import "golang.org/x/tools/container/intsets"

// A slot is a variable of the constraints, or part of an object, or both. Sets are nil
// while they are empty.
type slot struct {
	pts   *intsets.Sparse // all targets
	fresh *intsets.Sparse // those of them that were not passed on yet
	// copies are the slots that hold all that this one holds.
	copies *intsets.Sparse
	uses   []use
	rank   int32 // its place among the slots, in the direction of the copies
	same   int32 // the slot that stands for this one, as both hold the same; or itself
	void   bool  // holds nothing, ever
	queued bool
}

// A use is a constraint that depends on what a slot points to. It is given each target
// once or more often. Uses that are equal do the same.
type use interface {
	apply(a *analysis, target int)
}

// row makes n slots and returns the first.
func (a *analysis) row(n int) int {
	at := len(a.slots)
	for range n {
		if len(a.chunk) == 0 {
			a.chunk = make([]slot, 1024)
		}
		s := &a.chunk[0]
		a.chunk = a.chunk[1:]
		s.same = int32(len(a.slots))
		a.slots = append(a.slots, s)
	}
	return at
}

// nothing is a row of slots that never hold anything.
func (a *analysis) nothing(n int) int {
	if n > a.nothings {
		a.nothings = max(n, 64)
		a.nothingAt = a.row(a.nothings)
		for i := range a.nothings {
			a.slots[a.nothingAt+i].void = true
		}
	}
	return a.nothingAt
}

// object makes an object of a layout, with its slots and targets.
func (a *analysis) object(o *Object, lay *layout) *Object {
	o.ID, o.lay = len(a.objects), lay
	o.start, o.first = a.row(lay.size), len(a.owners)
	a.objects = append(a.objects, o)
	for range lay.size {
		a.owners = append(a.owners, int32(o.ID))
	}
	return o
}

// of is the object that a target belongs to.
func (a *analysis) of(target int) *Object { return a.objects[a.owners[target]] }

// at is the slot at an offset from a target, or -1 if that is not in the target's
// object, as may be where a pointer was converted to one of another type.
func (a *analysis) at(target, offset int) int {
	o := a.of(target)
	i := target - o.first + offset
	if i >= o.lay.size {
		return -1
	}
	return o.start + i
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

// point adds a target to a slot.
func (a *analysis) point(dst, target int) {
	dst = a.find(dst)
	s := a.slots[dst]
	if s.void {
		return
	}
	if s.pts == nil {
		s.pts = &intsets.Sparse{}
	}
	if s.pts.Insert(target) {
		if s.fresh == nil {
			s.fresh = &intsets.Sparse{}
		}
		s.fresh.Insert(target)
		a.enqueue(dst)
	}
}

// add adds a set of targets to a slot, which stands for itself.
func (a *analysis) add(dst int, set *intsets.Sparse) {
	s := a.slots[dst]
	if s.void || set == nil || set.IsEmpty() {
		return
	}
	if s.pts == nil {
		s.pts, s.fresh = &intsets.Sparse{}, &intsets.Sparse{}
		s.pts.Copy(set)
		s.fresh.Copy(set)
		a.enqueue(dst)
		return
	}
	a.scratch.Difference(set, s.pts)
	if a.scratch.IsEmpty() {
		return
	}
	s.pts.UnionWith(&a.scratch)
	if s.fresh == nil {
		s.fresh = &intsets.Sparse{}
	}
	s.fresh.UnionWith(&a.scratch)
	a.enqueue(dst)
}

// copy makes a slot hold what another does.
func (a *analysis) copy(dst, src int) {
	dst, src = a.find(dst), a.find(src)
	d, s := a.slots[dst], a.slots[src]
	if dst == src || d.void || s.void {
		return
	}
	if s.copies == nil {
		s.copies = &intsets.Sparse{}
	}
	if s.copies.Insert(dst) {
		a.edges++
		a.add(dst, s.pts)
	}
}

// copyRow makes a row of slots hold what another does.
func (a *analysis) copyRow(dst, src, n int) {
	for i := range n {
		a.copy(dst+i, src+i)
	}
}

// on does something with each target that a slot has or gets.
func (a *analysis) on(src int, u use) {
	s := a.slots[a.find(src)]
	if s.void {
		return
	}
	s.uses = append(s.uses, u)
	if s.pts == nil {
		return
	}
	// What is fresh will be given to all uses.
	var given intsets.Sparse
	if s.fresh == nil {
		given.Copy(s.pts)
	} else {
		given.Difference(s.pts, s.fresh)
	}
	for _, t := range given.AppendTo(nil) {
		u.apply(a, t)
	}
}
