package coverage_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"misstep/finding"
	"misstep/history/record"
	"misstep/internal/gobuild"
	"misstep/internal/testhouse"
	"misstep/oracle/coverage"
	"misstep/profiler"
)

// program has executed and unexecuted code of several kinds.
const program = `package main

import "fmt"

type shape interface{ area() int }

type square struct{ side int }

func (s square) area() int { return s.side * s.side }

func sum(shapes ...shape) (n int) {
	for _, s := range shapes {
		n += s.area()
	}
	return n
}

func never(n int) int {
	n++
	return n
}

func main() {
	k := sum(square{1}, square{2}, square{3})
	switch {
	case k > 100:
		fmt.Println("large")
		k = never(k)
	case k > 10:
		// as it is
		fmt.Println("medium")
	default:
		fmt.Println("small")
	}
	if k < 0 {
		fmt.Println("negative")
	}
	fmt.Println(k)
}
`

func subject(files ...string) *profiler.Subject {
	s := &profiler.Subject{Name: "p", Package: "."}
	for i := 0; i < len(files); i += 2 {
		s.Files = append(s.Files, gobuild.File{Name: files[i], Data: []byte(files[i+1])})
	}
	return s
}

const goMod = "module p\n\ngo 1.25\n"

// caseOf is a case, with a broken profiler or without.
func caseOf(t *testing.T, h *testhouse.House, s *profiler.Subject, text string, fault *coverage.Fault) *coverage.Case {
	t.Helper()
	p, err := profiler.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	b := &profiler.Bench{Keeper: h.Keeper, Cache: h.Cache}
	if fault != nil {
		b.BreakRun, b.BreakTool = fault.Run, fault.Tool
	}
	c, err := coverage.NewCase(t.Context(), b, &record.Recorder{Keeper: h.Keeper, Cache: h.Cache}, s, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// try makes a trial, and is what it found.
func try(t *testing.T, c *coverage.Case, trial coverage.Trial) *coverage.Verdict {
	t.Helper()
	v, err := c.Try(context.Background(), trial)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// trials are those that the tests make of each rule.
func trials() []coverage.Trial {
	return []coverage.Trial{
		{Rule: coverage.Without}, {Rule: coverage.Without, With: "cover,mode=count,via=build,way=dry"}, {Rule: coverage.Without, With: "cover,mode=count,via=build,way=explained"}, {Rule: coverage.Without, With: "cover,mode=atomic,via=build,way=exported-alone"}, {Rule: coverage.Without, As: "error/mismatch"}, {Rule: coverage.Blocks}, {Rule: coverage.Truth}, {Rule: coverage.Mode},
		{Rule: coverage.Tools, Seed: 0}, {Rule: coverage.Tools, Seed: 1}, {Rule: coverage.Tools, Seed: 2}, {Rule: coverage.Tools, Seed: 3}, {Rule: coverage.Tools, Seed: 4}, {Rule: coverage.Tools, Seed: 6},
		{Rule: coverage.Tools, With: "cover,mode=count,via=test"}, {Rule: coverage.Tools, With: "cover,mode=count,via=build,coverpkg=./..."},
		{Rule: coverage.Pruned, Seed: 2}, {Rule: coverage.Pruned, Seed: 3},
		{Rule: coverage.Rewrite, As: "layout/crlf"}, {Rule: coverage.Rewrite, As: "layout/comment-each"}, {Rule: coverage.Rewrite, As: "layout/one-line"},
		{Rule: coverage.Converters, By: "lcov=" + os.Args[0]}, {Rule: coverage.Converters, By: "lcov=" + os.Args[0], With: "cover,mode=set,via=build"},
		{Rule: coverage.Versions, With: "dlv"},
		{Rule: coverage.Refusals, By: "cover/no-profile"}, {Rule: coverage.Refusals, By: "func/word"},
		{Rule: coverage.Rewrite, As: "declare/clauses"}, {Rule: coverage.Rewrite, As: "file/empty"}, {Rule: coverage.Rewrite, As: "package/same-name"},
	}
}

// TestMain is a converter if it is run as one: of the blocks of a profile, each line has the most of their counts.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		os.Exit(m.Run())
	}
	if err := convert(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func convert(in io.Reader, out io.Writer) error {
	text, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	p, err := profiler.ParseProfile(string(text))
	if err != nil {
		return err
	}
	files := map[string]map[int]uint64{}
	for _, b := range p.Blocks {
		if files[b.File] == nil {
			files[b.File] = map[int]uint64{}
		}
		for line := b.Line; line <= b.EndLine; line++ {
			files[b.File][line] = max(files[b.File][line], b.Count)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		hit := 0
		fmt.Fprintf(out, "SF:%s\n", name)
		for _, line := range slices.Sorted(maps.Keys(files[name])) {
			n := files[name][line]
			if n > 0 {
				hit++
			}
			fmt.Fprintf(out, "DA:%d,%d\n", line, n)
		}
		fmt.Fprintf(out, "LF:%d\nLH:%d\nend_of_record\n", len(files[name]), hit)
	}
	return nil
}

// TestSound: of a program whose coverage is right, nothing is found, and each trial compares something.
func TestSound(t *testing.T) {
	c := caseOf(t, testhouse.New(t), subject("go.mod", goMod, "main.go", program), "cover", nil)
	if why, err := c.Fit(t.Context()); why != "" || err != nil {
		t.Fatal(why, err)
	}
	for _, trial := range testhouse.Part(trials(), 3) {
		v := try(t, c, trial)
		for _, f := range v.Findings {
			if f.Class.Node == "testing-coverage" {
				continue // see TestDefects
			}
			t.Errorf("%s: %s: %s", trial, f.Class, f.Reason)
		}
		if v.Made == 0 {
			t.Errorf("%s compares nothing: %s", trial, v.Not)
		}
	}
}

// ordered has variables whose order of initialisation follows from what a function uses that is not executed, in two files.
const ordered = `package main

var sp = ""

func f(name string, _ ...any) int {
	print(sp, name)
	sp = " "
	return 0
}

var a = f("a", x)
var d = func() int {
	if false {
		_ = z
	}
	return f("d")
}()
var e = f("e")

var x int

func main() { println() }
`

// leaving executes something the first time only.
const leaving = `package main

import (
	"os"
	"testing"
)

func TestLeaving(t *testing.T) {
	if _, err := os.Stat("left"); err != nil {
		sum(square{1})
		os.WriteFile("left", nil, 0o666)
	}
}
`

// heads has loops whose heads assign to what calls give.
const heads = `package main

func main() {
	x := 0
	f := func() int {
		x++
		return 0
	}
	g := func(n int) *int {
		x += n
		return &x
	}
	s, m := []int{1, 2, 3}, map[int]int{}
	var a [2]int
	for a[f()], *g(1) = range s {
		s[a[f()]] = 0
	}
	for a[f()] = range s {
		for m[f()], a[f()] = range a {
			if x > 9 && f() == 0 || f() == 1 {
				x++
			}
		}
	}
	c := make(chan int, 9)
	for i := range 4 {
		c <- i
		select {
		case a[f()] = <-c:
			x++
		}
	}
	close(c)
	for a[f()] = range c {
		x++
	}
	it := func(yield func(int, int) bool) {
		for i := range 3 {
			if !yield(i, i) {
				return
			}
		}
	}
	for a[f()], *g(1) = range it {
		x++
	}
	for *g(1) = range s[:0] {
		x++
	}
	for a[f()] = range 3 {
		x++
	}
	println(x)
}
`

// TestUnlike: programs of which a rule was once not held by a fault of its own.
func TestUnlike(t *testing.T) {
	h := testhouse.New(t)
	const tests = "package main\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) { sum(square{1}, square{2}) }\n"
	for _, c := range []struct {
		name    string
		subject *profiler.Subject
		trial   coverage.Trial
	}{
		{"a program that has tests of its own", subject("go.mod", goMod, "main.go", program, "main_test.go", tests), coverage.Trial{Rule: coverage.Truth, With: "cover,mode=count,via=test"}},
		{"files of one name", subject("go.mod", goMod, "main.go", "package main\n\nimport \"p/sub\"\n\nfunc main() {\n\tfor i := 0; i < 3; i++ {\n\t\tprintln(i)\n\t}\n\tsub.F()\n}\n", "sub/main.go", "package sub\n\nfunc F() {\n\tk := 0\n\tfor i := 0; i < 5; i++ {\n\t\tk += i\n\t\tprintln(k)\n\t}\n\tprintln(k)\n}\n"), coverage.Trial{Rule: coverage.Versions, With: "dlv"}},
		{"order of initialisation", subject("go.mod", goMod, "a.go", ordered, "b.go", "package main\n\nvar z int = func() int { return 42 }()\n"), coverage.Trial{Rule: coverage.Pruned, Seed: 1}},
		{"tests of which the first run leaves a file", subject("go.mod", goMod, "main.go", program, "main_test.go", leaving), coverage.Trial{Rule: coverage.Tools, With: "cover,mode=count,via=all", Seed: 2}},
		{"heads of loops", subject("go.mod", goMod, "main.go", heads), coverage.Trial{Rule: coverage.Truth}},
	} {
		v := try(t, caseOf(t, h, c.subject, "cover", nil), c.trial)
		if v.Made == 0 || len(v.Findings) > 0 {
			t.Errorf("%s: %d checks, %s, %v", c.name, v.Made, v.Not, v.Findings)
		}
	}
}

// A package with tests beside the program, and a test of the program.
const (
	part     = "package part\n\nfunc Half(n int) int {\n\tif n < 0 {\n\t\treturn 0\n\t}\n\treturn n / 2\n}\n"
	partTest = "package part\n\nimport \"testing\"\n\nfunc TestHalf(t *testing.T) {\n\tif Half(4) != 2 {\n\t\tt.Fail()\n\t}\n}\n"
	inTest   = "package main\n\nimport \"testing\"\n\nfunc TestNothing(t *testing.T) {}\n"
)

// TestFaults: each broken profiler is found by the rule that it breaks.
func TestFaults(t *testing.T) {
	h := testhouse.New(t)
	broken := map[string]bool{}
	for _, fault := range coverage.Faults {
		broken[fault.Rule] = true
	}
	for _, fault := range testhouse.Part(coverage.Faults, 16) {
		t.Run(fault.Name, func(t *testing.T) {
			c := caseOf(t, h, subject("go.mod", goMod, "main.go", program), "cover", &fault)
			list := trials()
			if fault.Rule == coverage.Versions {
				version, err := h.Cache.GoEnv(t.Context(), gobuild.Engine{}, "GOVERSION")
				if err != nil {
					t.Fatal(err)
				}
				list = []coverage.Trial{{Rule: coverage.Versions, With: "cover@" + version + ",mode=count,via=build"}}
				if fault.Name == "lines-lost" {
					list = []coverage.Trial{{Rule: coverage.Versions, With: "dlv"}}
				}
			}
			if slices.Contains([]string{"share-alone", "profile-torn", "cached-share", "stale-profile", "alone-cached"}, fault.Name) {
				c = caseOf(t, h, subject("go.mod", goMod, "main.go", program, "main_test.go", inTest, "part/part.go", part, "part/part_test.go", partTest), "cover", &fault)
				list = []coverage.Trial{{Rule: coverage.Tools, With: "cover,mode=set,via=all,coverpkg=./...", Seed: 2}}
				if fault.Name == "stale-profile" {
					list[0].Seed = 1
				}
			}
			if fault.Name == "bom" {
				list = []coverage.Trial{{Rule: coverage.Rewrite, As: "layout/bom"}}
			}
			for _, trial := range list {
				if trial.Rule == fault.Rule && len(try(t, c, trial).Findings) > 0 {
					return
				}
			}
			t.Errorf("%s does not find it", fault.Rule)
		})
	}
	for _, r := range coverage.Rules {
		if !broken[r.ID] {
			t.Errorf("no fault breaks %s", r.ID)
		}
	}
}

// TestVariants: each variant of a program does what the program does, and is of one that go build takes.
func TestVariants(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program in all ways")
	}
	h := testhouse.New(t)
	c := caseOf(t, h, subject("go.mod", goMod, "main.go", program), "cover", nil)
	made, unmade := 0, 0
	for _, v := range testhouse.Part(coverage.Variants(), 20) {
		if strings.HasPrefix(v.Name, "error/") {
			if got := try(t, c, coverage.Trial{Rule: coverage.Without, As: v.Name}); got.Not != "" || len(got.Findings) > 0 {
				t.Errorf("%s: %s %v", v.Name, got.Not, got.Findings)
			}
			continue
		}
		got := try(t, c, coverage.Trial{Rule: coverage.Rewrite, As: v.Name, Seed: 1})
		if got.Not != "" {
			unmade++
			t.Logf("%s: %s", v.Name, got.Not)
		} else {
			made++
		}
	}
	if made < 4 || unmade > made/2 {
		t.Errorf("%d variants are made, %d are not", made, unmade)
	}
}

// TestWays: each way to ask the go command for a program, and for all tests of a module, makes no difference, and is compared
// where it can be.
func TestWays(t *testing.T) {
	h := testhouse.New(t)
	c := caseOf(t, h, subject("go.mod", goMod, "main.go", program, "main_test.go", inTest, "part/part.go", part, "part/part_test.go", partTest), "cover", nil)
	for _, w := range testhouse.Part(profiler.Ways, 32) {
		vias := w.Via
		if len(vias) == 0 {
			vias = []string{profiler.ByBuild, profiler.ByTest, profiler.ByAll}
		}
		for _, via := range vias {
			p := c.Profiler
			p.Via, p.Way, p.Mode, p.Pkgs = via, w.Name, cmp.Or(w.Mode, profiler.Count), w.Pkgs
			for _, rule := range []string{coverage.Without, coverage.Blocks, coverage.Tools} {
				if w.Dry && rule != coverage.Without {
					continue
				}
				trial := coverage.Trial{Rule: rule, With: p.String(), Seed: 2}
				v := try(t, c, trial)
				for _, f := range v.Findings {
					if !slices.ContainsFunc(known, func(class string) bool { return strings.HasPrefix(f.Class.String(), class) }) {
						t.Errorf("%s: %s: %s", trial, f.Class, f.Reason)
					}
				}
				if v.Made == 0 && !w.Unlike && rule == coverage.Without {
					t.Errorf("%s compares nothing: %s", trial, v.Not)
				}
				t.Logf("%s: %d made %s", trial, v.Made, v.Not)
			}
		}
	}
}

// TestFuzzed: fuzzing, which is for one package alone, is compared without a profile, which the go command refuses to write of it.
func TestFuzzed(t *testing.T) {
	const fuzz = "package main\n\nimport \"testing\"\n\nfunc FuzzAny(f *testing.F) {\n\tf.Add(1)\n\tf.Fuzz(func(t *testing.T, n int) { _ = n + 1 })\n}\n"
	h := testhouse.New(t)
	c := caseOf(t, h, subject("go.mod", goMod, "main.go", program, "main_test.go", inTest, "fuzz_test.go", fuzz), "cover", nil)
	p := c.Profiler
	p.Via, p.Way = profiler.ByAll, "fuzzed"
	v := try(t, c, coverage.Trial{Rule: coverage.Without, With: p.String(), Seed: 2})
	if v.Made == 0 || len(v.Findings) > 0 {
		t.Errorf("%d made, not made: %s; %v", v.Made, v.Not, v.Findings)
	}
}

// known are classes of what is wrong with the toolchain at hand.
var known = []string{"C5-tools/test-share/testing-coverage", "C1-without/build/overlay", "C1-without/build/test+overlay", "C1-without/build/all+overlay", "C1-without/build/all+exported-tests"}

// TestDefects: what is known to be wrong with the toolchain at hand is found.
func TestDefects(t *testing.T) {
	c := caseOf(t, testhouse.New(t), subject("go.mod", goMod, "main.go", program+"\nfunc init() { _ = 1 }\n\nfunc init() {\n\tif never == nil {\n\t\tprintln()\n\t}\n}\n"), "cover", nil)
	for _, want := range []struct {
		trial coverage.Trial
		class string
	}{
		{coverage.Trial{Rule: coverage.Tools}, "C5-tools/covdata-func/listed"},
		{coverage.Trial{Rule: coverage.Tools, With: "cover,mode=count,via=test"}, "C5-tools/test-share/testing-coverage"},
		{coverage.Trial{Rule: coverage.Rewrite, As: "layout/bom"}, "C7-rewrite/build/layout/bom"},
		{coverage.Trial{Rule: coverage.Rewrite, As: "names/types", Seed: 1}, "C7-rewrite/build/names"},
	} {
		v := try(t, c, want.trial)
		if !slices.ContainsFunc(v.Findings, func(f *finding.Finding) bool { return strings.HasPrefix(f.Class.String(), want.class) }) {
			t.Errorf("%s: no finding of %s; a newer toolchain may have mended it", want.trial, want.class)
		}
	}
}
