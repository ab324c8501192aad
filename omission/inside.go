package omission

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"misstep/history"
)

// Whoever asks about an object means what it is made of as well: a server means the entries of the tables of its databases, a screen the terminal
// that it embeds. What is inside of an object is what it holds, and what that holds, where nothing else does: what others hold, too, such as a
// configuration that several objects were given, is an object of its own.

const (
	// maxInside is how far inside is looked: the object's fields and elements are one step away.
	maxInside = 5
	// maxRooms is how many fields and elements are looked at inside of an object.
	maxRooms = 12
	// insideWeight is what each step into an object counts in a ranking.
	insideWeight = 1.5
)

// A room is a field, or the elements of one, that held objects inside of a subject.
type room struct {
	path  string
	depth int
	of    []*history.Instance
	uses  int64 // how often they were seen
}

// A passage is by which fields and elements an object is reached from a subject, and in how many steps.
type passage struct {
	path  string
	depth int
	part  bool // it is a part, which is looked at with what has the field
}

// reached are the objects that a subject and its parts lead to, each by the first way to it.
func (f *Finder) reached(s *Subject) map[*history.Instance]passage {
	all, outside := f.contents()
	from := map[*history.Instance]passage{}
	for i := range s.Instances {
		from[i] = passage{}
	}
	for _, part := range s.Parts {
		for i := range part.Instances {
			from[i] = passage{path: part.Name, part: true}
		}
	}
	by := map[*history.Instance][]contained{}
	for c := range all {
		by[c.in] = append(by[c.in], c)
	}
	roots := map[*history.Instance]bool{}
	for i := range from {
		roots[i] = true
	}
	for next := byFirst(roots); len(next) > 0; next = next[1:] {
		at := from[next[0]]
		if at.depth == maxInside {
			continue
		}
		list := by[next[0]]
		slices.SortFunc(list, func(a, b contained) int {
			return cmp.Or(cmp.Compare(a.field, b.field), cmp.Compare(a.of.First, b.of.First), cmp.Compare(a.of.String(), b.of.String()))
		})
		for _, c := range list {
			if _, known := from[c.of]; known || outside[c.of] {
				continue
			}
			// What a part holds in its elements is looked at by itself.
			w := passage{path: within(at.path, c.field), depth: at.depth + 1, part: c.part && !at.part}
			if w.part {
				w.depth--
			}
			from[c.of] = w
			next = append(next, c.of)
		}
	}
	// What others hold as well is not inside, and neither is what is held by that alone.
	for again := true; again; {
		again = false
		for c := range all {
			_, in := from[c.of]
			if _, by := from[c.in]; in && !by && !roots[c.of] {
				delete(from, c.of)
				again = true
			}
		}
	}
	maps.DeleteFunc(from, func(i *history.Instance, _ passage) bool { return roots[i] })
	return from
}

// inside are the rooms of a subject, the nearest first, and of these those that were used most.
func (f *Finder) inside(s *Subject) []room {
	type kind struct{ path, typ string } // an interface may hold several
	rooms := map[kind]*room{}
	from := f.reached(s)
	reached := map[*history.Instance]bool{}
	for i := range from {
		reached[i] = true
	}
	for _, i := range byFirst(reached) {
		w := from[i]
		if w.part {
			continue
		}
		k := kind{w.path, typeName(i)}
		r := rooms[k]
		if r == nil {
			r = &room{path: w.path, depth: w.depth}
			rooms[k] = r
		}
		r.depth = min(r.depth, w.depth)
		r.of = append(r.of, i)
		r.uses += i.Events
	}
	return slices.SortedFunc(func(yield func(room) bool) {
		for _, r := range rooms {
			if !yield(*r) {
				return
			}
		}
	}, func(a, b room) int {
		return cmp.Or(cmp.Compare(a.depth, b.depth), cmp.Compare(b.uses, a.uses), cmp.Compare(a.path, b.path), cmp.Compare(a.of[0].String(), b.of[0].String()))
	})
}

// within is a field's path, or that of its elements, as it is shown.
func within(path, field string) string {
	if strings.HasPrefix(field, "[") { // elements or keys
		path += field
	} else {
		path = joined(path, field)
	}
	return strings.ReplaceAll(path, ".[", "[")
}

// insides are the balloons of what is inside of a subject; untold leaves out what is known already.
func (f *Finder) insides(ctx context.Context, s *Subject, opts Options) ([]*Balloon, error) {
	if len(s.Instances) == 0 || s.Field != "" {
		return nil, nil
	}
	rooms := f.inside(s)
	var lists [][]*Balloon
	for _, r := range rooms[:min(len(rooms), maxRooms)] {
		sub := f.ofInstances(within(s.Name, r.path), f.grown(r.of))
		f.parts(sub)
		list, _, err := f.find(ctx, sub, opts)
		if err != nil {
			return nil, err
		}
		on(list, sub.Name+", which is inside of it", insideWeight*float64(r.depth))
		for _, b := range list {
			for _, op := range b.Operations {
				if strings.Contains(op.Text, sub.Name) {
					op.On = "" // it says so itself
				}
			}
		}
		lists = append(lists, list)
	}
	return Merge(lists...), nil
}
