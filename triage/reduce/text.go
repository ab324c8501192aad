package reduce

import (
	"bytes"
	"go/format"
	"slices"
	"strings"
)

// formatUnits are the files that gofmt writes differently, with the same lines.
func formatUnits(s *candidate, _ int) (units []unit, more bool) {
	for _, name := range s.GoFiles() {
		text, err := format.Source(s.files[name])
		if err == nil && !bytes.Equal(text, s.files[name]) && bytes.Count(text, []byte("\n")) == bytes.Count(s.files[name], []byte("\n")) {
			units = append(units, unit{file: name})
		}
	}
	return units, false
}

func formatFile(s *candidate, units []unit) (*candidate, error) {
	t := s.Clone()
	for i, f := range t.Files {
		if !slices.ContainsFunc(units, func(u unit) bool { return u.file == f.Name }) {
			continue
		}
		text, err := format.Source(f.Data)
		if err != nil {
			return nil, err
		}
		t.Files[i].Data = text
	}
	return candidateOf(t), nil
}

func commentUnits(s *candidate, _ int) (units []unit, more bool) {
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

func blankUnits(s *candidate, _ int) (units []unit, more bool) {
	for _, name := range s.GoFiles() {
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
