package covered

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
)

//go:embed page.html
var pageText string

// The page's parts.
type (
	page struct {
		Name                             string
		Files                            []pageFile
		Statements, Branches, Conditions string
	}
	pageFile struct {
		ID                               int
		Name                             string
		Statements, Branches, Conditions string
		Lines                            []pageLine
	}
	pageLine struct {
		File, Number            int
		Class, Count, Text, Why string
	}
)

// WriteHTML writes one page by itself: each file beside how often its lines were executed, green, red, or half where a
// branch or condition of theirs did not go each way.
func (r *Report) WriteHTML(out io.Writer, name string) error {
	t, err := template.New("page").Parse(pageText)
	if err != nil {
		return fmt.Errorf("reading the page's template: %w", err)
	}
	s := r.Shares()
	p := page{Name: name, Statements: cell(s.Statements), Branches: cell(s.Branches), Conditions: cell(s.Conditions)}
	for i, f := range r.Files {
		s := f.Shares()
		file := pageFile{ID: i, Name: f.Name, Statements: cell(s.Statements), Branches: cell(s.Branches), Conditions: cell(s.Conditions)}
		counts := map[int]int{}
		for _, l := range f.lines() {
			counts[l.number] = l.count
		}
		for _, b := range f.Branches {
			for _, o := range b.Outcomes {
				// A clause has a line, and mostly no statement on it.
				if _, has := counts[o.Line]; !has && o.Line > 0 && b.Kind != "if" {
					counts[o.Line] = o.Count
				}
			}
		}
		number := 0
		for text := range strings.Lines(f.Text) {
			number++
			l := pageLine{File: i, Number: number, Text: strings.TrimRight(text, "\r\n")}
			if n, ok := counts[number]; ok {
				l.Count, l.Class = fmt.Sprint(n), "done"
				if n == 0 {
					l.Class = "none"
				}
			}
			if l.Class != "none" {
				l.Why = f.missing(number)
				if l.Why != "" {
					l.Class = "half"
				}
			}
			file.Lines = append(file.Lines, l)
		}
		p.Files = append(p.Files, file)
	}
	return t.Execute(out, p)
}

// missing says which ways the branches of a line did not go that were come to.
func (f *File) missing(number int) string {
	var all []string
	for _, b := range f.Branches {
		if b.Line != number || b.evaluated() == 0 || b.Whole {
			continue
		}
		for _, o := range b.Outcomes {
			if o.Count > 0 {
				continue
			}
			if b.Condition() {
				all = append(all, fmt.Sprintf("%s was never %s", b.Text, o.Name))
			} else if o.Line == 0 || b.Kind == "if" {
				all = append(all, fmt.Sprintf("%s: never %s", b.Kind, o.Name))
			}
		}
	}
	return strings.Join(all, "; ")
}
