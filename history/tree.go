package history

import "math"

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
	// Abrupt says that a panic or Goexit ended it, in line At if that is known.
	Abrupt bool
	At     int
	// Items are its marks and calls, in order.
	Items []Item

	// Of is the activation of the function that a body of a loop belongs to which is an activation of its own, and
	// Loop the site of the loop; nil and zero of others. See [Tree.SplitBodies].
	Of   *Activation
	Loop int
	// Astray says that a panic ended it at a place that is not known: of a body, as its replay has not found it; of a call within a recursion, as
	// the panic went through more calls than it tells of.
	Astray bool

	left  *departure // how the body ended, when that is known
	split bool       // the bodies of its loops are activations

	last *Activation // that it called, if no mark has come since
}

// An Item is an event of an activation: a call, if Call is not nil, or a mark.
type Item struct {
	Time int64
	Site int
	Call *Activation
	// Ends says that the body of a loop over a function ends.
	Ends bool
	// Body is an iteration of a loop over a function that is an activation of its own; with Call, nothing else that is
	// recorded called it.
	Body *Activation
}

// Marks reports whether an item is the mark of a site.
func (it Item) Marks() bool { return it.Call == nil && !it.Ends && it.Body == nil }

// A Tree is a whole history in memory.
type Tree struct {
	// Roots are the activations at the bottoms of the goroutines, in order.
	Roots []*Activation
	// Activations are all, in the order in which they began.
	Activations []*Activation
	// Times is how many events there are.
	Times int64
}

// Tree reads a whole history into memory.
func (r *Reader) Tree() (*Tree, error) { return r.TreeUntil(math.MaxInt64) }

// TreeUntil reads what comes before a time into memory. What is open then stays open,
// as if the program had ended there.
func (r *Reader) TreeUntil(time int64) (*Tree, error) {
	t := &Tree{}
	for p, err := range r.PointsBefore(nil, time) {
		if err != nil {
			return nil, err
		}
		t.add(p)
		t.Times = p.Time + 1
	}
	return t, nil
}

// add adds what a point brings.
func (t *Tree) add(p *Point) {
	switch p.Kind {
	case Enter:
		a := p.Top().Activation
		if a.Parent != nil {
			a.Parent.Items = append(a.Parent.Items, Item{Time: p.Time, Call: a})
		} else {
			t.Roots = append(t.Roots, a)
		}
		t.Activations = append(t.Activations, a)
	case Mark:
		if p.In != nil {
			p.In.Items = append(p.In.Items, Item{Time: p.Time, Site: p.ID})
		}
	case Unnest:
		if p.In != nil {
			p.In.Items = append(p.In.Items, Item{Time: p.Time, Site: p.ID, Ends: true})
		}
	}
}
