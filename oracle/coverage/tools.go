package coverage

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"golang.org/x/tools/cover"

	"misstep/profiler"
)

// A reader is a tool that reads what a run has left.
type reader struct {
	name string
	// read says how often it looked, and what is unlike the profile. What one that chooses says depends on the seed.
	read    func(*Case, context.Context, *profiler.Run, uint64) (int, []difference, error)
	chooses bool
}

// readers are all of them.
var readers = []reader{
	{name: "cover-func", read: (*Case).coverFunc},
	{name: "cover-html", read: (*Case).coverHTML},
	{name: "covdata-percent", read: (*Case).covdataPercent},
	{name: "covdata-func", read: (*Case).covdataFunc},
	{name: "covdata-pkg", read: (*Case).covdataPackage, chooses: true},
	{name: "covdata-many", read: (*Case).covdataMany, chooses: true},
	{name: "covdata-sets", read: (*Case).covdataSets, chooses: true},
	{name: "x-tools", read: (*Case).parsed},
	{name: "test-share", read: (*Case).testShare},
	{name: "test-alone", read: (*Case).testAlone, chooses: true},
	{name: "test-cached", read: (*Case).testCached, chooses: true},
	{name: "test-edited", read: (*Case).testEdited, chooses: true},
	{name: "test-counters", read: (*Case).testCounters},
	{name: "build-info", read: (*Case).buildInfo},
	{name: "empty-profile", read: (*Case).emptyProfile, chooses: true},
	{name: "joined-profile", read: (*Case).joinedProfile, chooses: true},
}

// A reading is what a reader said of a run.
type reading struct {
	made int
	all  []difference
}

// reading asks a reader. What it said of the run before is not asked again, unless it chooses.
func (c *Case) reading(ctx context.Context, by reader, r *profiler.Run, seed uint64) (reading, error) {
	key := readingOf{r, by.name}
	c.mu.Lock()
	done, ok := c.readings[key]
	c.mu.Unlock()
	if ok {
		return done, nil
	}
	n, all, err := by.read(c, ctx, r, seed)
	var tool *profiler.ToolError
	if errors.As(err, &tool) {
		n, all, err = 1, []difference{{
			what: by.name, expected: said("the profile", "%d blocks", len(r.Profile.Blocks)), got: said(tool.Tool, "%s", tool.Output), kind: by.name, node: "fails", detail: messageOf(tool.Output),
		}}, nil
	}
	if err != nil {
		return reading{}, err
	}
	done = reading{n, all}
	if !by.chooses {
		c.mu.Lock()
		c.readings[key] = done
		c.mu.Unlock()
	}
	return done, nil
}

// ask asks several readers, and names one that had nothing to look at, if there is one.
func (c *Case) ask(ctx context.Context, list []reader, r *profiler.Run, seed uint64) (made int, all []difference, silent string, err error) {
	for _, by := range list {
		d, err := c.reading(ctx, by, r, seed)
		if err != nil {
			return 0, nil, "", err
		}
		if d.made == 0 {
			silent = by.name
		}
		made += d.made
		all = append(all, d.all...)
	}
	return made, all, silent, nil
}

// readingOf is a run and the name of a reader.
type readingOf struct {
	run    *profiler.Run
	reader string
}

// tools holds what tools say of a run against its profile, and, in another configuration, the profile against that of the
// case's own.
func (c *Case) tools(ctx context.Context, t Trial) (*Verdict, error) {
	p, err := c.with(t)
	if err != nil {
		return nil, err
	}
	r, none, err := c.profiled(ctx, t, p)
	if none != nil && t.With != "" {
		return c.silent(ctx, t, p, none)
	}
	if none != nil || err != nil {
		return none, err
	}
	made, all, _, err := c.ask(ctx, readers, r, t.Seed)
	if err != nil {
		return nil, err
	}
	if t.With != "" {
		base, none, err := c.profiled(ctx, Trial{As: t.As, Seed: t.Seed}, c.Profiler)
		if err != nil {
			return nil, err
		}
		where := configured(c.Profiler, r.Profiler)
		comparable := none == nil && coversOwn(r.Profiler) && base.Profiler.Race == r.Profiler.Race && base.Profiler.Comparable() && r.Profiler.Comparable()
		if comparable && r.Profiler.Via == profiler.ByAll {
			comparable = base.Profiler.Via == profiler.ByTest && c.Subject.Test && r.Profiler.Pkgs == "" && base.Code == 0 && r.Code == 0
		} else if comparable {
			comparable = sameRun(base, r)
		}
		if comparable {
			n, d := compareCounts(base, r, nil, adjustment(base, r), "")
			for i := range d {
				d[i].detail = where
			}
			made += n
			all = append(all, d...)
			if pkg := path.Join(c.Subject.Module(), path.Clean(c.Subject.Package)); r.Profiler.Via == profiler.ByAll && base.Said != "" && r.Shares[pkg] != "" {
				made++
				if r.Shares[pkg] != base.Said {
					all = append(all, difference{what: "the share of package " + pkg, expected: said("its test alone", "%s", base.Said), got: said("among others", "%s", r.Shares[pkg]), kind: "test-share", node: "alone", detail: where})
				}
			}
		}
	}
	return verdict(Tools, made, all), nil
}

