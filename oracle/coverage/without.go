package coverage

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"misstep/internal/gobuild"
	"misstep/profiler"
)

// without holds a covered build and its run against those without counters.
func (c *Case) without(ctx context.Context, t Trial) (*Verdict, error) {
	p, err := c.with(t)
	if err != nil {
		return nil, err
	}
	covered, err := c.run(ctx, t, p, true)
	if err != nil {
		return nil, err
	}
	plain, err := c.plain(ctx, t, p)
	if err != nil {
		return nil, err
	}
	if plain.Failed != "" {
		all := mistakes(t, plain, covered)
		if len(all) == 0 {
			_, all = misplaced(t, plain.Subject, plain.Failed, covered.Failed)
		}
		return verdict(Without, 1, all), nil
	}
	if strings.HasPrefix(t.As, errorVariants) {
		return not("as %s, it is built", t.As), nil
	}
	if why := incomparable(p, plain, covered); why != "" {
		return not("%s", why), nil
	}
	if plain.Explained != "" && covered.Failed == "" {
		held, all := misplaced(t, plain.Subject, plain.Explained, covered.Explained)
		if held == 0 {
			return not("the compiler says nothing of the program with -cover that it says without"), nil
		}
		return verdict(Without, held, all), nil
	}
	all := c.unlike(t, p, plain, covered)
	if strings.HasPrefix(t.As, besides) {
		// The go command may remark on what a pattern matches (tolerance remarks-beside).
		all = slices.DeleteFunc(all, func(d difference) bool { return d.kind == "stderr" })
	}
	if len(all) > 0 && covered.Failed == "" {
		// What a program prints may depend on the time, which two runs at once do not show.
		s, _, err := c.as(ctx, t)
		if err != nil {
			return nil, err
		}
		again, err := c.Bench.Run(ctx, s, plain.Profiler, false, c.dir)
		if err != nil {
			return nil, err
		}
		if len(differences(plain, again)) > 0 {
			return not("two runs without -cover differ"), nil
		}
	}
	if len(all) > 0 {
		if err := c.simplest(ctx, t, p, all); err != nil {
			return nil, err
		}
	}
	return verdict(Without, 1, all), nil
}

// simplest names the configuration that differences are of without the way and the mode that they also show without.
func (c *Case) simplest(ctx context.Context, t Trial, p profiler.Profiler, all []difference) error {
	for _, simpler := range []func(*profiler.Profiler){
		func(p *profiler.Profiler) { p.Way, p.Mode = "", c.Profiler.Mode },
		func(p *profiler.Profiler) { p.Way = "" },
		func(p *profiler.Profiler) { p.Mode = c.Profiler.Mode },
	} {
		q := p
		if simpler(&q); q == p {
			continue
		}
		covered, err := c.run(ctx, t, q, true)
		if err != nil {
			return err
		}
		plain, err := c.plain(ctx, t, q)
		if err != nil {
			return err
		}
		if plain.Failed != "" || incomparable(q, plain, covered) != "" {
			continue
		}
		same := map[string]difference{}
		for _, d := range c.unlike(t, q, plain, covered) {
			same[d.kind] = d
		}
		// Another message is that of another failure.
		if !slices.ContainsFunc(all, func(d difference) bool { s, ok := same[d.kind]; return !ok || s.message != d.message }) {
			for i, d := range all {
				all[i].detail = same[d.kind].detail
			}
			return nil
		}
	}
	return nil
}

// unlike are the differences between a run and a covered one.
func (c *Case) unlike(t Trial, p profiler.Profiler, plain, covered *profiler.Run) []difference {
	where := configured(c.Profiler, p)
	if covered.Failed != "" {
		return []difference{{
			what: "the build", expected: said("without -cover", "it is built"), got: said("with -cover", "%s", covered.Failed),
			kind: "build", node: family(t.As), detail: joined(where, messageOf(covered.Failed)), message: messageOf(covered.Failed),
		}}
	}
	all := differences(plain, covered)
	for i := range all {
		all[i].node, all[i].detail = family(t.As), where
		all[i].expected.By, all[i].got.By = "without -cover", "with -cover"
	}
	return all
}

// mistakes are the differences between what is said of a program with an error without -cover and with it: the tools must not crash
// of it, and it must be refused.
func mistakes(t Trial, plain, covered *profiler.Run) []difference {
	detail := ""
	switch {
	case crashed.MatchString(covered.Failed) && !crashed.MatchString(plain.Failed):
		detail = joined("crash", messageOf(covered.Failed))
	case covered.Failed == "" && covered.Unread != "nothing was run":
		detail = "accepted"
	default:
		return nil
	}
	got := covered.Failed
	if got == "" {
		got = "it is built"
	}
	return []difference{{
		what: "the build of a program with an error", expected: said("without -cover", "%s", plain.Failed), got: said("with -cover", "%s", got), kind: "build", node: family(t.As), detail: detail,
	}}
}

// errorVariants begins the names of variants that do not compile.
const errorVariants = "error/"

// crashed is what tools print that do not end as they should.
var crashed = regexp.MustCompile(`internal compiler error|panic: |fatal error: |SIGSEGV`)

