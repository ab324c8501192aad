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

const (
	// manyRuns is of how many runs a folder has the counters, and openFiles how many files a tool may have open that reads them: an ordinary
	// limit, and far more than the tools need at once.
	manyRuns  = 300
	openFiles = 256
)

// countersName is the name of a file with counters: of a binary, a process and a moment.
var countersName = regexp.MustCompile(`^(covcounters\.[0-9a-f]+)\.(\d+)\.(\d+)$`)

// covdataMany has a command of covdata, which the seed chooses, read the counters of many runs that did the same: it says what it says of one of
// them, however many there are.
func (c *Case) covdataMany(ctx context.Context, r *profiler.Run, seed uint64) (made int, all []difference, err error) {
	if r.Data == "" {
		return 0, nil, nil
	}
	command := []string{"percent", "func", "pkglist"}[seed%3]
	one, err := c.Bench.Tool(ctx, r, "covdata", command, "-i="+r.Data)
	if err != nil {
		return 0, nil, err
	}
	dir, err := os.MkdirTemp(filepath.Dir(r.Data), "many-")
	if err != nil {
		return 0, nil, fmt.Errorf("making a folder: %w", err)
	}
	defer os.RemoveAll(dir)
	if err := multiplied(r.Data, dir); err != nil {
		return 0, nil, err
	}
	many, ok, err := c.Bench.ToolWithin(ctx, r, openFiles, "covdata", command, "-i="+dir)
	if err != nil || !ok {
		return 0, nil, err
	}
	if one != many {
		x, y := firstDifference(one, many)
		all = append(all, difference{what: "covdata " + command, expected: said("of one run", "%s", x), got: said("of many such runs", "%s", y), kind: "covdata-many", node: command})
	}
	return 1, all, nil
}

// multiplied copies a folder with counters, with those of the first run as if they were of many.
func multiplied(from, to string) error {
	files, err := os.ReadDir(from)
	if err != nil {
		return fmt.Errorf("reading counters: %w", err)
	}
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(from, f.Name()))
		if err != nil {
			return fmt.Errorf("reading counters: %w", err)
		}
		names := []string{f.Name()}
		if m := countersName.FindStringSubmatch(f.Name()); m != nil {
			for i := 1; i < manyRuns; i++ {
				names = append(names, strings.Join([]string{m[1], m[2], fmt.Sprint(m[3], i)}, "."))
			}
		}
		for _, name := range names {
			if err := os.WriteFile(filepath.Join(to, name), text, 0o666); err != nil {
				return fmt.Errorf("writing counters: %w", err)
			}
		}
	}
	return nil
}
