package coverage

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"misstep/profiler"
)

// Profiles that the tools read beside a run's own: without blocks, and put together of several.

// emptyProfile has the tools read a profile without blocks, as that of a package without statements is. It is done for some
// seeds only.
func (c *Case) emptyProfile(ctx context.Context, r *profiler.Run, seed uint64) (int, []difference, error) {
	const every = 6
	if seed%every != 1 {
		return 0, nil, nil
	}
	file, err := besideProfile(r, "empty-", "mode: "+r.Profile.Mode+"\n")
	if err != nil {
		return 0, nil, err
	}
	for _, args := range [][]string{{"cover", "-func=" + file}, {"cover", "-html=" + file, "-o=" + file + ".html"}} {
		if _, err := c.Bench.Tool(ctx, r, args...); err != nil {
			return 0, nil, err
		}
	}
	return 2, nil, nil
}

// joinedProfile has the tools read a profile that was put together of several, as scripts do that run tests by themselves: with
// each block twice, and in another order. What they print of it is what they print of the one. In some, the second has executed nothing:
// then the page is the same as well.
func (c *Case) joinedProfile(ctx context.Context, r *profiler.Run, seed uint64) (made int, all []difference, err error) {
	const every = 3
	if seed%every != 1 {
		return 0, nil, nil
	}
	text, err := os.ReadFile(r.File)
	if err != nil {
		return 0, nil, fmt.Errorf("reading a profile: %w", err)
	}
	header, blocks, _ := strings.Cut(string(text), "\n")
	random := rand.New(rand.NewPCG(seed, 3))
	idle, second := random.IntN(3) > 0, blocks
	if idle {
		second = lastNumber.ReplaceAllString(blocks, " 0")
	}
	lines := slices.Collect(strings.Lines(blocks + second))
	random.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	file, err := besideProfile(r, "joined-", header+"\n"+strings.Join(lines, ""))
	if err != nil {
		return 0, nil, err
	}
	shown := func(profile string) (list, page string, err error) {
		if list, err = c.Bench.Tool(ctx, r, "cover", "-func="+profile); err != nil {
			return "", "", err
		}
		if _, err = c.Bench.Tool(ctx, r, "cover", "-html="+profile, "-o="+file+".html"); err != nil || !idle {
			return list, "", err
		}
		written, err := os.ReadFile(file + ".html")
		if err != nil {
			return "", "", fmt.Errorf("reading a page: %w", err)
		}
		return list, string(written), nil
	}
	wantList, wantPage, err := shown(r.File)
	if err != nil {
		return 0, nil, err
	}
	gotList, gotPage, err := shown(file)
	if err != nil {
		return 0, nil, err
	}
	differ := func(tool, node, want, got string) {
		if want != got {
			x, y := firstDifference(want, got)
			all = append(all, difference{what: tool, expected: said("of the profile", "%s", x), got: said("of it and another", "%s", y), kind: "joined-profile", node: node})
		}
	}
	differ("cover -func", "share", wantList, gotList)
	differ("cover -html", "page", wantPage, gotPage)
	return 2, all, nil
}

// lastNumber is how often the block of a profile's line was executed.
var lastNumber = regexp.MustCompile(`(?m) \d+$`)

// besideProfile writes another profile, in a folder beside that of a run.
func besideProfile(r *profiler.Run, prefix, text string) (string, error) {
	dir, err := os.MkdirTemp(filepath.Dir(r.File), prefix)
	if err != nil {
		return "", fmt.Errorf("making a folder: %w", err)
	}
	file := filepath.Join(dir, "profile")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		return "", fmt.Errorf("writing a profile: %w", err)
	}
	return file, nil
}
