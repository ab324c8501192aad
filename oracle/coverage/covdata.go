package coverage

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"misstep/profiler"
)

// percentLine is a line of covdata percent.
var percentLine = regexp.MustCompile(`^\s*(\S+)\s+coverage: (\S+) of statements`)

func (c *Case) covdataPercent(ctx context.Context, r *profiler.Run, _ uint64) (made int, all []difference, err error) {
	if r.Data == "" {
		return 0, nil, nil
	}
	out, err := c.Bench.Tool(ctx, r, "covdata", "percent", "-i="+r.Data)
	if err != nil {
		return 0, nil, err
	}
	packages := byPackage(r)
	got := map[string]string{}
	for line := range strings.Lines(out) {
		if m := percentLine.FindStringSubmatch(line); m != nil {
			got[m[1]] = m[2]
		}
	}
	for _, pkg := range sortedKeys(packages) {
		covered, statements := profiler.Sum(packages[pkg])
		if statements == 0 || path.IsAbs(pkg) { // files that were named by themselves are of no package
			continue
		}
		made++
		if want := share(covered, statements); got[pkg] != want {
			all = append(all, unlikeTool("covdata-percent", "share", "package "+pkg, want, got[pkg]))
		}
	}
	return made, all, nil
}

// counters is the profile that covdata makes of a folder with counters, in a file; where what it makes is none, it is nil, and that is
// the difference, of the tool that the counters are of.
func (c *Case) counters(ctx context.Context, r *profiler.Run, tool, dir, file string, flags ...string) (*profiler.Profile, []difference, error) {
	if _, err := c.Bench.Tool(ctx, r, slices.Concat([]string{"covdata", "textfmt", "-i=" + dir, "-o=" + file}, flags)...); err != nil {
		return nil, nil, err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, fmt.Errorf("reading a profile: %w", err)
	}
	p, err := profiler.ParseProfile(string(text))
	if err != nil {
		return nil, []difference{unlikeTool(tool, "profile", "what covdata makes of its counters", "a profile", err.Error())}, nil
	}
	return p, nil, nil
}

// covdataPackage has covdata tell of one of the packages alone, which the seed chooses: it says of it what it says of it among all,
// and nothing of others.
func (c *Case) covdataPackage(ctx context.Context, r *profiler.Run, seed uint64) (made int, all []difference, err error) {
	packages := byPackage(r)
	if r.Data == "" || len(packages) == 0 {
		return 0, nil, nil
	}
	names := sortedKeys(packages)
	pkg := names[seed%uint64(len(names))]
	if !importable.MatchString(pkg) || path.IsAbs(pkg) {
		return 0, nil, nil // it would be a pattern, or a list
	}
	file := filepath.Join(filepath.Dir(r.File), fmt.Sprintf("package-%d.txt", seed))
	got, unread, err := c.counters(ctx, r, "covdata-pkg", r.Data, file, "-pkg="+pkg)
	if got == nil {
		return len(unread), unread, err
	}
	made, all = sameBlocks("covdata-pkg", packages[pkg], got.Merged())
	out, err := c.Bench.Tool(ctx, r, "covdata", "percent", "-i="+r.Data, "-pkg="+pkg)
	if err != nil {
		return 0, nil, err
	}
	want := map[string]string{}
	if covered, statements := profiler.Sum(packages[pkg]); statements > 0 {
		want[pkg] = share(covered, statements)
	}
	for line := range strings.Lines(out) {
		m := percentLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		made++
		if want[m[1]] != m[2] {
			all = append(all, unlikeTool("covdata-pkg", "share", "package "+m[1], cmp.Or(want[m[1]], "nothing"), m[2]))
		}
		delete(want, m[1])
	}
	for name := range want {
		made++
		all = append(all, unlikeTool("covdata-pkg", "missing", "package "+name, want[name], "nothing"))
	}
	return made, all, nil
}

// importable are import paths that are no patterns.
var importable = regexp.MustCompile(`^[\w./~-]+$`)

