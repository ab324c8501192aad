package coverage

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
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
		if statements == 0 {
			continue
		}
		made++
		if want := share(covered, statements); got[pkg] != want {
			all = append(all, unlikeTool("covdata-percent", "share", "package "+pkg, want, got[pkg]))
		}
	}
	return made, all, nil
}

// sets are the commands of covdata that make counters of counters: with which inputs, and what becomes of a run's count. No
// way says that only whether it is executed is known.
var sets = []struct {
	command string
	copies  int
	of      func(n uint64, mode string) uint64
}{
	{"merge", 1, func(n uint64, _ string) uint64 { return n }},
	{"merge", 2, func(n uint64, mode string) uint64 {
		if mode == profiler.Set {
			return n
		}
		return 2 * n
	}},
	{"intersect", 2, nil},
	{"subtract", 2, func(uint64, string) uint64 { return 0 }},
}

// covdataSets holds what a command of covdata makes of a run's counters, and of these with themselves, against what that is by
// definition. The seed chooses the command.
func (c *Case) covdataSets(ctx context.Context, r *profiler.Run, seed uint64) (made int, all []difference, err error) {
	if r.Data == "" {
		return 0, nil, nil
	}
	set := sets[seed%uint64(len(sets))]
	dir, err := os.MkdirTemp(filepath.Dir(r.Data), set.command+"-")
	if err != nil {
		return 0, nil, fmt.Errorf("making a folder: %w", err)
	}
	inputs := []string{r.Data}
	for i := 1; i < set.copies; i++ {
		copied := fmt.Sprintf("%s-copy%d", dir, i)
		if err := os.CopyFS(copied, os.DirFS(r.Data)); err != nil {
			return 0, nil, fmt.Errorf("copying counters: %w", err)
		}
		inputs = append(inputs, copied)
	}
	if _, err := c.Bench.Tool(ctx, r, "covdata", set.command, "-i="+strings.Join(inputs, ","), "-o="+dir); err != nil {
		return 0, nil, err
	}
	file := dir + ".txt"
	if _, err := c.Bench.Tool(ctx, r, "covdata", "textfmt", "-i="+dir, "-o="+file); err != nil {
		return 0, nil, err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, nil, fmt.Errorf("reading a profile: %w", err)
	}
	tool := "covdata-" + set.command
	got, err := profiler.ParseProfile(string(text))
	if err != nil {
		return 1, []difference{unlikeTool(tool, "profile", set.command, "a profile", err.Error())}, nil
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
