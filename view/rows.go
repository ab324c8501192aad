package view

import (
	"cmp"
	"slices"

	"misstep/history"
)

// The kinds of rows.
const (
	kindGoroutine = iota
	kindCall      // an activation
	kindMark      // a branch that was taken, or another event of a site
	kindLapse     // an if that was false
	kindLoop      // around the iterations of a loop
	kindObject    // something happens to an object
	kindBranch    // another branch that decided against an operation
	kindBalloon
)

// A row is a line of the tree.
type row struct {
	parent int32 // -1 at the top
	what   uint32
	time   int64 // of its event, or of the one before
	end    int64 // of an activation; -1 if there is none
	object uint32
	// aux is the set of lines of an activation, the number of an iteration or of a
	// goroutine, how many iterations a loop has, or the number of a balloon.
	aux         uint32
	first, size int32 // its children
}

// A what is all that rows have in common that say the same of the same place.
type what struct {
	kind int
	fn   int // of a call
	site int // of marks and the like
	// line is that of the call, in the file of the caller; 0 if that is not known.
	file, line, column int
	end                ending
	at                 int // the line where a panic ended a call
	text, outcome      string
}

type ending int

const (
	returned ending = iota
	panicked
	open
)

// container is a row that holds what happens in a range of the source.
type container struct {
	row  int32
	in   span
	site int // of a loop; -1 otherwise
}

// frame is an activation that rows are made of.
type frame struct {
	a       *history.Activation
	row     int32
	known   replayed
	pending []derived
}

// entry is what a page has of a frame on a goroutine's stack; it is the frame's data.
type entry struct {
	f    *frame
	base int32
	open []container
}

// entryOf is the entry of a frame; nil of none.
func entryOf(f *history.Frame) *entry {
	if f == nil {
		return nil
	}
	return f.Data.(*entry)
}

type goroutine struct {
	row   int32
	stack []*history.Frame // after the last event
	last  int64            // the time of the event before
}

// builder makes rows of events.
type builder struct {
	plan       *history.Plan
	tree       *history.Tree
	src        *sources
	replay     *replay
	instances  *history.Instances
	numbers    map[*history.Instance]uint32
	goroutines map[uint64]*goroutine
	next       int   // activation
	before     int64 // the event before in the goroutine
	rows       []row
	whats      []what
	whatOf     map[what]uint32
	balloons   []Balloon
	decisions  map[int64][]derived // by activations
	placed     [][]int32           // rows of balloons
}

func newBuilder(plan *history.Plan, tree *history.Tree, src *sources, rp *replay, balloons []Balloon) *builder {
	b := &builder{
		plan: plan, tree: tree, src: src, replay: rp, instances: history.NewInstances(plan), numbers: map[*history.Instance]uint32{},
		goroutines: map[uint64]*goroutine{}, whatOf: map[what]uint32{},
		balloons: balloons, decisions: map[int64][]derived{}, placed: make([][]int32, len(balloons)),
	}
	for i := range balloons {
		x := &balloons[i]
		file, ok := src.names[x.Branch.File]
		if !ok {
			file = -1
		}
		head := span{}
		if ok {
			at := src.offset(file, x.Branch.Line, x.Branch.Column)
			if head = src.headAt(file, at); head.to == 0 {
				head = span{at, at + 1}
			}
		}
		for _, d := range x.decisions() {
			b.decisions[d.Activation] = append(b.decisions[d.Activation], derived{
				after: d.At, until: d.At, head: head, site: -1, balloon: i, branch: x.Branch, file: file, text: x.BranchText, outcome: x.Outcome,
			})
		}
	}
	return b
}

func (b *builder) add(parent int32, w what, time int64) int32 {
	n, ok := b.whatOf[w]
	if !ok {
		n = uint32(len(b.whats))
		b.whatOf[w] = n
		b.whats = append(b.whats, w)
	}
	b.rows = append(b.rows, row{parent: parent, what: n, time: time, end: -1})
	return int32(len(b.rows) - 1)
}

// event makes the rows of an event, and of what is between it and the one before.
func (b *builder) event(p *history.Point) {
	g := b.goroutines[p.Goroutine]
	if g == nil {
		g = &goroutine{row: b.add(-1, what{kind: kindGoroutine}, p.Time)}
		b.rows[g.row].aux = uint32(p.Goroutine)
		b.goroutines[p.Goroutine] = g
	}
	b.before = g.last
	// The frame that was on top when the event came.
	var top *entry
	if n := len(p.Stack); p.Kind == history.Enter || p.Kind == history.Mark && b.plan.Sites[p.ID].Kind == history.Nested && p.In != nil {
		if n > 1 {
			top = entryOf(p.Stack[n-2])
		}
	} else {
		top = entryOf(p.Top())
	}
	switch p.Kind {
	case history.Enter:
		b.enter(g, top, p)
	case history.Object, history.Made:
		site := b.plan.Sites[p.ID]
		w := what{kind: kindObject, site: p.ID, file: b.plan.Funcs[site.Func].File, line: site.Line, column: site.Column}
		parent := g.row
		if top != nil {
			at := b.offset(top, p.ID)
			b.flushBefore(top, top.due(p.Time, at), nil)
			parent = top.inside(at)
		}
		n := b.add(parent, w, p.Time)
		if p.Instance != nil {
			b.rows[n].object = b.number1(p.Instance)
		}
	case history.Mark:
		b.mark(g, top, p)
	case history.Unnest:
		for _, f := range p.Ended {
			b.flush(entryOf(f), p.Time, nil)
		}
	case history.Exit, history.Leave:
		for _, f := range p.Ended {
			b.flush(entryOf(f), p.Time+1, nil)
		}
	}
	g.stack, g.last = p.Stack, p.Time
}

