package history_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"misstep/history"
	"misstep/history/record"
	"misstep/internal/gobuild"
	"misstep/internal/testhouse"
)

// recordRun records a run of a program.
func recordRun(t testing.TB, h *testhouse.House, p *gobuild.Program, opts record.BuildOptions) (*history.Recording, history.End, []byte, string) {
	t.Helper()
	ctx := context.Background()
	r := &record.Recorder{Keeper: h.Keeper, Cache: h.Cache}
	rec, err := r.Build(ctx, p, h.Engine, t.TempDir(), opts)
	if err != nil {
		t.Fatal(err)
	}
	var file, stdout bytes.Buffer
	end, err := r.Run(ctx, rec, record.Options{Env: gobuild.RunEnv, Stdout: &stdout, Stderr: os.Stderr}, &file)
	if err != nil {
		t.Fatal(err)
	}
	return rec, end, file.Bytes(), stdout.String()
}

// read reads a history that must be whole.
func read(t testing.TB, file []byte) (*history.Reader, *history.Tree) {
	t.Helper()
	r, err := history.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if r.Err != nil || r.End == nil {
		t.Fatal(r.Err)
	}
	tree, err := r.Tree()
	if err != nil {
		t.Fatal(err)
	}
	return r, tree
}

// eachBlocks is how many blocks of a program are compared at least, on average.
const eachBlocks = 8

// TestShipped: with recording, output and exit code of the shipped programs are
// what they are without, and the statements that are derived from their histories
// are those that go build -cover counts, for every block of statements.
func TestShipped(t *testing.T) {
	h := testhouse.New(t)
	var compared atomic.Int64
	programs := testhouse.Part(h.Find(t, "corpus"), 20)
	t.Run("programs", func(t *testing.T) {
		for _, p := range programs {
			t.Run(p.Name, func(t *testing.T) {
				t.Parallel()
				plain, err := h.Cache.Plain(context.Background(), h.Build(t, p), gobuild.DefaultLimits)
				if err != nil {
					t.Fatal(err)
				}
				for _, objects := range []bool{false, true} {
					rec, end, file, stdout := recordRun(t, h, p, record.BuildOptions{Objects: objects})
					if end.ExitCode != plain.ExitCode || stdout != plain.Stdout {
						t.Errorf("recorded with objects %t, it exits with %d and prints\n%s\nplain, with %d and\n%s", objects, end.ExitCode, stdout, plain.ExitCode, plain.Stdout)
					}
					if !objects { // TestGoroot compares the counts of both
						compared.Add(int64(compareCounts(t, h, rec, file)))
					}
				}
			})
		}
	})
	if n, programs := compared.Load(), int64(len(programs)); n < eachBlocks*programs {
		t.Errorf("only %d blocks of %d programs were compared", n, programs)
	}
}

// compareCounts holds a history against what the cover tool counts.
func compareCounts(t *testing.T, h *testhouse.House, rec *history.Recording, file []byte) (compared int) {
	p := rec.Build.Program
	blocks, err := h.Cache.Cover(context.Background(), p, h.Engine, gobuild.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	again, err := h.Cache.Cover(context.Background(), p, h.Engine, gobuild.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(blocks, again) {
		t.Skip("two runs differ in what they execute")
	}
	_, tree := read(t, file)
	counts := history.Count(rec.Code(), tree)
	var wrong []string
	for _, b := range blocks {
		if b.Statements == 0 {
			continue
		}
		first, got := counts.Block(b.File, b.Line, b.Column, b.EndLine, b.EndColumn)
		compared++
		if got != b.Count {
			wrong = append(wrong, fmt.Sprintf("%s:%d.%d,%d.%d: executed %d times, derived %d (%v)", b.File, b.Line, b.Column, b.EndLine, b.EndColumn, b.Count, got, first))
		}
	}
	if len(wrong) > 0 && slices.ContainsFunc(tree.Roots[1:], func(a *history.Activation) bool { return a.End < 0 }) {
		t.Skip("how far goroutines come that the program's end cuts off differs from run to run")
	}
	for _, w := range wrong {
		t.Error(w)
	}
	return compared
}

// unsteady are programs of $GOROOT/test whose counts depend on time or on the
// collector, which two runs need not show.
var unsteady = map[string]string{
	"goroot/maplinear.go": "repeats what takes too long",
	"goroot/tinyfin.go":   "its finalizers run when the collector likes",
}

// TestGoroot is TestShipped over a sample of $GOROOT/test. Set
// MISSTEP_GOROOT to the number of programs; CI takes a few.
func TestGoroot(t *testing.T) {
	h := testhouse.New(t)
	want := 2
	if s := os.Getenv("MISSTEP_GOROOT"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("MISSTEP_GOROOT is %q; expected a number", s)
		}
		want = n
	}
	programs := h.Find(t, "goroot")
	r := rand.New(rand.NewPCG(1, 1))
	r.Shuffle(len(programs), func(i, j int) { programs[i], programs[j] = programs[j], programs[i] })
	recorder := &record.Recorder{Keeper: h.Keeper, Cache: h.Cache}
	n, blocks := 0, 0
	ctx := context.Background()
	for _, p := range programs {
		if n == want {
			break
		}
		dir := t.TempDir()
		b, err := h.Cache.Build(ctx, p, h.Engine, dir)
		if err != nil {
			continue
		}
		plain, err := h.Cache.Fit(ctx, b, gobuild.DefaultLimits)
		if err != nil {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			n++
			// Every third is recorded with its objects.
			rec, err := recorder.Build(ctx, p, h.Engine, t.TempDir(), record.BuildOptions{Objects: n%3 == 0})
			if err != nil {
				t.Fatal(err)
			}
			var file, stdout bytes.Buffer
			runCtx, cancel := context.WithTimeout(ctx, time.Minute)
			defer cancel()
			end, err := recorder.Run(runCtx, rec, record.Options{Env: gobuild.RunEnv, Stdout: &stdout}, &file)
			if err != nil {
				t.Fatal(err)
			}
			if end.ExitCode != plain.ExitCode || stdout.String() != plain.Stdout {
				t.Errorf("recorded, it exits with %d and prints\n%s\nplain, with %d and\n%s", end.ExitCode, stdout.String(), plain.ExitCode, plain.Stdout)
			}
			if end.Words > 20_000_000 {
				t.Skipf("%d words", end.Words)
			}
			if reason, ok := unsteady[p.Name]; ok {
				t.Skip(reason)
			}
			for _, f := range rec.Plan.Files {
				if strings.Contains(f.Text, "//line ") || strings.Contains(f.Text, "/*line ") {
					t.Skip("the cover tool counts lines as directives name them")
				}
			}
			blocks += compareCounts(t, h, rec, file.Bytes())
		})
		os.RemoveAll(dir)
	}
	t.Logf("%d programs, %d blocks", n, blocks)
	if n < want {
		t.Errorf("only %d programs", n)
	}
}

