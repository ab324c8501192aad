package srcedit

import (
	"bytes"

	"maps"
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
	old       map[string][]byte
	new       map[string]traced
}

// traced is a file of the result with where each of its bytes was.
type traced struct {
	text   []byte
	origin []from
}

// from is where a byte of the result was; the zero value if it is new.
type from struct {
	file string
	at   int
	ok   bool
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
	if _, known := m.new[l.File]; !known {
		return l, true
	}
	to, ok := m.back[l]
	return to, ok
}

// Then is the map of m's edits followed by those of n. It goes by bytes, so it
// is as exact as if the edits had been made at once.
func (m *Map) Then(n *Map) *Map {
	old := maps.Clone(m.old)
	for file, text := range n.old {
		if _, made := m.new[file]; !made {
			old[file] = text
		}
	}
	now := map[string]traced{}
	for file, t := range m.new {
		if _, known := n.old[file]; !known {
			now[file] = t // as it was; n does not know it
		}
	}
	for file, t := range n.new {
		origin := make([]from, len(t.origin))
		for i, o := range t.origin {
			mid, made := m.new[o.file]
			switch {
			case !o.ok:
			case made:
				origin[i] = mid.origin[o.at]
			default:
				origin[i] = o
			}
		}
		now[file] = traced{t.text, origin}
	}
	return newMap(old, now)
}

// newMap finds out where lines went from where bytes did.
func newMap(old map[string][]byte, now map[string]traced) *Map {
	m := &Map{fwd: map[Line]Line{}, back: map[Line]Line{}, old: old, new: now}
	b := &builder{Map: m, starts: map[string][]int{}, strong: map[Line]int{}}
	for file, text := range old {
		b.starts[file] = starts(text)
	}
	for _, file := range slices.Sorted(maps.Keys(now)) {
		b.add(file, now[file])
	}
	return m
}

// starts lists the offsets at which lines begin.
func starts(text []byte) []int {
	at := []int{0}
	for i, c := range text {
		if c == '\n' && i+1 < len(text) {
			at = append(at, i+1)
		}
	}
	return at
}

type builder struct {
	*Map
	starts map[string][]int // of the old files
	strong map[Line]int     // the first visible byte of an old line that was met
}

// line is the line of an old byte.
func (b *builder) line(f from) Line {
	i, found := slices.BinarySearch(b.starts[f.file], f.at)
	if !found {
		i--
	}
	return Line{f.file, i + 1}
}

// blank reports whether an old line has no visible byte.
func (b *builder) blank(l Line) bool {
	text, at := b.old[l.File], b.starts[l.File]
	end := len(text)
	if l.Line < len(at) {
		end = at[l.Line]
	}
	return len(bytes.TrimSpace(text[at[l.Line-1]:end])) == 0
}

// add takes in a file of the result.
func (b *builder) add(name string, t traced) {
	n := 1
	var strong, weak Line // what the line stems from, by a visible byte or by its end
	fresh := false        // it has a new visible byte
	for i, c := range t.text {
		visible := bytes.IndexByte([]byte(" \t\r\n"), c) < 0
		o := t.origin[i]
		here := Line{name, n}
		switch {
		case o.ok && visible:
			l := b.line(o)
			if strong.File == "" {
				strong = l
			}
			if at, met := b.strong[l]; !met || o.at < at {
				b.strong[l] = o.at
				b.fwd[l] = here
			}
		case o.ok && c == '\n':
			l := b.line(o)
			if weak.File == "" {
				weak = l
			}
			if _, ok := b.fwd[l]; !ok && b.blank(l) {
				b.fwd[l] = here
			}
		case visible:
			fresh = true
		}
		if c != '\n' && i != len(t.text)-1 {
			continue
		}
		switch {
		case strong.File != "":
			b.back[here] = strong
		case weak.File != "" && !fresh:
			b.back[here] = weak
		}
		if c == '\n' {
			n++
			strong, weak, fresh = Line{}, Line{}, false
		}
	}
}

// Moves lists the old lines with where they went, in the order of the old
// files; a lost line has no To.
func (m *Map) Moves() []Move {
	var all []Move
	for _, file := range slices.Sorted(maps.Keys(m.old)) {
		for line := range starts(m.old[file]) {
			l := Line{file, line + 1}
			all = append(all, Move{l, m.fwd[l]})
		}
	}
	return all
}

// A Move is one entry of a map.
type Move struct{ From, To Line }

// Mutate returns a copy in which f may have changed where an old line goes and
// where a new one stems from. It is for tests, which show that a wrong map is
// noticed.
func (m *Map) Mutate(fwd, back func(l, to Line, ok bool) (Line, bool)) *Map {
	out := &Map{fwd: map[Line]Line{}, back: map[Line]Line{}, old: m.old, new: m.new}
	for _, mv := range m.Moves() {
		if to, ok := fwd(mv.From, mv.To, mv.To.File != ""); ok {
			out.fwd[mv.From] = to
		}
	}
	for file, t := range m.new {
		for line := range starts(t.text) {
			l := Line{file, line + 1}
			from, ok := m.back[l]
			if from, ok := back(l, from, ok); ok {
				out.back[l] = from
			}
		}
	}
	return out
}
