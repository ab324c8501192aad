package history

import (
	"hash/fnv"
	"iter"
	"math"
)

// A Frame is an activation on a goroutine's stack, or the body of a loop over a function,
// which runs on top of the iterator.
type Frame struct {
	*Activation
	// Nested says that it is such a body; the activation is that of the loop's function.
	Nested bool
	// Data is whatever the reader of the history keeps with the frame.
	Data any
}

// A Point is an event with where it happened. It is valid up to the next one.
type Point struct {
	Event
	// Instance is the object that the event is about; nil if it is about none.
	Instance *Instance
	// Stack is the goroutine's, the outermost frame first, as the event leaves it. It is
	// valid up to the next point of the goroutine.
	Stack []*Frame
	// In is the activation that a mark or an event about an object belongs to, and nil if
	// that is not on the stack.
	In *Activation
	// Ended are the frames that the event took off the stack, the innermost first. All but
	// the last left no event of their own: a panic ended them.
	Ended []*Frame
}

// Top is the innermost frame; nil if the stack is empty.
func (p *Point) Top() *Frame {
	if len(p.Stack) == 0 {
		return nil
	}
	return p.Stack[len(p.Stack)-1]
}

// Activations is the number of activations on the stack.
func (p *Point) Activations() int { return depthOf(p.Stack) }

// A cursor follows the events of a history: the stack of each goroutine, and the objects.
type cursor struct {
	plan      *Plan
	instances *Instances
	hashes    map[uint32]int // of paths, to files
	stacks    map[uint64][]*Frame
	unwind    map[uint64]map[int][]Line // by goroutine and depth
}

// Points yields the events of a history in order, with the activation and the object that
// each is about. It keeps no more of the history in memory than what is on the stacks and
// the list of objects, which Instances adds up. The activations have no items. The last
// pair may hold an error.
func (r *Reader) Points(instances *Instances) iter.Seq2[*Point, error] {
	return r.PointsBefore(instances, math.MaxInt64)
}

// PointsBefore yields the events before a time, as [Reader.Points] does: what comes later
// changes neither the objects nor the activations. The reader's More says whether there is
// more.
func (r *Reader) PointsBefore(instances *Instances, end int64) iter.Seq2[*Point, error] {
	c := &cursor{
		plan: r.Plan, instances: instances, hashes: map[uint32]int{}, stacks: map[uint64][]*Frame{}, unwind: map[uint64]map[int][]Line{},
	}
	for i, f := range r.Plan.Files {
		h := fnv.New32a()
		h.Write([]byte(f.Path))
		c.hashes[h.Sum32()|7] = i
	}
	return func(yield func(*Point, error) bool) {
		p := &Point{}
		r.More = false
		for e, err := range r.Events() {
			if err != nil {
				yield(nil, err)
				return
			}
			if e.Time >= end {
				r.More = true
				return
			}
			*p = Point{Event: e, Ended: p.Ended[:0]}
			if instances != nil {
				p.Instance = instances.Of(e)
			}
			c.follow(p)
			if !yield(p, nil) {
				return
			}
		}
	}
}

// follow moves the stack of the event's goroutine.
func (c *cursor) follow(p *Point) {
	stack := c.stacks[p.Goroutine]
	switch p.Kind {
	case Enter:
		a := &Activation{Func: p.ID, Goroutine: p.Goroutine, Start: p.Time, End: -1, Depth: 1}
		if n := len(stack); n > 0 {
			a.Parent = stack[n-1].Activation
			a.Depth = depthOf(stack) + 1
			a.Parent.last = a
		}
		stack = append(stack, &Frame{Activation: a})
	case Exit:
		stack = p.end(stack, topmost(stack, func(a *Activation) bool { return a.Func == p.ID }))
	case Leave:
		i := topmost(stack, func(a *Activation) bool { return a.Depth == p.Depth && a.Func == p.ID })
		if stack = p.end(stack, i); i >= 0 {
			_, p.Ended[len(p.Ended)-1].Abrupt = c.unwind[p.Goroutine][p.Depth]
			delete(c.unwind[p.Goroutine], p.Depth)
		}
	case Mark:
		s := c.plan.Sites[p.ID]
		switch n := len(stack); {
		case s.Kind == Nested:
			if i := topmost(stack, func(a *Activation) bool { return a.Depth == p.Depth && a.Func == s.Func }); i >= 0 {
				p.In = stack[i].Activation
				stack = append(stack, &Frame{Activation: p.In, Nested: true})
			}
		case n > 0 && stack[n-1].Func == s.Func:
			p.In = stack[n-1].Activation
		}
	case Unnest:
		for n := len(stack) - 1; n >= 0; n-- {
			if stack[n].Nested {
				p.In, p.Ended = stack[n].Activation, append(p.Ended, stack[n])
				stack = append(stack[:n], stack[n+1:]...)
				break
			}
			if stack[n].Func == c.plan.Sites[p.ID].Func {
				break
			}
		}
	case Object, Made:
		// The body of a loop over a function runs above the iterator.
		fn := c.plan.Sites[p.ID].Func
		for n := len(stack) - 1; n >= 0 && p.In == nil; n-- {
			if stack[n].Func == fn {
				p.In = stack[n].Activation
			}
		}
	case Unwind:
		if c.unwind[p.Goroutine] == nil {
			c.unwind[p.Goroutine] = map[int][]Line{}
		}
		c.unwind[p.Goroutine][p.Depth] = p.At
		if i := topmost(stack, func(a *Activation) bool { return a.Depth == p.Depth }); i >= 0 {
			c.leaf(stack[len(stack)-1].Activation, p.At)
			c.place(stack, i, p.At)
		}
	}
	if p.In != nil && (p.Kind == Mark || p.Kind == Unnest) {
		p.In.last = nil
	}
	c.stacks[p.Goroutine], p.Stack = stack, stack
}