// Readers are the names of the tools that rule C5 asks.
func Readers() []string {
	var names []string
	for _, r := range readers {
		names = append(names, r.name)
	}
	return names
}

// Agree holds what some tools, by their names in [Readers], say of the covered run of the subject against its profile.
func (c *Case) Agree(ctx context.Context, tools []string) (*Verdict, error) {
	for _, name := range tools {
		if !slices.Contains(Readers(), name) {
			return nil, fmt.Errorf("no tool %q; expected some of %s", name, strings.Join(Readers(), ", "))
		}
	}
	r, none, err := c.profiled(ctx, Trial{}, c.Profiler)
	if none != nil || err != nil {
		return none, err
	}
	some := slices.DeleteFunc(slices.Clone(readers), func(r reader) bool { return !slices.Contains(tools, r.name) })
	made, all, silent, err := c.ask(ctx, some, r, 1) // for which each looks
	if err != nil {
		return nil, err
	}
	if silent != "" {
		return not("%s says nothing of such a run", silent), nil
	}
	return verdict(Tools, made, all), nil
}

// coversOwn reports whether the packages to cover are sure to have the program's own.
func coversOwn(p profiler.Profiler) bool {
	first, _, _ := strings.Cut(p.Pkgs, ",")
	return slices.Contains([]string{"", ".", "./...", "all"}, first)
}

// silent is the verdict of a run that leaves no profile in another configuration: one that has packages to cover, and ends
// as it does with a profile, must leave one.
func (c *Case) silent(ctx context.Context, t Trial, p profiler.Profiler, none *Verdict) (*Verdict, error) {
	r, err := c.run(ctx, t, p, true)
	if err != nil || r.Failed != "" {
		return none, err
	}
	if r.Profiler.Via == profiler.ByAll {
		return unreadable(r, none), nil
	}
	base, without, err := c.profiled(ctx, Trial{As: t.As, Seed: t.Seed}, c.Profiler)
	if err != nil || without != nil {
		return none, err
	}
	if base.Profiler.Via != r.Profiler.Via || r.Profiler.Race || !sameRun(base, r) {
		return none, err
	}
	return verdict(Tools, 1, []difference{{
		what: "the profile", expected: said(base.Profiler.String(), "%d blocks", len(base.Profile.Blocks)), got: said(r.Profiler.String(), "no profile: %s", r.Unread), kind: "profile", node: configured(c.Profiler, r.Profiler), detail: messageOf(r.Unread),
	}}), nil
}

// unreadable is the verdict of tests of all packages that pass, and print shares, and whose profile is missing or is none.
func unreadable(r *profiler.Run, none *Verdict) *Verdict {
	shares := 0
	for _, s := range r.Shares {
		if strings.HasSuffix(s, "%") && s != "0.0%" {
			shares++
		}
	}
	if shares == 0 || r.Code != 0 || r.Profiler.Idle() || r.Profiler.Dry() || r.Profiler.Unprofiled() {
		return none
	}
	return verdict(Tools, 1, []difference{{
		what: "the profile", expected: said("go test", "the shares of %d packages", shares), got: said("go test", "no profile: %s", r.Unread), kind: "profile", node: "all", detail: messageOf(r.Unread),
	}})
}

// adjustment is how counts of one mode are compared with those of another.
func adjustment(a, b *profiler.Run) func(a, b uint64) (uint64, uint64) {
	if a.Profiler.Mode != profiler.Set && b.Profiler.Mode != profiler.Set {
		return nil
	}
	return func(a, b uint64) (uint64, uint64) { return min(a, 1), min(b, 1) }
}

// share is a percentage as the tools print it.
func share(covered, all int) string {
	if all == 0 {
		return "0.0%"
	}
	return fmt.Sprintf("%.1f%%", 100*float64(covered)/float64(all))
}

// unlikeTool is a difference between what a profile and a tool say.
func unlikeTool(tool, node, what, want, got string) difference {
	return difference{what: what, expected: said("the profile", "%s", want), got: said(tool, "%s", got), kind: tool, node: node}
}

