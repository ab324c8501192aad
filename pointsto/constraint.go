package pointsto

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