// sets are the commands of covdata that make counters of counters: of how many runs, and what becomes of their counts, which
// are alike. No way says that only whether it is executed is known.
var sets = []struct {
	command string
	runs    int
	of      func(n uint64, mode string) uint64
}{
	{"merge", 1, times(1)},
	{"merge", 2, times(2)},
	{"intersect", 2, nil},
	{"subtract", 2, func(uint64, string) uint64 { return 0 }},
	{"merge -pcombine", 3, times(3)},
	{"merge", 4, times(4)},
	{"intersect", 3, nil},
	{"merge -pcombine", 1, times(1)},
}

// times is a count of so many runs together.
func times(runs uint64) func(n uint64, mode string) uint64 {
	return func(n uint64, mode string) uint64 {
		if mode == profiler.Set {
			return n
		}
		return runs * n
	}
}

// covdataSets holds what a command of covdata makes of the counters of several runs, each of which is another process with
// arguments of its own, against what that is by definition, and has its other commands read these. The seed chooses the
// command, the order of the runs, and how long their arguments are.
func (c *Case) covdataSets(ctx context.Context, r *profiler.Run, seed uint64) (made int, all []difference, err error) {
	if r.Data == "" {
		return 0, nil, nil
	}
	set := sets[seed%uint64(len(sets))]
	choose := rand.New(rand.NewPCG(seed, 2))
	inputs := []string{r.Data}
	for len(inputs) < set.runs {
		again, err := c.Bench.Rerun(ctx, r, argumentsOf(r.Subject.Args, choose))
		if err != nil {
			return 0, nil, err
		}
		if again.Data == "" {
			return made, nil, nil
		}
		if again.Profile == nil {
			return made + 1, []difference{unlikeTool("covdata-textfmt", "fails", "the counters of a run with other arguments", "a profile", again.Unread)}, nil
		}
		made++
		if !sameRun(r, again) {
			return made, nil, nil // it does something else with other arguments
		}
		if !slices.Equal(r.Profile.Merged(), again.Profile.Merged()) {
			return made, nil, nil // of blocks without statements as well
		}
		inputs = append(inputs, again.Data)
	}
	choose.Shuffle(len(inputs), func(i, j int) { inputs[i], inputs[j] = inputs[j], inputs[i] })
	dir, err := os.MkdirTemp(filepath.Dir(r.Data), "set-"+strings.Fields(set.command)[0]+"-")
	if err != nil {
		return 0, nil, fmt.Errorf("making a folder: %w", err)
	}
	in := "-i=" + strings.Join(inputs, ",")
	for _, read := range []string{"percent", "func", "pkglist", "debugdump"} {
		if _, err := c.Bench.Tool(ctx, r, "covdata", read, in); err != nil {
			return 0, nil, err
		}
		made++
	}
	if _, err := c.Bench.Tool(ctx, r, append(append([]string{"covdata"}, strings.Fields(set.command)...), in, "-o="+dir)...); err != nil {
		return 0, nil, err
	}
	tool := "covdata-" + strings.ReplaceAll(set.command, " ", "")
	got, unread, err := c.counters(ctx, r, tool, dir, dir+".txt")
	if got == nil {
		return made + len(unread), unread, err
	}
	counts := map[string]uint64{}
	for _, b := range got.Blocks {
		counts[b.File+":"+b.At()] = b.Count
	}
	for _, b := range r.Profile.Merged() {
		made++
		want, what := b.Count, b.File+":"+b.At()
		n, ok := counts[what]
		agrees := (n > 0) == (want > 0)
		if set.of != nil {
			want = set.of(want, r.Profile.Mode)
			agrees = n == want
		}
		// A function that was never called may have no counters.
		if !agrees || !ok && want > 0 {
			all = append(all, unlikeTool(tool, strength(want, n), "block "+what, fmt.Sprintf("executed %d times", want), fmt.Sprintf("executed %d times", n)))
		}
	}
	return made, all, nil
}

// argumentsOf are a program's arguments with others after them: none, one, many, and such as are long, empty, or not ASCII.
func argumentsOf(own []string, r *rand.Rand) []string {
	odd := [][]string{
		nil,
		{"misstep"},
		{""},
		{"a b", "\t", "é世\u2028", "\"'`", "-x=y"},
		{strings.Repeat("x", 1<<r.IntN(16))},
		slices.Repeat([]string{"misstep"}, 1+r.IntN(3000)),
	}
	return slices.Concat(own, odd[r.IntN(len(odd))])
}
