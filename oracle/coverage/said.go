package coverage

import (
	"cmp"
	"context"
	"fmt"
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
		if strings.HasSuffix(r.Shares[pkg], "%") && c.Subject.Tests(pkg) {
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
