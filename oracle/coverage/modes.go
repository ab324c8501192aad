package coverage

import (
	"context"
	"errors"
	"path"
	"strings"

	"misstep/finding"
	"misstep/profiler"
)

// modes holds the modes' counts against each other.
func (c *Case) modes(ctx context.Context, t Trial) (*Verdict, error) {
	own, err := c.with(t)
	if err != nil {
		return nil, err
	}
	var runs []*profiler.Run
	for _, mode := range []string{profiler.Count, profiler.Set, profiler.Atomic} {
		p := own
		p.Mode = mode
		r, none, err := c.profiled(ctx, t, p)
		if none != nil || err != nil {
			return none, err
		}
		runs = append(runs, r)
	}
	count, set, atomic := runs[0], runs[1], runs[2]
	made, all := compareCounts(count, set, byPlace, func(a, b uint64) (uint64, uint64) { return min(a, 1), b }, t.As)
	n, more := compareCounts(count, atomic, byPlace, nil, t.As)
	for i := range all {
		all[i].detail = joined(all[i].detail, profiler.Set)
	}
	for i := range more {
		more[i].detail = joined(more[i].detail, profiler.Atomic)
	}
	n2, clash, err := c.bothModes(ctx, count, set)
	if err != nil {
		return nil, err
	}
	made += n2
	all = append(all, clash...)
	for _, r := range runs {
		made++
		if r.Profile.Mode != r.Profiler.Mode {
			all = append(all, difference{what: "the profile's mode", expected: said("-covermode", "%s", r.Profiler.Mode), got: said("the profile", "%s", r.Profile.Mode), kind: "mode"})
		}
	}
	return verdict(Mode, made+n, append(all, more...)), nil
}

// bothModes has covdata read counters of two modes at once, as a folder of several runs may have them: the shares of
// statements are known all the same.
func (c *Case) bothModes(ctx context.Context, a, b *profiler.Run) (made int, all []difference, err error) {
	if a.Data == "" || b.Data == "" {
		return 0, nil, nil
	}
	var one, both string
	for _, of := range []struct {
		input string
		out   *string
	}{{a.Data, &one}, {a.Data + "," + b.Data, &both}} {
		*of.out, err = c.Bench.Tool(ctx, a, "covdata", "percent", "-i="+of.input)
		var tool *profiler.ToolError
		if errors.As(err, &tool) {
			return 1, []difference{{
				what: "covdata percent -i=" + of.input, expected: said("of mode count alone", "%s", one), got: said(tool.Tool, "%s", tool.Output), kind: "covdata-percent", node: "fails", detail: "two modes",
			}}, nil
		}
		if err != nil {
			return 0, nil, err
		}
	}
	if one != both {
		x, y := firstDifference(one, both)
		all = append(all, difference{what: "covdata percent", expected: said("of mode count alone", "%s", x), got: said("with mode set beside", "%s", y), kind: "covdata-percent", node: "share", detail: "two modes"})
	}
	return 1, all, nil
}

// A key tells which statements of two programs are the same one.
type key struct{ a, b int }

// compareCounts holds the counts of statements in two profiles against each other: those that have the same key in files
// of the same name. Adjust, if not nil, is what is compared of a count and its other.
func compareCounts(base, other *profiler.Run, keyed func(statement) key, adjust func(a, b uint64) (uint64, uint64), variant string) (made int, all []difference) {
	mine, theirs := files(base.Subject), files(other.Subject)
	a, b := counted(base), counted(other)
	for _, name := range sortedKeys(mine) {
		f, g := mine[name], theirs[name]
		if f == nil || g == nil || a[name] == nil || b[name] == nil && ownOnly(other.Profiler) && path.Dir(name) != path.Clean(other.Subject.Package) {
			continue
		}
		of := map[key]statement{}
		for i, s := range g.unmarked() {
			of[keyOf(keyed, s, i)] = s
		}
		for i, s := range f.unmarked() {
			twin, ok := of[keyOf(keyed, s, i)]
			if !ok || s.fn == "_" {
				continue
			}
			x, ok := blockOf(a[name], s)
			if !ok {
				continue // which C6 judges
			}
			made++
			y, ok := blockOf(b[name], twin)
			want := x.Count
			if adjust != nil {
				want, y.Count = adjust(want, y.Count)
			}
			switch {
			case !ok:
				all = append(all, difference{
					place: finding.Place{File: name, Line: twin.line, Column: twin.column, Func: twin.fn}, what: "statement " + s.place(name),
					expected: said(base.Profiler.String(), "executed %d times", want), got: said(joined(other.Profiler.String(), variant), "no block has it"), kind: "no-block", node: s.kind, detail: variant,
				})
			case y.Count < want && !f.begins(x, s) && g.begins(y, twin), y.Count > want && f.begins(x, s) && !g.begins(y, twin):
				// One has cut a block in two, and what comes before need not return (tolerance first-of-block).
			case y.Count != want:
				all = append(all, difference{
					place: finding.Place{File: name, Line: twin.line, Column: twin.column, Func: twin.fn}, what: "statement " + s.place(name),
					expected: said(base.Profiler.String(), "executed %d times", want), got: said(joined(other.Profiler.String(), variant), "executed %d times", y.Count),
					kind: strength(want, y.Count), node: s.kind, detail: variant,
				})
			}
		}
	}
	return made, all
}

// ownOnly reports whether of the module's packages only the program's own is covered.
func ownOnly(p profiler.Profiler) bool {
	first, _, _ := strings.Cut(p.Pkgs, ",")
	return first == "." || p.Pkgs == "" && p.Via == profiler.ByTest
}

// byPlace tells statements of the same text apart.
func byPlace(s statement) key { return key{s.line, s.column} }

// keyOf is the key of the i-th statement; without another way to tell, its number.
func keyOf(keyed func(statement) key, s statement, i int) key {
	if keyed == nil {
		return key{i, 0}
	}
	return keyed(s)
}
