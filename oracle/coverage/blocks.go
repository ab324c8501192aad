package coverage

import (
	"cmp"
	"context"
	"fmt"
	"go/build"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"misstep/finding"
	"misstep/profiler"
)

// blocks holds a profile against the syntax of the files that it is of.
func (c *Case) blocks(ctx context.Context, t Trial) (*Verdict, error) {
	p, err := c.with(t)
	if err != nil {
		return nil, err
	}
	r, none, err := c.profiled(ctx, t, p)
	if none != nil || err != nil {
		return none, err
	}
	made, all := shaped(r, t.As)
	if t.With != "" {
		// What the case's own profile shows as well is for its own trial to tell.
		if base, none, err := c.profiled(ctx, Trial{As: t.As, Seed: t.Seed}, c.Profiler); err != nil {
			return nil, err
		} else if none == nil {
			_, had := shaped(base, t.As)
			all = beside(all, had)
		}
		for i := range all {
			all[i].detail = joined(all[i].detail, configured(c.Profiler, p))
		}
	}
	return verdict(Blocks, made, all), nil
}

// shaped holds the blocks of each file that a profile has against the file.
func shaped(r *profiler.Run, variant string) (made int, all []difference) {
	parsed, blocks := files(r.Subject), counted(r)
	unknown := map[string]bool{}
	named := slices.ContainsFunc(r.Subject.GoFiles(), func(name string) bool { return hasDirectives(r.Subject.File(name)) })
	for _, b := range r.Profile.Blocks {
		if named {
			break // which files there are is for //line directives to say
		}
		if strings.HasPrefix(b.File, r.Subject.Module()+"/") && r.Subject.FileOf(b.File) == "" && !unknown[b.File] {
			unknown[b.File] = true
			all = append(all, difference{what: "file " + b.File, expected: said(finding.Specification, "a file of the module"), got: said("the profile", "%s", b), kind: "unknown-file"})
		}
	}
	for _, name := range required(r, parsed) {
		made++
		if blocks[name] == nil && len(unknown) == 0 {
			all = append(all, difference{place: finding.Place{File: name}, what: "file", expected: said(finding.Specification, "blocks for its statements"), got: said("the profile", "none"), kind: "no-file", node: r.Profiler.Via})
		}
	}
	for _, name := range sortedKeys(blocks) {
		f := parsed[name]
		if f == nil {
			continue
		}
		n, d := shape(f, blocks[name])
		made += n
		all = append(all, d...)
	}
	for i := range all {
		all[i].detail = joined(all[i].detail, variant)
	}
	return made, all
}

// required are the files that a profile must have blocks of: those with statements of the package that is run, or of all
// packages, where these are covered.
func required(r *profiler.Run, parsed map[string]*file) []string {
	all := r.Profiler.Via == profiler.ByAll
	if !coversOwn(r.Profiler) || r.Profiler.Idle() || all && r.Profiler.Pkgs == "all" || all && r.Code != 0 {
		return nil
	}
	c := build.Default
	c.ReleaseTags = nil
	for minor := 1; minor <= r.Toolchain.Minor; minor++ {
		c.ReleaseTags = append(c.ReleaseTags, fmt.Sprintf("go1.%d", minor))
	}
	if r.Profiler.Race {
		c.BuildTags = append(slices.Clone(c.BuildTags), "race")
	}
	var names []string
	for _, name := range sortedKeys(parsed) {
		f := parsed[name]
		dir := path.Dir(name)
		if beyond(r.Subject, dir) {
			continue
		}
		odd := slices.ContainsFunc(strings.Split(dir, "/"), func(e string) bool {
			return e == "testdata" || e == "vendor" || e != "." && strings.HasPrefix(e, ".") || strings.HasPrefix(e, "_")
		})
		if odd || !all && dir != path.Clean(r.Subject.Package) || !slices.ContainsFunc(f.statements, func(s statement) bool { return s.fn != "_" && s.fn != "" }) {
			continue
		}
		at := r.Where
		if all {
			at = filepath.Join(at, filepath.FromSlash(dir))
		}
		if hasDirectives(r.Subject.File(name)) {
			continue // its blocks may be said to lie in other files
		}
		if fits, err := c.MatchFile(at, path.Base(name)); err == nil && fits {
			names = append(names, name)
		}
	}
	return names
}

// beyond reports whether a folder lies in another module.
func beyond(s *profiler.Subject, dir string) bool {
	for ; dir != "."; dir = path.Dir(dir) {
		if s.File(path.Join(dir, "go.mod")) != nil {
			return true
		}
	}
	return false
}

// shape holds the blocks of a file against its syntax.
func shape(f *file, blocks []profiler.Block) (made int, all []difference) {
	lines := f.lines()
	inside := func(line, column int) bool {
		return line >= 1 && line <= len(lines) && column >= 1 && column <= lines[line-1]+1
	}
	wrong := func(b profiler.Block, kind, want, got string, args ...any) {
		all = append(all, difference{
			place: finding.Place{File: f.name, Line: b.Line, Column: b.Column}, what: "block " + b.At(),
			expected: said(finding.Specification, "%s", want), got: said("the profile", got, args...), kind: kind,
		})
	}
	sorted := slices.Clone(blocks)
	slices.SortFunc(sorted, func(a, b profiler.Block) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.EndLine, b.EndLine), cmp.Compare(a.EndColumn, b.EndColumn))
	})
	for i, b := range sorted {
		made++
		switch {
		case !inside(b.Line, b.Column), !inside(b.EndLine, b.EndColumn):
			wrong(b, "outside", fmt.Sprintf("a place within the %d lines of the file", len(lines)), "%s", b)
			continue
		case b.EndLine < b.Line, b.EndLine == b.Line && b.EndColumn < b.Column:
			wrong(b, "backwards", "an end after the beginning", "%s", b)
			continue
		}
		if i > 0 && (sorted[i-1].Contains(b.Line, b.Column) || sorted[i-1].At() == b.At()) {
			wrong(b, "overlap", "no other block at its beginning", "%s beside %s", b, sorted[i-1])
		}
	}
	for _, fn := range f.functions {
		if !fn.blank {
			continue
		}
		made++
		if i := slices.IndexFunc(blocks, func(b profiler.Block) bool { return within(b, fn) }); i >= 0 {
			wrong(blocks[i], "blank", "no block in a function that nothing can execute", "%s", blocks[i])
		}
	}
	counts := map[string]int{}
	for _, s := range f.statements {
		if s.fn == "_" {
			continue // cannot be executed (Rules, C6)
		}
		made++
		var in []profiler.Block
		for _, b := range blocks {
			if b.Contains(s.line, s.column) {
				in = append(in, b)
			}
		}
		switch len(in) {
		case 1:
			counts[in[0].At()]++
		case 0:
			all = append(all, difference{
				place: finding.Place{File: f.name, Line: s.line, Column: s.column, Func: s.fn}, what: "statement",
				expected: said(finding.Specification, "a block that has it"), got: said("the profile", "none"), kind: "no-block", node: s.kind,
			})
		}
	}
	for _, b := range blocks {
		if slices.ContainsFunc(f.functions, func(fn function) bool { return fn.blank && within(b, fn) }) {
			continue
		}
		idle := 0 // which may be counted (tolerance idle-statements)
		for _, at := range f.idle {
			if b.Contains(at.Line, at.Column) || at.Line == b.EndLine && at.Column == b.EndColumn {
				idle++
			}
		}
		if n := counts[b.At()]; b.Statements < n || b.Statements > n+idle {
			wrong(b, "statements", fmt.Sprintf("%d statements", n), "%d", b.Statements)
		}
	}
	return made, all
}
