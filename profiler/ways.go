package profiler

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A Way is a way to ask the go command for the same thing, which must not matter to what is covered: the flags of go help
// build, go help testflag, and settings of its environment.
type Way struct {
	Name string
	Doc  string
	// Via are the ways to run a program that it is for; empty for all.
	Via []string
	// From is the minor version of the first toolchain that has it.
	From int
	// Flags are those of the go command, and Env what is set in its environment.
	Flags, Env []string
	// BySetting says that the flags of coverage are given by GOFLAGS.
	BySetting bool
	// Dry says that nothing is run, so that all that there is to compare is how the go command ends.
	Dry bool
	// Keeps says that what is built is kept, in the run's own folder: never in a device.
	Keeps bool
	// Explained says that what the go command prints of the program's own files is told, as [Run.Explained] has it.
	Explained bool
	// Command is the go command's, with flags, in the place of build or test.
	Command []string
	// Later is a folder that there is not, for the profile of tests that do not run.
	Later string
	// Idle says that no test runs, so that there may be no profile of it.
	Idle bool
	// Unprofiled says that no profile is written, as the go command refuses to, or as nobody asks for one.
	Unprofiled bool
	// Unlike says that what is executed, or how often, may be something else than without it.
	Unlike bool
	// Asks says which of the flags are given that ask for coverage, where one of them implies the others; empty for all.
	Asks string
	// Mode and Pkgs are those that it is for, as they are the ones that are implied, or given; empty for any.
	Mode, Pkgs string
	// Overlaid says that what is to be built is in an overlay, and that there are other files in its place on disk.
	Overlaid bool
	// Named is how the package is named, of the ways in [Run.named]; empty for as the folder where the go command runs.
	Named string
	// JSON says that what is printed is that of go test -json.
	JSON bool
}