// incomparable is why a run is not held against a covered one; empty if it is.
func incomparable(p profiler.Profiler, plain, covered *profiler.Run) string {
	switch {
	case refused.MatchString(covered.Failed):
		return "the flags do not go together"
	case covered.Failed != "":
	case asks(covered.Subject):
		return "the program may ask whether it is covered"
	case plain.Code < 0, covered.Code < 0 && p.Race:
		return "it does not end by itself" // or takes longer than there is time
	}
	return ""
}

// asks reports whether a program may ask whether, and how far, it is covered, or which functions its packages begin with.
func asks(s *profiler.Subject) bool {
	return slices.ContainsFunc(s.Files, func(f gobuild.File) bool { return strings.HasSuffix(f.Name, ".go") && asking.Match(f.Data) })
}

var asking = regexp.MustCompile(`\btesting\.Cover|"runtime/coverage"|\.\.inittask\b|\bReadBuildInfo\b`)

// refused are messages of the go command that say that flags do not go together, which is no fault.
var refused = regexp.MustCompile(`-covermode must be "atomic"|-race (is only supported|requires cgo)`)

// configured is how a profiler differs from another, in a word or two; empty if it does not.
func configured(base, p profiler.Profiler) string {
	var words []string
	if p.Via != base.Via {
		words = append(words, p.Via)
	}
	if p.Mode != base.Mode {
		words = append(words, p.Mode)
	}
	if p.Pkgs != base.Pkgs {
		words = append(words, "coverpkg")
	}
	if p.Race {
		words = append(words, "race")
	}
	if p.Trim {
		words = append(words, "trimpath")
	}
	if p.Way != "" {
		words = append(words, p.Way)
	}
	return strings.Join(words, "+")
}

// family is that of a variant, of which the names of all others say what one does: for names, it does not matter which kind
// of declaration has one.
func family(variant string) string {
	if name, _, is := strings.Cut(variant, "/"); is && name == "names" {
		return name
	}
	return variant
}

// joined are texts with blanks between them, without those that are empty.
func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
}

// differences are those between what two runs printed and returned.
func differences(a, b *profiler.Run) []difference {
	var all []difference
	for _, d := range []struct{ kind, a, b string }{
		{"exit", fmt.Sprint("exit code ", a.Code), fmt.Sprint("exit code ", b.Code)},
		{"stdout", a.Stdout, b.Stdout},
		{"stderr", stack(a), stack(b)},
	} {
		if d.a != d.b {
			x, y := firstDifference(d.a, d.b)
			all = append(all, difference{what: "what it printed or returned: " + d.kind, expected: said("", "%s", x), got: said("", "%s", y), kind: d.kind})
		}
	}
	return all
}

// What of stacks differs from run to run, and from place to place.
var (
	address   = regexp.MustCompile(`0x[0-9a-f]+\??`)
	arguments = regexp.MustCompile(`(?m)^([\w./*()\[\]…]+)\([^()\n]*\)$`)
	offset    = regexp.MustCompile(`(?m) \+0x[0-9a-f]+$`)
	internal  = regexp.MustCompile(`(?m)^(runtime|testing|internal/|os|sync)[./(].*\n\t.*\n`)
	routine   = regexp.MustCompile(`goroutine \d+`)
)

// moment is what package log prints of when it is.
var moment = regexp.MustCompile(`\d{4}/\d\d/\d\d \d\d:\d\d:\d\d(\.\d+)?`)

// stack is what a run printed on standard error, without what depends on where it lies in memory and on disk.
func stack(r *profiler.Run) string {
	text := strings.ReplaceAll(r.Stderr, r.Root(), "")
	text = internal.ReplaceAllString(text, "")
	text = moment.ReplaceAllString(text, "then")
	text = offset.ReplaceAllString(text, "")
	text = arguments.ReplaceAllString(text, "$1(…)")
	text = address.ReplaceAllString(text, "0x…")
	return routine.ReplaceAllString(text, "goroutine")
}

// firstDifference is the first line that two texts differ in, of each.
func firstDifference(a, b string) (string, string) {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range max(len(x), len(y)) {
		line := func(l []string) string {
			if i < len(l) {
				return fmt.Sprintf("line %d: %s", i+1, l[i])
			}
			return "its end"
		}
		if i >= len(x) || i >= len(y) || x[i] != y[i] {
			return line(x), line(y)
		}
	}
	return a, b
}

// What of a compiler's message differs from program to program.
var (
	position = regexp.MustCompile(`\S*?[\w.-]+\.\w+:\d+(:\d+)?:? ?|^\S+:\d+:\d+: `)
	counter  = regexp.MustCompile(`(?i)_?gocover_\w+`)
	numbers  = regexp.MustCompile(`0x[0-9a-f]+|\d+`)
	quoted   = regexp.MustCompile(`"[^"]*"|\([^()]*\)|[/\w.-]*/[/\w.-]*`)
)

// messageOf is the first message of a compiler or the go command, as classes have it.
func messageOf(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		_, rest, coded := strings.Cut(line, "exit code ")
		if coded {
			_, line, _ = strings.Cut(rest, ": ")
		}
		if line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "go: downloading") || strings.HasPrefix(line, "warning: ") {
			continue
		}
		line = position.ReplaceAllString(line, "")
		line = counter.ReplaceAllString(line, "counter")
		line = quoted.ReplaceAllString(line, "…")
		line = numbers.ReplaceAllString(line, "N")
		const most = 60
		if r := []rune(line); len(r) > most {
			line = string(r[:most]) + "…"
		}
		return strings.TrimSpace(line)
	}
	return ""
}
