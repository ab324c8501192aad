package history

import (
	"cmp"
	"errors"
	"slices"
)

// SplitBodies makes activations of their own of the bodies of loops over functions, as the compiler makes functions of
// them, which the iterator calls: each iteration is called by the activation that was running then, and lies among its
// items. Where the loop stands, an item with Body is left for each; see [Item]. It is an error if the end of a body is not
// known, as a panic ended it.
func (t *Tree) SplitBodies(plan *Plan) error {
	s := &splitter{plan: plan, tree: t, called: map[*Activation][]Item{}, calls: map[*Activation][]*Activation{}}
	for _, a := range t.Roots {
		if err := s.split(a); err != nil {
			return err
		}
	}
	slices.SortStableFunc(t.Activations, func(a, b *Activation) int { return cmp.Compare(a.Start, b.Start) })
	return nil
}

type splitter struct {
	plan *Plan
	tree *Tree
	// called are the bodies of the activation that is split, as items of those that called them.
	called map[*Activation][]Item
	calls  map[*Activation][]*Activation // of an activation in order, once they are asked for
}

// split splits an activation and what it called: first what it called, as the iterators are, so that
// each body finds the one that called it.
func (s *splitter) split(a *Activation) error {
	for _, it := range a.Items {
		if it.Call != nil {
			if err := s.split(it.Call); err != nil {
				return err
			}
		}
	}
	if err := s.bodies(a); err != nil {
		return err
	}
	for by, items := range s.called {
		by.Items = append(by.Items, items...)
		slices.SortStableFunc(by.Items, func(a, b Item) int { return cmp.Compare(a.Time, b.Time) })
		delete(s.calls, by)
	}
	clear(s.called)
	return nil
}

// bodies takes the bodies of loops out of an activation's items, and out of those of the bodies.
func (s *splitter) bodies(a *Activation) error {
	var out []Item
	var last *Activation // that was called
	for i := 0; i < len(a.Items); i++ {
		it := a.Items[i]
		if !it.Marks() || s.plan.Sites[it.Site].Kind != Nested {
			if it.Call != nil {
				last = it.Call
			}
			out = append(out, it)
			continue
		}
		body := &Activation{Func: a.Func, Goroutine: a.Goroutine, Start: it.Time, End: -1, Loop: it.Site, Of: a.Outermost()}
		// What was called last may still run: it is the iterator, or calls it.
		by := a
		if last != nil && last.open(body.Start) {
			by = s.running(last, body.Start)
		}
		switch end := s.end(a.Items, i); {
		case end >= 0:
			body.Items, body.End, i = slices.Clone(a.Items[i+1:end]), a.Items[end].Time, end
		case a.End < 0 && !a.Abrupt: // the program has ended in it
			body.Items, i = slices.Clone(a.Items[i+1:]), len(a.Items)
		case by == a || !by.Abrupt || by.End < 0:
			return errors.New("a panic leaves the body of a loop over a function that is not recorded")
		default:
			// A panic has left it, and then what called it.
			end := i + 1
			for end < len(a.Items) && a.Items[end].Time < by.End {
				end++
			}
			body.Items, body.End, body.Abrupt = slices.Clone(a.Items[i+1:end]), by.End, true
			i = end - 1
		}
		body.Parent, body.Depth = by, by.Depth+1
		s.tree.Activations = append(s.tree.Activations, body)
		left := Item{Time: it.Time, Site: it.Site, Body: body}
		if by == a {
			left.Call = body
		} else {
			s.called[by] = append(s.called[by], Item{Time: body.Start, Call: body})
		}
		out = append(out, left)
		if err := s.bodies(body); err != nil {
			return err
		}
	}
	a.Items, a.split = out, true
	return nil
}

// end is the item at which the body ends that begins at one; -1 if it does not.
func (s *splitter) end(items []Item, from int) int {
	depth := 0
	for i := from; i < len(items); i++ {
		switch it := items[i]; {
		case it.Site != items[from].Site || it.Call != nil:
		case it.Ends:
			if depth--; depth == 0 {
				return i
			}
		default:
			depth++
		}
	}
	return -1
}

// open reports whether an activation has begun and not ended at a time.
func (a *Activation) open(time int64) bool { return a.Start < time && (a.End < 0 || a.End > time) }

// running is the innermost activation that runs at a time, which this one or one that it calls is.
func (s *splitter) running(a *Activation, time int64) *Activation {
	calls, ok := s.calls[a]
	if !ok {
		for _, it := range a.Items {
			if it.Call != nil {
				calls = append(calls, it.Call)
			}
		}
		s.calls[a] = calls
	}
	// Calls come one after the other.
	n, _ := slices.BinarySearchFunc(calls, time, func(c *Activation, t int64) int { return cmp.Compare(c.Start, t) })
	if n > 0 && calls[n-1].open(time) {
		return s.running(calls[n-1], time)
	}
	return a
}

// Outermost is the activation of the function that a body of a loop belongs to; of others, itself.
func (a *Activation) Outermost() *Activation {
	if a.Of != nil {
		return a.Of
	}
	return a
}
