package rewrite

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"misstep/internal/gobuild"
	"misstep/internal/srcedit"
)

// Listing prints the files of a rewritten program that are not on disk so, for
// a person: before each line the number of the old line that it stems from, or +
// if the rewrite owns it, and its own; after them, old lines that are gone or
// share a line now.
func Listing(p *gobuild.Program, m *srcedit.Map) string {
	var b strings.Builder
	for _, path := range slices.Sorted(maps.Keys(p.Overlay)) {
		text := p.Overlay[path]
		name := p.Rel(path)
		if text == nil {
			fmt.Fprintf(&b, "-- %s is gone --\n", name)
			continue
		}
		fmt.Fprintf(&b, "-- %s --\n", name)
		n := 0
		for line := range strings.Lines(string(text)) {
			n++
			from := "+"
			if old, ok := m.Back(srcedit.Line{File: name, Line: n}); ok {
				from = fmt.Sprint(old.Line)
				if old.File != name {
					from = fmt.Sprintf("%s:%d", old.File, old.Line)
				}
			}
			line = strings.TrimRight(line, "\n")
			if cr := strings.TrimSuffix(line, "\r"); cr != line {
				line = cr + `\r`
			}
			fmt.Fprintln(&b, strings.TrimRight(fmt.Sprintf("%5s %5d  %s", from, n, line), " "))
		}
	}
	for _, mv := range m.Moves() {
		if mv.To.File == "" {
			fmt.Fprintf(&b, "line %s:%d is gone\n", mv.From.File, mv.From.Line)
		} else if old, ok := m.Back(mv.To); ok && old != mv.From {
			fmt.Fprintf(&b, "line %s:%d has joined line %s:%d\n", mv.From.File, mv.From.Line, mv.To.File, mv.To.Line)
		}
	}
	return b.String()
}