// TestLabels: a label that is both a goto's and a loop's, and ways out of nested
// loops over functions.
func TestLabels(t *testing.T) {
	h := testhouse.New(t)
	p, err := h.Finder().Unpack(context.Background(), "labels", txtar.Parse([]byte(`
-- main.go --
package main

func three(yield func(int) bool) {
	for i := range 3 {
		if !yield(i) {
			return
		}
	}
}

func find(n int) (found int) {
	for i := range three {
		for j := range three {
			if i*j == n {
				return i
			}
			if j > i {
				break
			}
		}
	}
	return -1
}

func main() {
	n := 0
again:
	for i := 0; i < 4; i++ {
		switch {
		case i == 1:
			continue again
		case i == 2 && n < 20:
			n += 7
			goto again
		case i == 3:
			break again
		}
		n++
	}
outer:
	for i := range three {
		for range three {
			if i == 1 {
				continue outer
			}
			n++
		}
	}
	println(n, find(4), find(5))
}
`)))
	if err != nil {
		t.Fatal(err)
	}
	rec, end, file, _ := recordRun(t, h, p, record.BuildOptions{})
	if end.ExitCode != 0 || len(rec.Plan.Gaps) > 0 {
		t.Fatal(end, rec.Plan.Gaps)
	}
	if n := compareCounts(t, h, rec, file); n < 15 {
		t.Errorf("only %d blocks were compared", n)
	}
}

// TestCut: what was executed of a history that ends anywhere comes to an end too, in
// loops of each kind.
func TestCut(t *testing.T) {
	h := testhouse.New(t)
	p, err := h.Finder().Unpack(context.Background(), "cut", txtar.Parse([]byte(`
-- main.go --
package main

func each(yield func(int) bool) {
	for i := range 3 {
		if !yield(i) {
			return
		}
	}
}

func jumps() (n int) {
again:
	n++
	switch {
	case n < 3:
	more:
		n += 2
		if n < 9 {
			goto more
		}
	case n > 20:
		return n
	}
	goto again
}

func main() {
	n := jumps()
	for {
		if n++; n > 30 {
			break
		}
	}
	for n < 40 {
		n++
	}
	for range n {
		n++
	}
	for i := range each {
		n += i
	}
	for _, x := range []int{1, 2} {
		n += x
	}
	println(n)
}
`)))
	if err != nil {
		t.Fatal(err)
	}
	rec, end, file, _ := recordRun(t, h, p, record.BuildOptions{})
	if end.ExitCode != 0 || len(rec.Plan.Gaps) > 0 {
		t.Fatal(end, rec.Plan.Gaps)
	}
	read := func(time int64) *history.Tree {
		r, err := history.NewReader(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		tree, err := r.TreeUntil(time)
		if err != nil {
			t.Fatal(err)
		}
		return tree
	}
	steps := func(tree *history.Tree, max int) (n int) {
		for _, a := range tree.Activations {
			rec.Code().Walk(a, func(history.Step) {
				if n++; n > max {
					t.Fatalf("more than %d steps", max)
				}
			})
		}
		return n
	}
	tree := read(1 << 20)
	whole := steps(tree, 1<<20)
	for time := range tree.Times {
		// Where exactly it was cut is not known.
		if n := steps(read(time), whole+20); time == tree.Times-1 && n < whole/2 {
			t.Errorf("%d steps of %d", n, whole)
		}
	}
}

// TestEmbeddedInterface: calls belong to the statements that make them, also those of
// methods of an interface that is embedded.
func TestEmbeddedInterface(t *testing.T) {
	h := testhouse.New(t)
	p, err := h.Finder().Unpack(context.Background(), "embedded", txtar.Parse([]byte(`
-- main.go --
package main

type inter interface{ m() int }

type a int

func (x a) m() int { return int(x) + 1 }

type s struct{ inter }

func check(n int) {
	if n != 6 {
		panic(n)
	}
}

func main() {
	v := s{a(5)}
	check(v.m())
	check(v.inter.m())
	check(6)
}
`)))
	if err != nil {
		t.Fatal(err)
	}
	rec, _, file, _ := recordRun(t, h, p, record.BuildOptions{})
	_, tree := read(t, file)
	var got []int
	rec.Code().Walk(tree.Roots[0], func(s history.Step) { got = append(got, len(s.Calls)) })
	if want := []int{0, 2, 2, 1, 0}; !slices.Equal(got, want) {
		t.Errorf("the statements of main make %v calls, want %v", got, want)
	}
}
