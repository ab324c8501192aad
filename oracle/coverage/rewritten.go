package coverage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"misstep/finding"
	"misstep/internal/gobuild"
	"misstep/internal/srcedit"
	"misstep/profiler"
	"misstep/transform/rewrite"
)

// rewrites begins the names of variants that are transformations of programs.
const rewrites = "rewrite/"

// unfitting are transformations of programs after which not the same is run.
var unfitting = map[string]string{
	"main-to-test": "it is a test then, which is run by go test",
	"crlf":         "layout/crlf is the same",
}

// transformations are variants by the transformations of programs that debuggers are tested with.
func transformations() []Variant {
	var all []Variant
	for _, t := range rewrite.All {
		if unfitting[t.Name] == "" {
			all = append(all, Variant{Name: rewrites + t.Name, Doc: "the transformation of programs; misstep transform --explain " + t.Name, Chooses: true})
		}
	}
	return all
}

// rewritten is a subject after a transformation, with the map of its lines.
func (c *Case) rewritten(ctx context.Context, t Trial) (*profiler.Subject, *srcedit.Map, error) {
	if c.Subject.Test {
		return nil, nil, &profiler.Impossible{Reason: "tests are not transformed"}
	}
	dir, err := os.MkdirTemp(c.dir, "rewritten-")
	if err != nil {
		return nil, nil, fmt.Errorf("making a folder for a program: %w", err)
	}
	source := filepath.Join(dir, "source")
	p, err := unpacked(source, c.Subject, oldest)
	if err != nil {
		return nil, nil, err
	}
	// The toolchain at hand transforms; the one under test takes what comes of it, if its language is new enough.
	chain := &rewrite.Chain{Keeper: c.Bench.Keeper, Cache: c.Bench.Cache, Engine: engineFor(profiler.Profiler{}), Seed: t.Seed}
	result, lines, _, err := chain.Apply(ctx, p, []string{strings.TrimPrefix(t.As, rewrites)})
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, nil, &profiler.Impossible{Reason: shortReason(err, t.As)}
	}
	files, _, err := gobuild.Pack(result)
	if err != nil {
		return nil, nil, &profiler.Impossible{Reason: shortReason(err, t.As)}
	}
	kept := map[string]bool{}
	for _, f := range files {
		kept[f.Name] = true
	}
	for _, f := range c.Subject.Files {
		if !kept[f.Name] && !strings.HasSuffix(f.Name, ".go") {
			files = append(files, f)
		}
	}
	return c.Subject.With(files), lines, nil
}

// shortReason is why a transformation is not made.
func shortReason(err error, as string) string {
	var build *gobuild.BuildError
	if errors.As(err, &build) {
		return "as " + as + ", it is not built without -cover either"
	}
	if strings.Contains(err.Error(), "does not apply to") {
		return "as " + as + ": it has no place for that"
	}
	return "as " + as + ": " + err.Error()
}

// compareLines holds the counts of statements against those of a program that was transformed: of each that is alone on its
// line, there and here, and is of the same kind.
func compareLines(base, other *profiler.Run, lines *srcedit.Map, variant string) (made int, all []difference) {
	mine, theirs := files(base.Subject), files(other.Subject)
	a, b := counted(base), counted(other)
	alone := func(f *file) map[int]*statement {
		at := map[int]*statement{}
		for i, s := range f.statements {
			if _, twice := at[s.line]; twice {
				at[s.line] = nil
			} else {
				at[s.line] = &f.statements[i]
			}
		}
		return at
	}
	for _, name := range sortedKeys(theirs) {
		if b[name] == nil && ownOnly(other.Profiler) && path.Dir(name) != path.Clean(other.Subject.Package) {
			continue
		}
		single := alone(theirs[name])
		for i := range theirs[name].statements {
			s := &theirs[name].statements[i]
			old, ok := lines.Back(srcedit.Line{File: name, Line: s.line})
			if !ok || single[s.line] != s || s.fn == "_" || mine[old.File] == nil {
				continue
			}
			was := alone(mine[old.File])[old.Line]
			if was == nil || was.kind != s.kind || was.fn == "_" {
				continue
			}
			x, ok := blockOf(a[old.File], *was)
			if !ok {
				continue
			}
			made++
			y, ok := blockOf(b[name], *s)
			if ok && y.Count == x.Count {
				continue
			}
			d := difference{
				place: finding.Place{File: old.File, Line: was.line, Column: was.column, Func: was.fn}, what: "statement " + was.place(old.File),
				expected: said(base.Profiler.String(), "executed %d times", x.Count), got: said("as "+variant+", at "+s.place(name), "executed %d times", y.Count),
				kind: strength(x.Count, y.Count), node: s.kind, detail: variant,
			}
			if !ok {
				d.kind, d.got.Text = "no-block", "no block has it"
			}
			all = append(all, d)
		}
	}
	return made, all
}
