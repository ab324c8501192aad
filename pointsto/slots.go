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

type loadUse struct{ dst, offset, n int }

func (u loadUse) apply(a *analysis, t int) {
	for i := range u.n {
		if at := a.at(t, u.offset+i); at >= 0 {
			a.copy(u.dst+i, at)
		}
	}
}

// load makes a row hold what lies at an offset of what a slot points to.
func (a *analysis) load(dst, src, offset, n int) { a.on(src, loadUse{dst, offset, n}) }

type storeUse struct{ src, offset, n int }

func (u storeUse) apply(a *analysis, t int) {
	for i := range u.n {
		if at := a.at(t, u.offset+i); at >= 0 {
			a.copy(at, u.src+i)
		}
	}
}

// store puts a row to an offset of what a slot points to.
func (a *analysis) store(dst, offset, src, n int) { a.on(dst, storeUse{src, offset, n}) }

type shiftUse struct{ dst, offset int }

func (u shiftUse) apply(a *analysis, t int) {
	if a.at(t, u.offset) >= 0 {
		a.point(u.dst, t+u.offset)
	}
}

// A derived names what depends on a slot alone: whoever asks for it again is given the
// same row, as the order of what happens does not matter.
type derived struct {
	src, offset, n int // n is 0 for an address
}

// loaded is the row of what lies at an offset of what a slot points to.
func (a *analysis) loaded(src, offset, n int) int {
	src = a.find(src)
	if a.slots[src].void {
		return a.nothing(n)
	}
	d := derived{src, offset, n}
	at, ok := a.derived[d]
	if !ok {
		at = a.row(n)
		a.derived[d] = at
		a.load(at, src, offset, n)
	}
	return at
}

// shifted is the slot that points to what lies at an offset of what another points to.
func (a *analysis) shifted(src, offset int) int {
	src = a.find(src)
	if offset == 0 || a.slots[src].void {
		return src
	}
	d := derived{src, offset, 0}
	at, ok := a.derived[d]
	if !ok {
		at = a.row(1)
		a.derived[d] = at
		a.on(src, shiftUse{at, offset})
	}
	return at
}
