package reduce

import (
	"bytes"
	"go/format"
	"maps"
	"strings"
)

// formatUnits are the files that gofmt writes otherwise, with the same lines.
func formatUnits(s *script, _ int) (units []unit, more bool) {
	for _, name := range s.goFiles() {
		text, err := format.Source(s.files[name])
		if err == nil && !bytes.Equal(text, s.files[name]) && bytes.Count(text, []byte("\n")) == bytes.Count(s.files[name], []byte("\n")) {
			units = append(units, unit{file: name})
		}
	}
	return units, false
}

func formatFile(s *script, units []unit) (*script, error) {
	t := *s
	t.files = maps.Clone(s.files)
	for _, u := range units {
		text, err := format.Source(s.files[u.file])
		if err != nil {
			return nil, err
		}
		t.files[u.file] = text
	}
	return &t, nil
}

func commentUnits(s *script, _ int) (units []unit, more bool) {
	for _, f := range s.parse() {
		for _, g := range f.ast.Comments {
			for _, c := range g.List {
				if strings.HasPrefix(c.Text, "//go:") || strings.HasPrefix(c.Text, "//line") {
					continue
				}
				start, end := wholeLines(f.text, f.offset(c.Pos()), f.offset(c.End()))
				units = append(units, unit{file: f.name, start: start, end: end})
			}
		}
	}
	return units, false
}

func blankUnits(s *script, _ int) (units []unit, more bool) {
	for _, name := range s.goFiles() {
		at, last := 0, ""
		for line := range strings.Lines(string(s.files[name])) {
			// One is left between declarations.
			if strings.TrimSpace(line) == "" && !strings.HasPrefix(last, "}") && !strings.HasPrefix(last, "package ") && !strings.HasPrefix(last, "import ") && !strings.HasPrefix(last, ")") {
				units = append(units, unit{file: name, start: at, end: at + len(line)})
			} else {
				last = line
			}
			at += len(line)
		}
	}
	return units, false
}
