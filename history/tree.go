package history

import (
	"hash/fnv"
	"math"
	"slices"
)

// An Activation is one execution of a function.
type Activation struct {
	Func      int
	Goroutine uint64
	// Parent is the activation that it was called from, directly or through
	// functions that are not recorded; nil at the bottom of a goroutine.
	Parent *Activation
	Depth  int // from 1
	// Start is the time of its first event; End that of its last, or -1 where the
	// program ended, or recording stopped, before.
	Start, End int64
	// Abrupt tells that a panic or Goexit ended it, in line At if that is known.
	Abrupt bool
	At     int
	// Items are its marks and calls, in order.
	Items []Item
}

// An Item is an event of an activation: a call, if Call is not nil, or a mark.
type Item struct {
	Time int64
	Site int
	Call *Activation
	// Ends tells that the body of a loop over a function ends.
	Ends bool
}

// A Tree is a whole history in memory.
type Tree struct {
	// Roots are the activations at the bottoms of the goroutines, in order.
	Roots []*Activation
	// Activations are all, in the order in which they began.
	Activations []*Activation
	// Times is how many events there are.
	Times int64
}

// entry is an activation on a stack, or the body of a loop over a function that
// runs on top of others.
type entry struct {
	a      *Activation
	nested bool
	depth  int // activations up to and with it
}

// A builder makes a tree of events.
type builder struct {
	plan   *Plan
	hashes map[uint32]int // of paths, to files
	stacks map[uint64][]entry
	unwind map[uint64]map[int][]Line // by goroutine and depth
	tree   *Tree
}

// Tree reads a whole history into memory.
func (r *Reader) Tree() (*Tree, error) { return r.TreeUntil(math.MaxInt64) }

// TreeUntil reads what comes before a time into memory. What is open then stays open,
// as if the program had ended there.
func (r *Reader) TreeUntil(time int64) (*Tree, error) {
	b := &builder{plan: r.Plan, hashes: map[uint32]int{}, stacks: map[uint64][]entry{}, unwind: map[uint64]map[int][]Line{}, tree: &Tree{}}
	for i, f := range r.Plan.Files {
		h := fnv.New32a()
		h.Write([]byte(f.Path))
		b.hashes[h.Sum32()|7] = i
	}
	for e, err := range r.Events() {
		if err != nil {
			return nil, err
		}
		if e.Time >= time {
			break
		}
		b.add(e)
		b.tree.Times = e.Time + 1
	}
	return b.tree, nil
}

func (b *builder) add(e Event) {
	stack := b.stacks[e.Goroutine]
	switch e.Kind {
	case Enter:
		a := &Activation{Func: e.ID, Goroutine: e.Goroutine, Start: e.Time, End: -1, Depth: 1}
		if n := len(stack); n > 0 {
			a.Parent = stack[n-1].a
			a.Depth = stack[n-1].depth + 1
			a.Parent.Items = append(a.Parent.Items, Item{Time: e.Time, Call: a})
		} else {
			b.tree.Roots = append(b.tree.Roots, a)
		}
		b.tree.Activations = append(b.tree.Activations, a)
		stack = append(stack, entry{a: a, depth: a.Depth})
	case Exit:
		i := topmost(stack, func(s entry) bool { return s.a.Func == e.ID })
		if i < 0 {
			break
		}
		stack = b.pop(stack, i, e.Time)
		stack[len(stack)-1].a.End = e.Time
		stack = stack[:len(stack)-1]
	case Leave:
		i := topmost(stack, func(s entry) bool { return s.a.Depth == e.Depth && s.a.Func == e.ID })
		if i < 0 {
			break
		}
		stack = b.pop(stack, i, e.Time)
		a := stack[i].a
		_, a.Abrupt = b.unwind[e.Goroutine][e.Depth]
		a.End = e.Time
		delete(b.unwind[e.Goroutine], e.Depth)
		stack = stack[:i]
	case Mark:
		s := b.plan.Sites[e.ID]
		if s.Kind == Nested {
			i := topmost(stack, func(x entry) bool { return x.a.Depth == e.Depth && x.a.Func == s.Func })
			if i < 0 {
				break
			}
			a := stack[i].a
			a.Items = append(a.Items, Item{Time: e.Time, Site: e.ID})
			stack = append(stack, entry{a, true, stack[len(stack)-1].depth})
			break
		}
		if n := len(stack); n > 0 && stack[n-1].a.Func == s.Func {
			a := stack[n-1].a
			a.Items = append(a.Items, Item{Time: e.Time, Site: e.ID})
		}
	case Unnest:
		for n := len(stack) - 1; n >= 0; n-- {
			if stack[n].nested {
				a := stack[n].a
				a.Items = append(a.Items, Item{Time: e.Time, Site: e.ID, Ends: true})
				stack = slices.Delete(stack, n, n+1)
				break
			}
			if stack[n].a.Func == b.plan.Sites[e.ID].Func {
				break
			}
		}
	case Unwind:
		if b.unwind[e.Goroutine] == nil {
			b.unwind[e.Goroutine] = map[int][]Line{}
		}
		b.unwind[e.Goroutine][e.Depth] = e.At
		if i := topmost(stack, func(s entry) bool { return s.a.Depth == e.Depth }); i >= 0 {
			b.leaf(stack[len(stack)-1].a, e.At)
			b.place(stack[i:], e.At)
		}
	}
	b.stacks[e.Goroutine] = stack
}

// topmost is the highest activation on a stack that fits, or -1.
func topmost(stack []entry, fits func(entry) bool) int {
	for i := len(stack) - 1; i >= 0; i-- {
		if !stack[i].nested && fits(stack[i]) {
			return i
		}
	}
	return -1
}

// pop ends what is above an entry of a stack, which left no events of its own.
func (b *builder) pop(stack []entry, keep int, time int64) []entry {
	for n := len(stack) - 1; n > keep; n-- {
		if !stack[n].nested {
			stack[n].a.End, stack[n].a.Abrupt = time, true
		}
	}
	return stack[:keep+1]
}

// leaf finds out whether the panic came from the leaf function that was called last:
// that is said to be left as soon as it is entered.
func (b *builder) leaf(a *Activation, lines []Line) {
	if len(a.Items) == 0 || a.Items[len(a.Items)-1].Call == nil {
		return
	}
	last := a.Items[len(a.Items)-1].Call
	f := b.plan.Funcs[last.Func]
	if !f.Leaf {
		return
	}
	for _, l := range lines {
		if file, ok := b.hashes[l.Hash]; ok {
			if file == f.File && l.Line >= f.Line && l.Line <= f.EndLine {
				last.Abrupt, last.At = true, l.Line
			}
			return // only the innermost of the program's own
		}
	}
}

// place finds out in which lines the activations on a stack stood.
func (b *builder) place(stack []entry, lines []Line) {
	for n := len(stack) - 1; n >= 0; n-- {
		if stack[n].nested || stack[n].a.At != 0 {
			continue
		}
		f := b.plan.Funcs[stack[n].a.Func]
		for i, l := range lines {
			if file, ok := b.hashes[l.Hash]; ok && file == f.File && l.Line >= f.Line && l.Line <= f.EndLine {
				stack[n].a.At = l.Line
				lines = lines[i+1:]
				break
			}
		}
	}
}
