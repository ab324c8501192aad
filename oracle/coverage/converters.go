package coverage

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"misstep/finding"
	"misstep/profiler"
	"misstep/profiler/converted"
)

// converters has a converter read a run's profile, and holds what it writes against its format, the profile and the files. The
// seed chooses in which of its ways it is run.
func (c *Case) converters(ctx context.Context, t Trial) (*Verdict, error) {
	by, err := profiler.ParseConverter(t.By)
	if err != nil {
		return nil, err
	}
	p, err := c.with(t)
	if err != nil {
		return nil, err
	}
	r, none, err := c.profiled(ctx, t, p)
	if none != nil || err != nil {
		return none, err
	}
	var args []string
	if n := uint64(len(by.Ways) + 1); t.Seed%n > 0 {
		args = by.Ways[t.Seed%n-1]
	}
	j := &conversion{by: by, run: r, name: strings.Join(append([]string{by.Name()}, args...), " ")}
	text, err := c.Bench.Convert(ctx, r, by, args)
	var tool *profiler.ToolError
	if errors.As(err, &tool) {
		j.differs("fails", "", "what it does", "it ends without an error", tool.Output)
		return verdict(Converters, 1, j.all), nil
	}
	if err != nil {
		return nil, err
	}
	report, err := converted.Parse(by.Format, text)
	if err != nil {
		j.differs("format", "", "what it writes", by.Format, err.Error())
		return verdict(Converters, 1, j.all), nil
	}
	j.sums(report)
	j.files(report)
	return verdict(Converters, j.made, j.all), nil
}

// A conversion is what a converter made of a run's profile, while it is judged.
type conversion struct {
	by   *profiler.Converter
	run  *profiler.Run
	name string
	made int
	all  []difference
}

// differs adds a difference.
func (j *conversion) differs(kind, node, what, want, got string) *difference {
	j.all = append(j.all, difference{what: what, expected: said("the profile", "%s", want), got: said(j.name, "%s", got), kind: kind, node: node, detail: j.by.Name()})
	return &j.all[len(j.all)-1]
}

// sums holds what a report says of its parts against them.
func (j *conversion) sums(r *converted.Report) {
	j.made += len(r.Sums)
	for _, s := range r.Faults() {
		j.differs("sum", s.Kind, s.Of, s.Is, s.Says).expected.By = "the report"
	}
}

// files holds a report's files against those that the profile has blocks of.
func (j *conversion) files(r *converted.Report) {
	parsed, blocks := files(j.run.Subject), counted(j.run)
	for _, name := range sortedKeys(parsed) {
		f := parsed[name]
		if len(blocks[name]) == 0 || hasDirectives(f.text) {
			continue
		}
		j.made++
		var sections []converted.File
		for _, section := range r.Files {
			if j.names(r, section.Name, name) {
				sections = append(sections, section)
			}
		}
		if len(sections) == 0 {
			j.differs("no-file", "", "file "+name, fmt.Sprintf("%d blocks", len(blocks[name])), "it is not there")
			continue
		}
		if j.by.Format == converted.LCOV && len(sections) > 1 {
			j.differs("file-twice", "", "file "+name, "one section", fmt.Sprintf("%d sections", len(sections)))
		}
		hits := j.lines(f, sections)
		for _, s := range f.statements {
			j.statement(f, s, blocks[name], hits)
		}
		j.functions(f, blocks[name], sections)
	}
}

// names reports whether a report's name of a file is that of one of the subject's: an import path, or a path of the file system, which
// may be relative to one of the report's folders or to that of the module.
func (j *conversion) names(r *converted.Report, reported, name string) bool {
	if !filepath.IsAbs(reported) && j.run.Subject.FileOf(reported) == name {
		return true
	}
	want := filepath.Join(j.run.Root(), filepath.FromSlash(name))
	for _, dir := range append([]string{"", j.run.Root()}, r.Sources...) {
		if filepath.Join(dir, filepath.FromSlash(reported)) == want {
			return true
		}
	}
	return false
}

// lines are the lines of a file's sections. A line that is in several of them has the most of its counts.
func (j *conversion) lines(f *file, sections []converted.File) map[int]uint64 {
	hits, last := map[int]uint64{}, len(f.lines())
	for _, section := range sections {
		seen := map[int]bool{}
		for _, l := range section.Lines {
			j.made++
			what := fmt.Sprintf("line %d of %s", l.Number, f.name)
			switch {
			case l.Number > last:
				j.differs("outside", "", what, fmt.Sprintf("%d lines", last), "a line behind its end")
			case seen[l.Number]:
				j.differs("line-twice", "", what, "once", "twice")
			}
			seen[l.Number] = true
			hits[l.Number] = max(hits[l.Number], l.Hits)
		}
	}
	return hits
}

// statement holds the count of the line on which a statement begins against those of the blocks on it.
func (j *conversion) statement(f *file, s statement, blocks []profiler.Block, hits map[int]uint64) {
	own, ok := blockOf(blocks, s)
	if !ok || s.fn == "_" {
		return // which C6 judges
	}
	least, sum, shared, begins := own.Count, uint64(0), 0, false
	for _, b := range blocks {
		if b.Line <= s.line && s.line <= b.EndLine {
			sum += b.Count
			shared++
		}
	}
	node := "one-block"
	switch {
	case s.fn == "":
		node = "outside-functions"
	case shared > 1:
		node = "several-blocks"
	}
	for _, other := range f.statements {
		if b, ok := blockOf(blocks, other); ok && other.line == s.line {
			least = min(least, b.Count)
			begins = begins || b.Count > 0
		}
	}
	j.made++
	what := "line " + fmt.Sprint(s.line) + " of " + f.name
	want := fmt.Sprintf("executed %d times", own.Count)
	if least != sum {
		want = fmt.Sprintf("executed %d to %d times", least, sum)
	}
	var d *difference
	switch got, there := hits[s.line]; {
	case !there:
		d = j.differs("no-line", node, what, want, "it is not there")
	case begins && got == 0, sum == 0 && got > 0:
		d = j.differs(strong, node, what, want, fmt.Sprintf("executed %d times", got))
	case got < least || got > sum:
		d = j.differs(weak, node, what, want, fmt.Sprintf("executed %d times", got))
	default:
		return
	}
	d.place = finding.Place{File: f.name, Line: s.line, Column: s.column, Func: s.fn}
}

// functions holds the functions that a report lists of a file, if it lists any, against those that have blocks.
func (j *conversion) functions(f *file, blocks []profiler.Block, sections []converted.File) {
	var all []converted.Function
	for _, s := range sections {
		all = append(all, s.Functions...)
	}
	if len(all) == 0 {
		return
	}
	for _, fn := range f.functions {
		if fn.blank || !slices.ContainsFunc(blocks, func(b profiler.Block) bool { return within(b, fn) }) {
			continue
		}
		j.made++
		listed := 0
		for _, got := range all {
			if bareName(got.Name) == fn.name && got.Line >= fn.line && got.Line <= fn.endLine {
				listed++
			}
		}
		on := f.alike(fn)
		if listed < 1 || listed > on {
			d := j.differs("listed", "", "function "+fn.name, fmt.Sprintf("listed %d times", on), fmt.Sprintf("%d times", listed))
			d.place = finding.Place{File: f.name, Line: fn.line, Column: fn.column, Func: fn.name}
		}
	}
}
