package view

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"

	"misstep/history"
	"misstep/internal/source"
)

// sources are the files of a plan, parsed.
type sources struct {
	plan  *history.Plan
	fset  *token.FileSet
	files []*ast.File // nil of a file that does not parse
	// starts are the offsets of each file's lines.
	starts [][]int
	sites  map[int]branch
	heads  map[headKey]span // what stands before the body of statements
	names  map[string]int   // files, by their names and paths
}

// newSources parses the files of a plan, and finds the branches of its sites.
func newSources(p *history.Plan) *sources {
	s := &sources{plan: p, fset: token.NewFileSet(), sites: map[int]branch{}, names: map[string]int{}}
	for i, f := range p.Files {
		file, err := parser.ParseFile(s.fset, f.Path, f.Text, parser.SkipObjectResolution)
		if err != nil {
			file = nil
		}
		s.files = append(s.files, file)
		starts := []int{0}
		for at, c := range []byte(f.Text) {
			if c == '\n' {
				starts = append(starts, at+1)
			}
		}
		s.starts = append(s.starts, starts)
		s.names[f.Path] = i
	}
	for i, f := range p.Files {
		s.names[f.Name] = i
	}
	s.branches()
	return s
}

// offset is that of a place in a file; -1 if there is no such place.
func (s *sources) offset(file, line, column int) int {
	starts := s.starts[file]
	if line < 1 || line > len(starts) {
		return -1
	}
	return starts[line-1] + max(column, 1) - 1
}

// line is a line's text without the space around it.
func (s *sources) line(file, line int) string {
	starts := s.starts[file]
	if line < 1 || line > len(starts) {
		return ""
	}
	text := s.plan.Files[file].Text[starts[line-1]:]
	text, _, _ = strings.Cut(text, "\n")
	return strings.TrimSpace(text)
}

// short is a piece of a file on one line, and not a long one.
func (s *sources) short(file, from, to int) string {
	text := s.plan.Files[file].Text
	if from < 0 || to > len(text) || from > to {
		return ""
	}
	return source.Shorten(text[from:to], maxText)
}

// maxText is how many letters of the source a row shows.
const maxText = 119
