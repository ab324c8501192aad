package coverage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"misstep/profiler"
)

// testAlone has the go command run the tests of one package of several, with the same packages covered: the share that it prints is that of
// what it writes. It need not be what it prints of the package among the others, whose dependencies count then as well.
func (c *Case) testAlone(ctx context.Context, r *profiler.Run, seed uint64) (made int, all []difference, err error) {
	if r.Profiler.Via != profiler.ByAll || r.Profiler.Pkgs == "" || !r.Profiler.Comparable() || r.Code != 0 {
		return 0, nil, nil
	}
	var tested []string
	for _, pkg := range sortedKeys(r.Shares) {
		if s := r.Shares[pkg]; (strings.HasSuffix(s, "%") || s == noStatements) && c.Subject.Tests(pkg) {
			tested = append(tested, pkg)
		}
	}
	if len(tested) == 0 {
		return 0, nil, nil
	}
	pkg := tested[seed%uint64(len(tested))]
	one, err := c.Bench.One(ctx, r, pkg)
	if err != nil {
		return 0, nil, fmt.Errorf("running the tests of %s alone: %w", pkg, err)
	}
	if one.Code != 0 || one.Profile == nil || one.Shares[pkg] == "" {
		return 0, nil, nil
	}
	if want := saidShare(profiler.Sum(one.Profile.Merged())); one.Shares[pkg] != want {
		all = append(all, unlikeTool("test-share", "one", "what go test prints of "+pkg, want, one.Shares[pkg]))
	}
	return 1, all, nil
}

// testCached has the go command run all tests once more, and prints shares of them without writing a profile: of tests that run, and of
// results that it has in its cache. They are those that it prints of the ones that run and write one. Tests whose shares vary from run to run,
// or are others after the first run, which may have left files, are not judged: a last run with a profile says so.
func (c *Case) testCached(ctx context.Context, r *profiler.Run, seed uint64) (made int, all []difference, err error) {
	const every = 2
	if seed%every != 0 || r.Profiler.Via != profiler.ByAll || !r.Profiler.Comparable() || r.Code != 0 || len(r.Shares) == 0 {
		return 0, nil, nil
	}
	type asked struct {
		name  string
		flags []string
	}
	without := []asked{{"with -count=1", []string{"-count=1"}}, {"anew", nil}, {"from the cache", nil}}
	last := asked{"with a profile again", []string{"-count=1", "-coverprofile=" + r.File + ".again"}}
	shares := map[string]map[string]string{}
	for _, a := range append(without, last) {
		again, err := c.Bench.Shares(ctx, r, a.flags...)
		if err != nil {
			return 0, nil, err
		}
		if again.Code != 0 || again.Failed != "" {
			return 0, nil, nil
		}
		shares[a.name] = again.Shares
	}
	if !maps.Equal(shares[last.name], r.Shares) {
		return 0, nil, nil
	}
	for _, pkg := range sortedKeys(r.Shares) {
		for _, a := range without {
			made++
			if got := shares[a.name][pkg]; got != r.Shares[pkg] {
				all = append(all, difference{
					what: "the share of package " + pkg, expected: said("go test with a profile", "%s", r.Shares[pkg]), got: said("go test without a profile, "+a.name, "%s", cmp.Or(got, "nothing")), kind: "test-share", node: "cached", detail: strings.ReplaceAll(a.name, " ", "-"),
				})
			}
		}
	}
	n, more, err := c.oneCached(ctx, r, seed/every)
	return made + n, append(all, more...), err
}

// oneCached has the go command run the tests of one package alone, after those of all, and tell of them from its cache: the share is that of
// the same command without the cache. What is covered may follow from which packages are tested, so that the others' results are none of its.
func (c *Case) oneCached(ctx context.Context, r *profiler.Run, seed uint64) (made int, all []difference, err error) {
	tested := sortedKeys(r.Shares)
	pkg := tested[seed%uint64(len(tested))]
	shares := map[string]string{}
	for _, how := range []string{"from the cache", "anew", "once more"} {
		var flags []string
		if how != "from the cache" {
			flags = []string{"-count=1"}
		}
		one, err := c.Bench.SharesOf(ctx, r, pkg, flags...)
		if err != nil {
			return 0, nil, err
		}
		if one.Code != 0 || one.Failed != "" || one.Shares[pkg] == "" {
			return 0, nil, nil
		}
		shares[how] = one.Shares[pkg]
	}
	if shares["anew"] != shares["once more"] {
		return 0, nil, nil // it varies
	}
	if shares["from the cache"] != shares["anew"] {
		all = append(all, difference{
			what: "the share of package " + pkg, expected: said("its tests alone, with -count=1", "%s", shares["anew"]), got: said("its tests alone, after all others", "%s", shares["from the cache"]), kind: "test-share", node: "cached", detail: "alone",
		})
	}
	return 1, all, nil
}

// testCounters has a test write its counters as well, for which there is a flag since Go 1.20: they are those of its profile.
func (c *Case) testCounters(ctx context.Context, r *profiler.Run, _ uint64) (made int, all []difference, err error) {
	if r.Profiler.Via != profiler.ByTest || r.Toolchain.Minor < testsWriteCounters || r.Profiler.Race {
		return 0, nil, nil
	}
	dir, err := os.MkdirTemp(filepath.Dir(r.File), "of-test-")
	if err != nil {
		return 0, nil, fmt.Errorf("making a folder: %w", err)
	}
	again, err := c.Bench.Rerun(ctx, r, append([]string{"-test.gocoverdir=" + dir}, r.Subject.Args...))
	var impossible *profiler.Impossible
	if errors.As(err, &impossible) {
		return 0, nil, nil
	}
	if err != nil || again.Profile == nil || !sameRun(r, again) {
		return 0, nil, err // which others judge
	}
	got, unread, err := c.counters(ctx, again, "test-counters", dir, dir+".txt")
	if got == nil {
		return len(unread), unread, err
	}
	made, all = sameBlocks("test-counters", again.Profile.Merged(), got.Merged())
	return made, all, nil
}

// testsWriteCounters is the minor version that brought -test.gocoverdir.
const testsWriteCounters = 20

// sameBlocks holds the blocks that a tool has against those that it should have.
func sameBlocks(tool string, want, got []profiler.Block) (made int, all []difference) {
	counts := map[string]uint64{}
	for _, b := range got {
		counts[b.File+":"+b.At()] = b.Count
	}
	for _, b := range want {
		made++
		at := b.File + ":" + b.At()
		n, ok := counts[at]
		delete(counts, at)
		if n != b.Count || !ok && b.Count > 0 {
			all = append(all, unlikeTool(tool, strength(b.Count, n), "block "+at, fmt.Sprintf("executed %d times", b.Count), fmt.Sprintf("executed %d times", n)))
		}
	}
	for _, at := range sortedKeys(counts) {
		made++
		all = append(all, unlikeTool(tool, "more", "block "+at, "no such block", fmt.Sprintf("executed %d times", counts[at])))
	}
	return made, all
}

// buildInfo holds what a binary says of how it was built against how it was: with -cover, as it says -race. Binaries say how they were built
// since Go 1.18.
func (c *Case) buildInfo(_ context.Context, r *profiler.Run, _ uint64) (made int, all []difference, err error) {
	if r.Settings["-compiler"] == "" {
		return 0, nil, nil
	}
	if got := cmp.Or(r.Settings["-cover"], "nothing"); got != "true" {
		all = append(all, difference{
			what: "the setting -cover that the binary says it was built with", expected: said("go build", "true"), got: said("go version -m", "%s", got), kind: "build-info", node: "cover",
		})
	}
	return 1, all, nil
}
