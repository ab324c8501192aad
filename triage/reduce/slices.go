package reduce

import (
	"go/ast"
	"go/format"
	"regexp"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/internal/source"
	"misstep/script"
)

// Slices are what is left of a program with regard to each of its statements, as far as that is a program of at most so many lines:
// few that together have what all of them have. Of the rest of the program they have what the statement needs as far as
// names tell; whether a slice runs is not known.
func Slices(files []script.File, target string, lines int) (all [][]script.File) {
	var made []slice
	seen := map[string]bool{}
	for _, p := range statementsOf(files) {
		s := candidateOf(&script.Script{Files: files, Commands: []script.Command{
			{Verb: "debug", Args: []string{target}},
			{Verb: string(dap.Break), Action: dap.Action{Kind: dap.Break, File: p.File, Line: p.Line}},
		}})
		c, err := takeSlice(s, []unit{{command: assigned}})
		if err != nil {
			continue
		}
		c, _ = mend(c)
		if c == nil || c.Lines() > lines {
			continue
		}
		c = tidy(c)
		c.Commands = nil
		key := c.key()
		if seen[key] {
			continue
		}
		seen[key] = true
		has := map[string]bool{}
		for _, name := range c.GoFiles() {
			for l := range strings.Lines(string(c.File(name))) {
				has[name+": "+strings.TrimSpace(l)] = true
			}
		}
		made = append(made, slice{c.Files, has})
	}
	known := map[string]bool{}
	for len(made) > 0 {
		best := 0
		for i := range made {
			if made[i].news(known) > made[best].news(known) {
				best = i
			}
		}
		if made[best].news(known) == 0 {
			break
		}
		for l := range made[best].has {
			known[l] = true
		}
		all = append(all, made[best].files)
		made = slices.Delete(made, best, best+1)
	}
	return all
}

// emptyImport is what is left of an import declaration whose packages nothing needs.
var emptyImport = regexp.MustCompile(`(?m)^import \(\s*\)\n`)

// tidy is a slice without what its gaps look like.
func tidy(c *candidate) *candidate {
	files := slices.Clone(c.Files)
	for i := range files {
		if !strings.HasSuffix(files[i].Name, ".go") {
			continue
		}
		if text, err := format.Source(emptyImport.ReplaceAll(files[i].Data, nil)); err == nil {
			files[i].Data = text
		}
	}
	return candidateOf(&script.Script{Files: files})
}

// A slice is a program with its lines of text.
type slice struct {
	files []script.File
	has   map[string]bool
}

// news counts the lines that are not known.
func (s slice) news(known map[string]bool) (n int) {
	for l := range s.has {
		if !known[l] {
			n++
		}
	}
	return n
}

// statementsOf are the lines on which a statement begins.
func statementsOf(files []script.File) (places []source.Place) {
	seen := map[source.Place]bool{}
	for _, f := range candidateOf(&script.Script{Files: files}).parse() {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if _, ok := n.(ast.Stmt); ok {
				if p := (source.Place{File: f.name, Line: f.tok.Line(n.Pos())}); !seen[p] {
					seen[p] = true
					places = append(places, p)
				}
			}
			return true
		})
	}
	return places
}