// depthOf is the number of activations on a stack. What is above one counts from it: a program may recurse a million times before it crashes.
func depthOf(stack []*Frame) int {
	for i := len(stack) - 1; i >= 0; i-- {
		if !stack[i].Nested {
			return stack[i].Depth
		}
	}
	return 0
}

// topmost is the highest activation on a stack that fits, or -1.
func topmost(stack []*Frame, fits func(*Activation) bool) int {
	for i := len(stack) - 1; i >= 0; i-- {
		if !stack[i].Nested && fits(stack[i].Activation) {
			return i
		}
	}
	return -1
}

// end takes a frame off the stack, with all above it, which left no events of their own.
func (p *Point) end(stack []*Frame, at int) []*Frame {
	if at < 0 {
		return stack
	}
	for n := len(stack) - 1; n >= at; n-- {
		f := stack[n]
		if !f.Nested {
			f.End = p.Time
			f.Abrupt = f.Abrupt || n > at
		}
		p.Ended = append(p.Ended, f)
	}
	return stack[:at]
}

// leaf finds out whether the panic came from the leaf function that was called last:
// that is said to be left as soon as it is entered.
func (c *cursor) leaf(a *Activation, lines []Line) {
	if a.last == nil {
		return
	}
	f := c.plan.Funcs[a.last.Func]
	if !f.Leaf {
		return
	}
	for _, l := range lines {
		if file, ok := c.hashes[l.Hash]; ok {
			if file == f.File && l.Line >= f.Line && l.Line <= f.EndLine {
				a.last.Abrupt, a.last.At = true, l.Line
			}
			return // only the innermost of the program's own
		}
	}
}

// place finds out in which lines the activations from one on of a stack stood. The functions that the panic has ended already still have their
// frames, and may be the same ones, as in a recursion; so that it goes from the outermost frame inwards, if all are told of.
func (c *cursor) place(stack []*Frame, from int, lines []Line) {
	if len(lines) >= PanicLines {
		c.placeInnermost(stack, from, lines)
		return
	}
	i := len(lines) - 1
	for n, f := range stack {
		for ; i >= 0 && !c.within(f, lines[i]); i-- {
		}
		if i < 0 {
			return
		}
		if n >= from && !f.Nested && f.At == 0 {
			f.At = lines[i].Line
		}
		i--
	}
}

// placeInnermost is place where the outermost frames are not told of. Which line is that of which call of a recursion is not known then.
func (c *cursor) placeInnermost(stack []*Frame, from int, lines []Line) {
	calls := map[int]int{}
	for _, f := range stack {
		calls[f.Func]++
	}
	for _, f := range stack[from:] {
		f.Astray = f.Astray || calls[f.Func] > 1
	}
	stack = stack[from:]
	for n := len(stack) - 1; n >= 0; n-- {
		if stack[n].Nested || stack[n].At != 0 {
			continue
		}
		for i, l := range lines {
			if c.within(stack[n], l) {
				stack[n].At = l.Line
				lines = lines[i+1:]
				break
			}
		}
	}
}

// within reports whether a line is one of a frame's function.
func (c *cursor) within(f *Frame, l Line) bool {
	fn := c.plan.Funcs[f.Func]
	file, ok := c.hashes[l.Hash]
	return ok && file == fn.File && l.Line >= fn.Line && l.Line <= fn.EndLine
}
