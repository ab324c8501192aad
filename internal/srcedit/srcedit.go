// Package srcedit changes source text by edits of bytes, and knows where each
// line went.
//
// An edit replaces a range of a file by pieces: new text, or ranges that are
// copied from the old files. All that no edit touches stays byte for byte what
// it was. As each byte of the result is either new or has a place in the old
// text, the map of lines is a by-product: an old line is now where the first of
// its bytes went that is not blank, and a new line stems from the old line of
// the first such byte on it. A new line without any old byte is owned by the
// edits; an old line none of whose bytes is left is lost. Two old lines may be
// one new line and one old line several new ones, so the two directions are not
// inverse to each other. Maps compose, see [Map.Then].
package srcedit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// Edits collects changes of a set of files. Offsets are bytes in the old text.
type Edits struct {
	old     map[string][]byte
	edits   map[string][]edit
	created map[string][]Piece
	renamed map[string]string
}

type edit struct {
	start, end int
	with       []Piece
}

// A Piece is new text, or a range of an old file.
type Piece struct {
	text       string
	file       string
	start, end int
}

// Text is a piece of new text.
func Text(text string) Piece { return Piece{text: text} }

// Copy is a range of an old file, with the edits that lie in it.
func Copy(file string, start, end int) Piece { return Piece{file: file, start: start, end: end} }

// New prepares edits of the files, which are named as the map's lines will be.
func New(files map[string][]byte) *Edits {
	return &Edits{old: files, edits: map[string][]edit{}, created: map[string][]Piece{}, renamed: map[string]string{}}
}

// Replace puts pieces in the place of a range of a file.
func (e *Edits) Replace(file string, start, end int, with ...Piece) {
	e.edits[file] = append(e.edits[file], edit{start, end, with})
}

// Insert puts text before the byte at an offset. Several insertions at one
// offset stand in the order of the calls.
func (e *Edits) Insert(file string, at int, text string) { e.Replace(file, at, at, Text(text)) }

// Append puts text at the end of a file, on lines of its own.
func (e *Edits) Append(file, text string) {
	old := e.old[file]
	if len(old) > 0 && old[len(old)-1] != '\n' {
		text = "\n" + text
	}
	e.Insert(file, len(old), text)
}

// Create makes a new file.
func (e *Edits) Create(file string, with ...Piece) {
	e.created[file] = append(e.created[file], with...)
}

// Rename gives a file another name.
func (e *Edits) Rename(file, name string) { e.renamed[file] = name }

// Apply returns the files that changed or are new, by their new names, and the
// map of the lines of all files. The old name of a renamed file is there with
// no text. It fails if edits overlap or lie outside of their file.
func (e *Edits) Apply() (map[string][]byte, *Map, error) {
	for file, list := range e.edits {
		slices.SortStableFunc(list, func(a, b edit) int {
			return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
		})
		at := 0
		for _, ed := range list {
			if ed.start < at || ed.end < ed.start || ed.end > len(e.old[file]) {
				return nil, nil, fmt.Errorf("edit of %s at bytes %d to %d overlaps another or lies outside", file, ed.start, ed.end)
			}
			at = ed.end
		}
	}
	out := map[string][]byte{}
	now := map[string]traced{}
	for _, file := range slices.Sorted(maps.Keys(e.old)) {
		name := file
		if to, ok := e.renamed[file]; ok {
			name = to
			out[file] = nil
		}
		text, origin := e.render(nil, nil, Copy(file, 0, len(e.old[file])))
		now[name] = traced{text, origin}
		if len(e.edits[file]) > 0 || name != file {
			out[name] = text
		}
	}
	for _, file := range slices.Sorted(maps.Keys(e.created)) {
		var text []byte
		var origin []from
		for _, p := range e.created[file] {
			text, origin = e.render(text, origin, p)
		}
		now[file] = traced{text, origin}
		out[file] = text
	}
	return out, newMap(e.old, now), nil
}

// render appends a piece with the edits in it.
func (e *Edits) render(text []byte, origin []from, p Piece) ([]byte, []from) {
	if p.file == "" {
		return append(text, p.text...), append(origin, make([]from, len(p.text))...)
	}
	old := e.old[p.file]
	at := p.start
	upTo := func(end int) {
		for ; at < end; at++ {
			text = append(text, old[at])
			origin = append(origin, from{p.file, at, true})
		}
	}
	for _, ed := range e.edits[p.file] {
		// An edit that is not wholly inside belongs to someone else: the cut that
		// moves this very range is one.
		whole := ed.start == p.start && ed.end == p.end && ed.start != ed.end && p.end-p.start < len(old)
		if ed.start < at || ed.end > p.end || whole {
			continue
		}
		upTo(ed.start)
		for _, w := range ed.with {
			text, origin = e.render(text, origin, w)
		}
		at = ed.end
	}
	upTo(p.end)
	return text, origin
}