// number1 is the number of an object, from 1.
func (b *builder) number1(i *history.Instance) uint32 {
	n, ok := b.numbers[i]
	if !ok {
		n = uint32(len(b.instances.All)) // it is the last, as it is new
		b.numbers[i] = n
	}
	return n
}

// offset is where an event of a site is in the function on top; -1 if it is of another.
func (b *builder) offset(top *entry, site int) int {
	if s := b.plan.Sites[site]; s.Func == top.f.a.Func {
		return s.Offset
	}
	return -1
}

func (b *builder) enter(g *goroutine, top *entry, e *history.Point) {
	a := b.tree.Activations[b.next]
	b.next++
	w := what{kind: kindCall, fn: e.ID}
	switch {
	case a.Abrupt:
		w.end, w.at = panicked, a.At
	case a.End < 0:
		w.end = open
	}
	parent := g.row
	if top != nil {
		b.flush(top, e.Time, nil)
		at, ok := top.f.known.calls[a]
		caller := b.plan.Funcs[top.f.a.Func]
		switch {
		case ok:
			parent = top.inside(at)
			w.file, w.line = caller.File, 1+sortedBelow(b.src.starts[caller.File], at)
		case caller.Defers:
			parent = top.inside(len(b.plan.Files[caller.File].Text)) // at the end
		default:
			parent = top.inside(-1)
		}
	}
	f := &frame{a: a, row: b.add(parent, w, e.Time), known: b.replay.of(a)}
	b.rows[f.row].end, b.rows[f.row].aux = a.End, f.known.path
	for _, l := range f.known.lapses {
		f.pending = append(f.pending, derived{after: l.after, until: l.after, head: b.headOf(l.site), site: l.site})
	}
	if list := b.decisions[a.Start]; len(list) > 0 {
		f.pending = append(f.pending, list...)
		slices.SortStableFunc(f.pending, func(x, y derived) int {
			return cmp.Or(cmp.Compare(x.after, y.after), cmp.Compare(x.head.from, y.head.from))
		})
	}
	f.known.lapses = nil
	e.Top().Data = &entry{f: f, base: f.row}
}

// sortedBelow is how many line starts are not after an offset, less one.
func sortedBelow(starts []int, offset int) int {
	n, found := slices.BinarySearch(starts, offset)
	if !found {
		n--
	}
	return n
}

// mark makes the row of a mark, which may hold what follows.
func (b *builder) mark(g *goroutine, top *entry, e *history.Point) {
	site := b.plan.Sites[e.ID]
	file := b.plan.Funcs[site.Func].File
	w := what{kind: kindMark, site: e.ID, file: file, line: site.Line, column: site.Column}
	if top == nil {
		if site.Kind != history.After {
			b.add(g.row, w, e.Time)
		}
		return
	}
	if site.Kind == history.Nested {
		n := b.add(top.inside(-1), w, e.Time)
		if e.In == nil {
			return
		}
		// The body runs in the frame of the loop's function, on top of the iterator.
		for _, f := range slices.Backward(e.Stack[:len(e.Stack)-1]) {
			if !f.Nested && f.Activation == e.In {
				e.Top().Data = &entry{f: entryOf(f).f, base: n}
				break
			}
		}
		return
	}
	if site.Kind == history.After {
		b.flush(top, e.Time, nil)
		return
	}
	against := b.flush(top, e.Time, &w)
	at, branch := b.offset(top, e.ID), b.src.sites[e.ID]
	parent := top.inside(at)
	iteration := uint32(0)
	if site.Kind == history.Body && at >= 0 {
		if n := len(top.open); n == 0 || top.open[n-1].site != e.ID {
			l := w
			l.kind = kindLoop
			top.open = append(top.open, container{b.add(parent, l, e.Time), branch.whole, e.ID})
		}
		parent = top.open[len(top.open)-1].row
		b.rows[parent].aux++
		iteration = b.rows[parent].aux
	}
	n := b.add(parent, w, e.Time)
	b.rows[n].aux = iteration
	if branch.body.to > branch.body.from {
		top.open = append(top.open, container{n, branch.body, -1})
	}
	for _, d := range against {
		b.balloon(n, d)
	}
}

// inside is the row that an event at an offset belongs to. Where it is not known, that
// is where the one before belonged to.
func (x *entry) inside(offset int) int32 {
	n := len(x.open)
	for offset >= 0 && n > 0 && !x.open[n-1].in.holds(offset) {
		n--
	}
	x.open = x.open[:n]
	if n == 0 {
		return x.base
	}
	return x.open[n-1].row
}

// finish makes the last rows of what was never left.
func (b *builder) finish() {
	var all []*goroutine
	for _, g := range b.goroutines {
		all = append(all, g)
	}
	slices.SortFunc(all, func(x, y *goroutine) int { return cmp.Compare(x.row, y.row) })
	for _, g := range all {
		b.before = g.last
		for j := len(g.stack) - 1; j >= 0; j-- {
			b.flush(entryOf(g.stack[j]), b.tree.Times+1, nil)
		}
	}
	b.replay.count()
}
