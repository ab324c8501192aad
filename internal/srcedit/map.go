package srcedit

import (
	"cmp"
	"slices"
)

// A Line is a line of a file, from 1.
type Line struct {
	File string
	Line int
}

// A Map says where lines went. Lines of files that it does not know are where
// they were.
type Map struct {
	fwd, back map[Line]Line
	old       map[string]int // number of lines
	new       map[string]bool
}

// Forward is where an old line is now; ok is false if it is lost.
func (m *Map) Forward(l Line) (Line, bool) {
	if _, known := m.old[l.File]; !known {
		return l, true
	}
	to, ok := m.fwd[l]
	return to, ok
}

// Back is the old line that a new one stems from; ok is false if the edits own
// it.
func (m *Map) Back(l Line) (Line, bool) {
	if !m.new[l.File] {
		return l, true
	}
	to, ok := m.back[l]
	return to, ok
}

// Then is the map of m's edits followed by those of n.
func (m *Map) Then(n *Map) *Map {
	out := &Map{fwd: map[Line]Line{}, back: map[Line]Line{}, old: map[string]int{}, new: map[string]bool{}}
	for file, lines := range m.old {
		out.old[file] = lines
	}
	for file, lines := range n.old {
		if !m.new[file] {
			out.old[file] = lines
		}
	}
	for file, lines := range out.old {
		for line := 1; line <= lines; line++ {
			l := Line{file, line}
			if mid, ok := m.Forward(l); ok {
				if to, ok := n.Forward(mid); ok {
					out.fwd[l] = to
				}
			}
		}
	}
	for file := range n.new {
		out.new[file] = true
	}
	for file := range m.new {
		if _, known := n.old[file]; !known {
			out.new[file] = true // as it was; n does not know it
		}
	}
	for l := range n.back {
		if mid, ok := n.Back(l); ok {
			if from, ok := m.Back(mid); ok {
				out.back[l] = from
			}
		}
	}
	for l := range m.back {
		if _, known := n.old[l.File]; !known {
			out.back[l] = m.back[l]
		}
	}
	return out
}

// Moves lists the old lines with where they went, in the order of the old
// files; a lost line has no To.
func (m *Map) Moves() []Move {
	var all []Move
	for file, lines := range m.old {
		for line := 1; line <= lines; line++ {
			l := Line{file, line}
			to := m.fwd[l]
			all = append(all, Move{l, to})
		}
	}
	slices.SortFunc(all, func(a, b Move) int {
		return cmp.Or(cmp.Compare(a.From.File, b.From.File), cmp.Compare(a.From.Line, b.From.Line))
	})
	return all
}

// A Move is one entry of a map.
type Move struct{ From, To Line }

// Mutate returns a copy in which f may have changed where an old line goes and
// where a new one stems from. It is for tests, which show that a wrong map is
// noticed.
func (m *Map) Mutate(fwd, back func(l, to Line, ok bool) (Line, bool)) *Map {
	out := &Map{fwd: map[Line]Line{}, back: map[Line]Line{}, old: m.old, new: m.new}
	for file, lines := range m.old {
		for line := 1; line <= lines; line++ {
			l := Line{file, line}
			to, ok := m.fwd[l]
			if to, ok = fwd(l, to, ok); ok {
				out.fwd[l] = to
			}
		}
	}
	for l, from := range m.back {
		if from, ok := back(l, from, true); ok {
			out.back[l] = from
		}
	}
	return out
}