// Ways are all.
var Ways = []Way{
	{Name: "dry", Doc: "the commands are only printed", Via: []string{ByBuild, ByAll}, Flags: []string{"-n"}, Dry: true},
	{Name: "exported", Doc: "go list has what was built", Via: []string{ByBuild, ByAll}, From: buildCovers, Command: []string{"list", "-export", "-deps"}, Dry: true},
	{Name: "exported-alone", Doc: "go list has what was built of the packages that are named", Via: []string{ByBuild, ByAll}, From: buildCovers, Command: []string{"list", "-export"}, Dry: true},
	{Name: "exported-tests", Doc: "go list has what was built of the tests", Via: []string{ByAll}, From: buildCovers, Command: []string{"list", "-export", "-test"}, Dry: true},
	{Name: "explained", Doc: "the compiler says what it inlines, and what escapes", Flags: []string{"-gcflags=-m"}, Dry: true, Explained: true},
	{Name: "compiled", Doc: "tests are compiled, and do not run", Via: []string{ByAll}, Flags: []string{"-c"}, Keeps: true, Dry: true},
	{Name: "compiled-for-later", Doc: "tests are compiled, and do not run; the profile is to be in a folder that there is not yet", Via: []string{ByAll}, Flags: []string{"-c"}, Keeps: true, Dry: true, Later: "later"},
	{Name: "commands", Doc: "the commands are printed", Flags: []string{"-x"}},
	{Name: "inlining-off", Doc: "nothing is inlined", Flags: []string{"-gcflags=-l"}},
	{Name: "optimisation-off", Doc: "nothing is optimised", Flags: []string{"-gcflags=-N -l"}},
	{Name: "stripped", Doc: "without debug information", Flags: []string{"-ldflags=-s -w"}},
	{Name: "pie", Doc: "a binary that lies anywhere in memory", Flags: []string{"-buildmode=pie"}},
	{Name: "no-cgo", Doc: "without C", Env: []string{"CGO_ENABLED=0"}},
	{Name: "tags", Doc: "with a build tag that no file asks for", Flags: []string{"-tags=misstep"}},
	{Name: "pgo-off", Doc: "without profiles that guide optimisation", From: 21, Flags: []string{"-pgo=off"}},
	{Name: "mod", Doc: "go.mod may be changed", From: 14, Flags: []string{"-mod=mod"}},
	{Name: "setting", Doc: "coverage is asked for by the setting GOFLAGS", From: modules, BySetting: true},
	{Name: "verbose", Doc: "each test is told of", Via: []string{ByAll}, Flags: []string{"-v"}},
	{Name: "json", Doc: "results are written as JSON", Via: []string{ByAll}, From: 10, Flags: []string{"-json"}, JSON: true},
	{Name: "twice", Doc: "each test runs twice", Via: []string{ByAll}, Flags: []string{"-count=2"}, Unlike: true},
	{Name: "processors", Doc: "each test runs with one processor and with two", Via: []string{ByAll}, Flags: []string{"-cpu=1,2"}, Unlike: true},
	{Name: "shuffled", Doc: "tests run in another order", Via: []string{ByAll}, From: 17, Flags: []string{"-shuffle=7"}},
	{Name: "side-by-side", Doc: "eight packages are built and tested at the same time", Via: []string{ByAll}, Flags: []string{"-p=8"}},
	{Name: "summary", Doc: "no profile is asked for", Via: []string{ByAll}, Unprofiled: true},
	{Name: "summary-packages", Doc: "no profile is asked for, of all packages of the module", Via: []string{ByAll}, Unprofiled: true, Pkgs: "./..."},
	{Name: "default-mode", Doc: "no mode is asked for", Asks: onlyCover, Mode: Set},
	{Name: "implied-by-mode", Doc: "coverage is asked for by its mode", From: 9, Asks: onlyMode},
	{Name: "implied-by-packages", Doc: "coverage is asked for by the packages to cover", From: 9, Asks: nothing, Mode: Set, Pkgs: "./..."},
	{Name: "implied-by-profile", Doc: "coverage is asked for by the file for the profile", Via: []string{ByAll}, From: 10, Asks: nothing, Mode: Set},
	{Name: "overlay", Doc: "the files are in an overlay, and on disk are others", From: 16, Overlaid: true},
	{Name: "by-files", Doc: "the package is named by its files", Via: []string{ByBuild, ByTest}, Named: byFiles, Unlike: true},
	{Name: "by-folder", Doc: "the package is named by its folder", Via: []string{ByBuild, ByTest}, From: modules, Named: byFolder},
	{Name: "by-path", Doc: "the package is named by its import path", Via: []string{ByBuild, ByTest}, From: modules, Named: byPath},
	{Name: "misnamed", Doc: "a file is named that is not Go's, which is refused", Via: []string{ByBuild, ByTest}, Named: byOthers, Unlike: true},
	{Name: "not-parallel", Doc: "no two tests of a package run at once", Via: []string{ByAll}, Flags: []string{"-parallel=1"}},
	{Name: "first-failure", Doc: "the first failure ends the tests", Via: []string{ByAll}, From: 10, Flags: []string{"-failfast"}, Unlike: true},
	{Name: "short", Doc: "tests may be short", Via: []string{ByAll}, Flags: []string{"-short"}, Unlike: true},
	{Name: "benchmarks", Doc: "benchmarks run as well", Via: []string{ByAll}, From: 12, Flags: []string{"-bench=.", "-benchtime=1x"}, Unlike: true},
	{Name: "fuzzed", Doc: "a fuzz target is given inputs", Via: []string{ByAll}, From: 18, Flags: []string{"-fuzz=.", "-fuzztime=5x", "-parallel=1"}, Unprofiled: true, Unlike: true},
	{Name: "vet-off", Doc: "tests are not vetted", Via: []string{ByAll}, From: 10, Flags: []string{"-vet=off"}},
	{Name: "vet-all", Doc: "tests are vetted with all checks", Via: []string{ByAll}, From: 14, Flags: []string{"-vet=all"}, Unlike: true},
	{Name: "limited", Doc: "tests may take a while only", Via: []string{ByAll}, Flags: []string{"-timeout=5m"}},
	{Name: "traced", Doc: "an execution trace is written", Via: []string{ByAll}, Flags: []string{"-trace=misstep.trace"}, Unlike: true},
	{Name: "profiled", Doc: "a profile of the memory is written", Via: []string{ByAll}, Flags: []string{"-memprofile=misstep.mem"}, Unlike: true},
	{Name: "no-tests", Doc: "no test runs", Via: []string{ByAll}, Flags: []string{"-run=^$"}, Unlike: true},
	{Name: "listed", Doc: "tests are only listed", Via: []string{ByAll}, From: 9, Flags: []string{"-list=."}, Unlike: true, Idle: true},
}

