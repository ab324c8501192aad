package coverage

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"misstep/finding"
	"misstep/profiler"
)

// funcLine is a line of cover -func and covdata func.
var funcLine = regexp.MustCompile(`^(.+):(\d+):\s+(\S+)\s+(\S+%)$`)

// listed is a function as a tool lists it.
type listed struct{ name, share string }

// list reads what a tool prints of functions: those of the subject's files, by file and line, and the total.
func list(r *profiler.Run, out string) (by map[string]map[string][]listed, total string) {
	by = map[string]map[string][]listed{}
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "total:") || strings.HasPrefix(line, "total\t") {
			f := strings.Fields(line)
			total = f[len(f)-1]
			continue
		}
		m := funcLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		name := r.Subject.FileOf(m[1])
		if by[name] == nil {
			by[name] = map[string][]listed{}
		}
		by[name][m[2]] = append(by[name][m[2]], listed{m[3], m[4]})
	}
	return by, total
}

// listing holds a list of functions against the files and the profile.
func listing(tool string, r *profiler.Run, out string) (made int, all []difference) {
	by, total := list(r, out)
	blocks, parsed := counted(r), files(r.Subject)
	for _, name := range sortedKeys(parsed) {
		f := parsed[name]
		if blocks[name] == nil {
			continue
		}
		for _, fn := range f.functions {
			mine := slices.DeleteFunc(slices.Clone(blocks[name]), func(b profiler.Block) bool { return !within(b, fn) })
			covered, statements := profiler.Sum(mine)
			var got []listed
			late := 0 // a line behind its header that is named
			for line := fn.line; line <= fn.endLine; line++ {
				for _, l := range by[name][fmt.Sprint(line)] {
					if bareName(l.name) == fn.name {
						got = append(got, l)
						if line > fn.open { // any line of the header may be
							late = line
						}
					}
				}
			}
			at := finding.Place{File: name, Line: fn.line, Column: fn.column, Func: fn.name}
			onLine := f.alike(fn)
			if fn.blank && len(got) == 0 {
				continue
			}
			made++
			switch {
			case len(got) != onLine:
				d := unlikeTool(tool, "listed", "function "+fn.name, fmt.Sprintf("listed %d times", onLine), fmt.Sprintf("%d times", len(got)))
				d.place, d.expected.By = at, finding.Specification
				all = append(all, d)
			case late > 0:
				d := unlikeTool(tool, "line", "function "+fn.name, fmt.Sprintf("listed at line %d", fn.line), fmt.Sprintf("listed at line %d", late))
				d.place, d.expected.By = at, finding.Specification
				all = append(all, d)
			case tool == "covdata-func" && f.named(fn.name) > named(by[name], fn.name): // of which it lists some as one
			case onLine == 1 && statements > 0 && got[0].share != share(covered, statements):
				d := unlikeTool(tool, "share", "function "+fn.name, share(covered, statements), got[0].share)
				d.place = at
				all = append(all, d)
			}
		}
	}
	for _, name := range sortedKeys(by) {
		f := parsed[name]
		if f == nil {
			continue
		}
		for _, line := range sortedKeys(by[name]) {
			made++
			if !slices.ContainsFunc(f.functions, func(fn function) bool { return fn.has(line) }) {
				d := unlikeTool(tool, "listed", "function "+by[name][line][0].name, "no function with a body", "listed as "+by[name][line][0].share)
				d.place, d.expected.By, d.detail = finding.Place{File: name}, finding.Specification, "no-body"
				all = append(all, d)
			}
		}
	}
	covered, statements := profiler.Sum(r.Profile.Merged())
	made++
	if want := share(covered, statements); statements > 0 && total != want {
		all = append(all, unlikeTool(tool, "total", "the total", want, total))
	}
	return made, all
}

// alike is how many functions of a function's name there are on its lines, itself among them.
func (f *file) alike(fn function) (n int) {
	for _, other := range f.functions {
		if other.line <= fn.endLine && fn.line <= other.endLine && other.name == fn.name {
			n++
		}
	}
	return n
}

// named is how many functions of a name a file has, whatever their receivers.
func (f *file) named(name string) (n int) {
	for _, fn := range f.functions {
		if fn.name == name {
			n++
		}
	}
	return n
}

// named is how many functions of a name are listed.
func named(by map[string][]listed, name string) (n int) {
	for _, list := range by {
		for _, l := range list {
			if bareName(l.name) == name {
				n++
			}
		}
	}
	return n
}

// has reports whether a line is one of the function's.
func (fn function) has(line string) bool {
	n, err := strconv.Atoi(line)
	return err == nil && fn.line <= n && n <= fn.endLine
}

// bareName is a method's name without its receiver.
func bareName(name string) string { return name[strings.LastIndex(name, ".")+1:] }

// within reports whether a block is one of a function.
func within(b profiler.Block, fn function) bool {
	from := b.Line > fn.line || b.Line == fn.line && b.Column >= fn.column
	to := b.EndLine < fn.endLine || b.EndLine == fn.endLine && b.EndColumn <= fn.endCol
	return from && to
}