func (c *Case) coverFunc(ctx context.Context, r *profiler.Run, _ uint64) (int, []difference, error) {
	out, err := c.Bench.Tool(ctx, r, "cover", "-func="+r.File)
	if err != nil {
		return 0, nil, err
	}
	made, all := listing("cover-func", r, out)
	return made, all, nil
}

func (c *Case) covdataFunc(ctx context.Context, r *profiler.Run, _ uint64) (int, []difference, error) {
	if r.Data == "" {
		return 0, nil, nil
	}
	out, err := c.Bench.Tool(ctx, r, "covdata", "func", "-i="+r.Data)
	if err != nil {
		return 0, nil, err
	}
	made, all := listing("covdata-func", r, out)
	return made, all, nil
}

// parsed holds what golang.org/x/tools/cover reads against the profile.
func (c *Case) parsed(_ context.Context, r *profiler.Run, _ uint64) (made int, all []difference, err error) {
	profiles, err := cover.ParseProfiles(r.File)
	if err != nil {
		return 1, []difference{unlikeTool("x-tools", "fails", "the profile", "a profile", err.Error())}, nil
	}
	counts := map[string]int{}
	for _, p := range profiles {
		for _, b := range p.Blocks {
			counts[fmt.Sprintf("%s:%d.%d,%d.%d", p.FileName, b.StartLine, b.StartCol, b.EndLine, b.EndCol)] = b.Count
		}
	}
	for _, b := range r.Profile.Merged() {
		made++
		want := b.Count
		if r.Profiler.Mode == profiler.Set {
			want = min(want, 1)
		}
		if got, ok := counts[b.File+":"+b.At()]; !ok || uint64(got) != want {
			all = append(all, unlikeTool("x-tools", "count", "block "+b.File+":"+b.At(), fmt.Sprintf("executed %d times", want), fmt.Sprintf("executed %d times", got)))
		}
	}
	return made, all, nil
}

// testShare holds the share of statements that a test prints, and what testing.Coverage says in it, against its profile.
func (c *Case) testShare(_ context.Context, r *profiler.Run, _ uint64) (made int, all []difference, err error) {
	if r.Profiler.Via == profiler.ByAll {
		return packageShares(r)
	}
	if r.Profiler.Via != profiler.ByTest {
		return 0, nil, nil
	}
	if len(r.Shares) > 0 {
		made, all = sharesOf(r)
	}
	covered, statements := profiler.Sum(r.Profile.Merged())
	if r.Said != "" {
		made++
		if want := saidShare(covered, statements); r.Said != want {
			all = append(all, unlikeTool("test-share", "share", "what the test prints", want, r.Said))
		}
	}
	const exact = 0.001
	if r.HasTold && statements > 0 {
		made++
		// Before the end it is only known not to be nothing.
		if want := float64(covered) / float64(statements); math.Abs(want-r.Told) > exact && !(r.ToldSoFar && (r.Told > 0 || covered == 0)) {
			d := unlikeTool("test-share", "testing-coverage", "what testing.Coverage says", fmt.Sprintf("%.3f", want), fmt.Sprintf("%.3f", r.Told))
			if r.Told == 0 {
				d.detail = "zero"
			}
			all = append(all, d)
		}
	}
	return made, all, nil
}

// noStatements is what tests print in place of a share of nothing.
const noStatements = "[no statements]"

// saidShare is a percentage as tests print it.
func saidShare(covered, all int) string {
	if all == 0 {
		return noStatements
	}
	return share(covered, all)
}

// byPackage are a run's blocks by the import paths of their packages.
func byPackage(r *profiler.Run) map[string][]profiler.Block {
	all := map[string][]profiler.Block{}
	for _, b := range r.Profile.Merged() {
		all[path.Dir(b.File)] = append(all[path.Dir(b.File)], b)
	}
	return all
}

// packageShares holds the shares that go test prints of packages that cover themselves against the profile.
func packageShares(r *profiler.Run) (made int, all []difference, err error) {
	if r.Profiler.Pkgs != "" {
		return 0, nil, nil
	}
	made, all = sharesOf(r)
	return made, all, nil
}

// sharesOf holds shares of packages that are printed against the profile.
func sharesOf(r *profiler.Run) (made int, all []difference) {
	packages := byPackage(r)
	for _, pkg := range sortedKeys(r.Shares) {
		made++
		if want := saidShare(profiler.Sum(packages[pkg])); r.Shares[pkg] != want {
			all = append(all, unlikeTool("test-share", "package", "package "+pkg, want, r.Shares[pkg]))
		}
	}
	return made, all
}