// wayOf is the way of a name.
func wayOf(name string) (Way, error) {
	if name == "" {
		return Way{}, nil
	}
	i := slices.IndexFunc(Ways, func(w Way) bool { return w.Name == name })
	if i < 0 {
		var all []string
		for _, w := range Ways {
			all = append(all, w.Name)
		}
		return Way{}, fmt.Errorf("way=%q: expected one of %s", name, strings.Join(all, ", "))
	}
	return Ways[i], nil
}

// way is the one that a profiler is asked in; empty for the plain one.
func (p Profiler) way() Way {
	w, _ := wayOf(p.Way) // Parse has held it against the table
	return w
}

// What of the flags that ask for coverage a way gives.
const (
	onlyCover = "-cover"
	onlyMode  = "-covermode"
	nothing   = "nothing" // but -coverpkg and -coverprofile, where there are packages or a profile
)

// impossible says why a profiler's way cannot be gone; empty if it can.
func (p Profiler) impossible(t *Toolchain) string {
	w := p.way()
	switch {
	case len(w.Via) > 0 && !slices.Contains(w.Via, p.Via):
		return fmt.Sprintf("way %s is not for via=%s", w.Name, p.Via)
	case w.Mode != "" && (p.Mode != w.Mode || p.Race):
		return fmt.Sprintf("way %s is for mode=%s, without race", w.Name, w.Mode)
	case w.Pkgs != "" && p.Pkgs != w.Pkgs:
		return fmt.Sprintf("way %s is for coverpkg=%s", w.Name, w.Pkgs)
	case t.Minor < w.From:
		return fmt.Sprintf("%s has nothing for way %s", t.Version, w.Name)
	}
	return ""
}

// Uncounted is the profiler with what makes no difference without counters as it is for all.
func (p Profiler) Uncounted() Profiler {
	way := p.way()
	p.Mode, p.Pkgs = cmp.Or(way.Mode, Count), way.Pkgs
	return p
}

// Comparable reports whether a way executes what the plain one does, and how often.
func (p Profiler) Comparable() bool { return !p.way().Dry && !p.way().Unlike }

// Dry reports whether a profiler is only asked what it would do.
func (p Profiler) Dry() bool { return p.way().Dry }

// Idle reports whether a profiler is asked in a way that runs no test.
func (p Profiler) Idle() bool { return p.way().Idle }

// Unprofiled reports whether a profiler is asked in a way of which there is no profile.
func (p Profiler) Unprofiled() bool { return p.way().Unprofiled }

// complaint is what a line looks like by which the go command, or a tool of its, says what is wrong, among the commands that it prints. Tools
// say when it was.
var complaint = regexp.MustCompile(`(?m)^(\d{4}/\d\d/\d\d \d\d:\d\d:\d\d )?((go|cover|[\w./-]+/[\w./-]+|[\w./-]+\.go:\d+(:\d+)?): .*)$`)

// complaints are the lines of what a dry run prints that say what is wrong.
func complaints(out string) string {
	const most = 5
	var lines []string
	for _, m := range complaint.FindAllStringSubmatch(out, -1) {
		lines = append(lines, m[2])
	}
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}

// printed is what go test -json says was printed; a text that is no JSON is as it is.
func printed(out string) string {
	var b strings.Builder
	lines := bufio.NewScanner(strings.NewReader(out))
	lines.Buffer(nil, mostPrinted)
	for lines.Scan() {
		var event struct{ Output string }
		if json.Unmarshal(lines.Bytes(), &event) == nil {
			b.WriteString(event.Output)
			continue
		}
		b.WriteString(lines.Text() + "\n")
	}
	return b.String()
}
