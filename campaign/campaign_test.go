package campaign_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"misstep/campaign"
	"misstep/finding"
	"misstep/gen"
	"misstep/internal/gobuild"
	"misstep/transform/action"
)

// fake is a worker that finds what it is told to, by program and round. It debugs nothing.
type fake struct {
	mu     sync.Mutex
	did    []string // program and seed
	finds  func(program string, n int) []string
	unfit  map[string]bool
	fails  error         // of reductions
	hangs  chan struct{} // jobs wait until it is closed, or their time is up
	number map[string]int
	dealt  map[int][]string // by index, the actions in their order
	kinds  map[int]int      // by index, the kind of session that is due
	sweeps map[int]int      // by index, in how many sessions much is asked
	ran    map[int]string   // by index, the program
	turns  map[int]int      // by index, the turn
	shown  *finding.Finding // without a script
	early  *finding.Finding // told of before a job waits
}

func (f *fake) Check(_ context.Context, j *campaign.Job) (bool, error) {
	return !f.unfit[j.Run.Program.Name], nil
}

func (f *fake) Do(ctx context.Context, j *campaign.Job) (*campaign.Outcome, error) {
	key, err := j.Key()
	if err != nil {
		return nil, err
	}
	out := &campaign.Outcome{Key: key, Index: j.Index}
	if j.Reduce != nil {
		red := &campaign.Reduction{Reduced: campaign.Reduced{Class: j.Reduce.Class, Lines: [2]int{9, 3}}, Script: []byte("# class: " + j.Reduce.Class + "\nsmall\n")}
		if f.fails != nil {
			red.Script, red.Failed = nil, f.fails.Error()
		}
		out.Reduction = red
		return out, nil
	}
	name := j.Run.Program.Name
	if f.unfit[name] {
		out.Unfit = &campaign.Unfit{Program: name, Reason: "for the test"}
		return out, nil
	}
	out.Run = &campaign.Run{Index: j.Index, Program: name, Seed: j.Run.Seed, Sessions: 2, Actions: 10}
	f.mu.Lock()
	if f.number == nil {
		f.number = map[string]int{}
	}
	n := f.number[name]
	f.number[name]++
	if f.dealt == nil {
		f.dealt, f.kinds, f.sweeps, f.ran, f.turns = map[int][]string{}, map[int]int{}, map[int]int{}, map[int]string{}, map[int]int{}
	}
	f.dealt[j.Index], f.kinds[j.Index], f.sweeps[j.Index], f.ran[j.Index], f.turns[j.Index] = j.Run.Actions, j.Run.Kind, j.Run.Sweep, name, j.Run.Turn
	f.did = append(f.did, fmt.Sprintf("%s %x", name, j.Run.Seed))
	f.mu.Unlock()
	if f.early != nil {
		j.Early(f.early)
		j.Early(f.early)
		out.Findings = append(out.Findings, campaign.Packed{Finding: f.early})
	}
	if f.hangs != nil {
		select {
		case <-ctx.Done():
			out.Run.Cut = true
		case <-f.hangs:
		}
	}
	if f.shown != nil {
		out.Findings = append(out.Findings, campaign.Packed{Finding: f.shown})
	}
	for i, class := range f.finds(name, n) {
		out.Findings = append(out.Findings, campaign.Packed{
			Finding: &finding.Finding{
				Oracle: "reference", Rule: class, Class: finding.Class{Rule: class}, Reason: "It is so.", Program: name,
				Severity: finding.False, Payload: &finding.Session{Index: i},
			},
			Script: []byte("# class: " + class + "\n" + strings.Repeat("x", 10+j.Index) + "\n"),
		})
	}
	return out, nil
}

// handler keeps all events.
type handler struct{ events []campaign.Event }

func (h *handler) Handle(e campaign.Event) error {
	h.events = append(h.events, e)
	return nil
}

func (h *handler) Flush() error { return nil }

func programs(t *testing.T, n int) []*gobuild.Program {
	var list []*gobuild.Program
	for i := range n {
		dir := t.TempDir()
		file := filepath.Join(dir, "main.go")
		if err := os.WriteFile(file, fmt.Appendf(nil, "package main\n\nfunc main() { println(%d) }\n", i), 0o666); err != nil {
			t.Fatal(err)
		}
		list = append(list, &gobuild.Program{Name: fmt.Sprintf("p%d", i), Dir: dir, Target: []string{file}, Files: []string{file}})
	}
	return list
}

func config(t *testing.T, n int) *campaign.Config {
	return &campaign.Config{
		Engine: gobuild.Engine{Adapter: "dlv"}, Programs: programs(t, n), Patterns: []string{"test"}, Seed: 3, Workers: 3,
		Out: t.TempDir(), Generate: gen.DefaultConfig(), Limits: gobuild.DefaultLimits,
	}
}

func hunts(t *testing.T, ctx context.Context, cfg *campaign.Config, w campaign.Worker) (*campaign.Summary, *handler, error) {
	t.Helper()
	store, err := campaign.OpenStore(context.Background(), cfg.Out)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	return huntsOver(ctx, cfg, w, store)
}

func huntsOver(ctx context.Context, cfg *campaign.Config, w campaign.Worker, store campaign.Store) (*campaign.Summary, *handler, error) {
	h := &handler{}
	sum, err := campaign.Hunt(ctx, cfg, w, store, "go1.26.0", h)
	return sum, h, err
}

func nothing(string, int) []string { return nil }

// TestSchedule: each program gets its runs, in turn, each with a seed of its own that does
// not depend on the other programs; those that are unfit get none.
func TestSchedule(t *testing.T) {
	cfg := config(t, 4)
	cfg.Runs = 12
	w := &fake{finds: nothing, unfit: map[string]bool{"p2": true}}
	sum, h, err := hunts(t, context.Background(), cfg, w)
	if err != nil {
		t.Fatal(err)
	}
	if sum.Runs != 9 || sum.Unfit != 1 || sum.Programs != 3 || sum.Sessions != 18 || !sum.Complete {
		t.Errorf("%+v", sum)
	}
	if slices.Sort(w.did); len(slices.Compact(slices.Clone(w.did))) != 9 {
		t.Errorf("seeds come twice: %q", w.did)
	}
	alone := config(t, 1)
	alone.Runs = 3
	v := &fake{finds: nothing}
	if _, _, err := hunts(t, context.Background(), alone, v); err != nil {
		t.Fatal(err)
	}
	slices.Sort(v.did)
	if !slices.Equal(v.did, w.did[:3]) {
		t.Errorf("alone, p0 has the runs %q, with others %q", v.did, w.did[:3])
	}
	if first, last := h.events[0].Type, h.events[len(h.events)-1].Type; first != "start" || last != "summary" {
		t.Errorf("the stream goes from %s to %s", first, last)
	}
}

// TestDealt: all transformations are due soon, each again before one has been due three times, in an order of
// the seed's; each run has all of them.
func TestDealt(t *testing.T) {
	all := action.All[:20]
	dealt := func(seed uint64) map[int][]string {
		cfg := config(t, 3)
		cfg.Runs, cfg.Seed, cfg.Iterations, cfg.Actions = 20, seed, 8, all
		w := &fake{finds: nothing}
		if _, _, err := hunts(t, context.Background(), cfg, w); err != nil {
			t.Fatal(err)
		}
		return w.dealt
	}
	const due = 9 // of a run: three of those on top of each other, and six on the base itself
	runs, times := dealt(3), map[string]int{}
	for i := range runs {
		if sorted := slices.Sorted(slices.Values(runs[i])); len(slices.Compact(sorted)) != len(all) {
			t.Errorf("run %d has %q", i, runs[i])
		}
	}
	for i := range 20 {
		for _, name := range runs[i][:due] {
			times[name]++
		}
		if i < 2 {
			continue
		}
		for _, a := range all {
			// Three runs have 27 cards, of 20.
			if low, high := (i+1)*due/len(all)-1, (i+1)*due/len(all)+2; times[a.Name] < low || times[a.Name] > high {
				t.Errorf("after %d runs, %s was due %d times", i+1, a.Name, times[a.Name])
			}
		}
	}
	if len(times) != len(all) {
		t.Errorf("%d of %d were due", len(times), len(all))
	}
	if maps.EqualFunc(runs, dealt(4), slices.Equal[[]string]) || !maps.EqualFunc(runs, dealt(3), slices.Equal[[]string]) {
		t.Error("the order is not the seed's")
	}
}

// TestKinds: each kind of session is due once before any is due again, and one of four in each four runs.
func TestKinds(t *testing.T) {
	cfg := config(t, 3)
	cfg.Runs, cfg.Seed = gen.Kinds, 5
	w := &fake{finds: nothing}
	if _, _, err := hunts(t, context.Background(), cfg, w); err != nil {
		t.Fatal(err)
	}
	due := map[int]bool{}
	for i, kind := range w.kinds {
		if due[kind] || kind < 0 || kind >= gen.Kinds {
			t.Errorf("run %d: kind %d again, or none", i, kind)
		}
		due[kind] = true
		if i%4 == 0 {
			four := map[int]bool{}
			for k := range 4 {
				four[w.kinds[i+k]%4] = true
			}
			if len(four) != 4 {
				t.Errorf("runs from %d have %d of four kinds", i, len(four))
			}
		}
	}
	if len(due) != gen.Kinds {
		t.Errorf("%d of %d were due", len(due), gen.Kinds)
	}
}

// TestSweeps: with a baseline to hold sessions against, each program has as many sweeps as other runs, two in a row by one transformation and the next by
// another. Most come first, and some others between them; without a baseline there are none.
func TestSweeps(t *testing.T) {
	const n = 10
	for _, on := range []bool{false, true} {
		cfg := config(t, n)
		cfg.Runs, cfg.Oracles.Baseline, cfg.Actions = 4*n, on, action.All
		w := &fake{finds: nothing}
		if _, _, err := hunts(t, context.Background(), cfg, w); err != nil {
			t.Fatal(err)
		}
		odd, even := map[string]bool{}, map[string]bool{}
		first, swept, others := map[string]int{}, map[string]int{}, map[string]int{}
		for i := range 4 * n {
			if w.sweeps[i] == 0 {
				others[w.ran[i]]++
				if k := i % (2 * n); on && k < n && k%10 != 9 {
					t.Errorf("run %d is no sweep", i)
				}
				continue
			}
			swept[w.ran[i]]++
			odd[w.ran[i]], even[w.ran[i]] = odd[w.ran[i]] || w.turns[i]%2 == 1, even[w.ran[i]] || w.turns[i]%2 == 0
			name := w.dealt[i][0]
			if first[name]++; first[name] > 2 || action.Sets(name) {
				t.Errorf("run %d begins with %s", i, name)
			}
		}
		for _, p := range cfg.Programs {
			if on && (!odd[p.Name] || !even[p.Name]) {
				t.Errorf("both sweeps of %s are of one kind", p.Name)
			}
			if want := map[bool][2]int{false: {0, 4}, true: {2, 2}}[on]; swept[p.Name] != want[0] || others[p.Name] != want[1] {
				t.Errorf("with a baseline %t: %s has %d sweeps and %d other runs", on, p.Name, swept[p.Name], others[p.Name])
			}
		}
	}
}

// TestFailFast: a campaign that is to stop with the first finding does.
func TestFailFast(t *testing.T) {
	cfg := config(t, 2)
	cfg.Runs, cfg.Workers, cfg.FailFast = 20, 1, true
	w := &fake{finds: func(_ string, n int) []string {
		if n == 1 {
			return []string{"R1"}
		}
		return nil
	}}
	sum, _, err := hunts(t, context.Background(), cfg, w)
	if err != nil || !sum.New() || len(w.did) < 2 || len(w.did) > 4 {
		t.Errorf("%d runs, %+v, %v", len(w.did), sum, err)
	}
}

// TestEarly: what a run has settled is told of while it goes on, once, and comes as a finding when it is over. A campaign that is to
// stop with the first finding stops then, and keeps it.
func TestEarly(t *testing.T) {
	for _, fast := range []bool{false, true} {
		cfg := config(t, 2)
		cfg.Runs, cfg.Workers, cfg.FailFast = 2, 2, fast
		w := &fake{finds: nothing, early: &finding.Finding{
			Oracle: "reference", Rule: "R1", Class: finding.Class{Rule: "R1"}, Reason: "It is so.", Severity: finding.False, Payload: &finding.Session{},
		}}
		if fast {
			w.hangs = make(chan struct{}) // nothing else ends the runs
		}
		sum, h, err := hunts(t, context.Background(), cfg, w)
		if err != nil || !sum.New() {
			t.Fatalf("failfast %v: %+v, %v", fast, sum, err)
		}
		var types []string
		for _, e := range h.events {
			if e.Type == "early" || e.Type == "finding" {
				types = append(types, e.Type)
			}
		}
		if len(types) < 2 || types[0] != "early" || slices.Contains(types[1:], "early") {
			t.Errorf("failfast %v: told %v; expected early once, and findings", fast, types)
		}
	}
}

// TestResume: a campaign that is interrupted goes on, does no finished run again, loses no
// finding, and does not call a class new that it has told of.
func TestResume(t *testing.T) {
	cfg := config(t, 3)
	cfg.Runs = 30
	finds := func(program string, _ int) []string { return []string{"R-" + program} }
	ctx, stop := context.WithCancel(context.Background())
	n := 0
	w := &fake{}
	w.finds = func(program string, k int) []string {
		w.mu.Lock()
		defer w.mu.Unlock()
		if n++; n == 10 {
			stop()
		}
		return finds(program, k)
	}
	sum, _, err := hunts(t, ctx, cfg, w)
	if !errors.Is(err, context.Canceled) || sum == nil || sum.Runs < 9 || sum.Complete || !sum.New() {
		t.Fatalf("%+v, %v", sum, err)
	}
	first := len(w.did)
	again := &fake{finds: finds}
	sum, h, err := hunts(t, context.Background(), cfg, again)
	if err != nil || sum.Runs != 30 || !sum.Complete {
		t.Fatalf("%+v, %v", sum, err)
	}
	if total := first + len(again.did); total != 30 {
		t.Errorf("%d runs were done before, %d after: 30 in all", first, len(again.did))
	}
	for _, e := range h.events {
		if e.Finding != nil && e.Finding.New {
			t.Errorf("%s is called new after it was told of", e.Finding.What.Class)
		}
		if e.Start != nil && e.Start.Done != first {
			t.Errorf("%d runs are said to be done, %d are", e.Start.Done, first)
		}
	}
	// One that is complete is begun anew.
	if sum, _, err := hunts(t, context.Background(), cfg, &fake{finds: nothing}); err != nil || len(sum.Causes) != 0 || sum.Runs != 30 {
		t.Errorf("%+v, %v", sum, err)
	}
}

// TestOutOfTime: what a run has found when the time is up is kept and told, and the run is
// done again by the next part of the campaign.
func TestOutOfTime(t *testing.T) {
	cfg := config(t, 1)
	cfg.Time, cfg.Workers = 50*time.Millisecond, 1
	w := &fake{finds: func(string, int) []string { return []string{"R1"} }, hangs: make(chan struct{})}
	sum, _, err := hunts(t, context.Background(), cfg, w)
	if err != nil || sum.Runs != 0 || sum.Cut != 1 || !sum.New() {
		t.Fatalf("%+v, %v", sum, err)
	}
	if _, err := os.Stat(filepath.Join(cfg.Out, "R1.txtar")); err != nil {
		t.Error(err)
	}
}

// TestSample: of each class the shortest script is written, and as many more as are asked
// for, from all classes in turn.
func TestSample(t *testing.T) {
	cfg := config(t, 2)
	cfg.Runs, cfg.Sample, cfg.Workers = 10, 4, 1
	finds := func(program string, n int) []string {
		if program == "p0" {
			return []string{"A/x"}
		}
		if n == 0 {
			return []string{"B"}
		}
		return nil
	}
	sum, _, err := hunts(t, context.Background(), cfg, &fake{finds: finds})
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(cfg.Out, "*.txtar"))
	for i := range files {
		files[i] = filepath.Base(files[i])
	}
	if want := []string{"A_x-2.txtar", "A_x-3.txtar", "A_x.txtar", "B.txtar"}; !slices.Equal(files, want) {
		t.Errorf("%q, want %q", files, want)
	}
	counts := map[string]int{}
	for _, c := range sum.Classes() {
		counts[c.Class] = c.Count
	}
	if !reflect.DeepEqual(counts, map[string]int{"A/x": 5, "B": 1}) {
		t.Errorf("%v", counts)
	}
	// Another campaign does not take their place.
	cfg.Runs, cfg.Sample = 2, 0
	if _, _, err := hunts(t, context.Background(), cfg, &fake{finds: finds}); err == nil || !strings.Contains(err.Error(), "its runs: 10, not 2") {
		t.Error(err)
	}
}

// TestNoSession: a finding that no session shows is kept, counted, and written as JSON; it
// is not reduced.
func TestNoSession(t *testing.T) {
	cfg := config(t, 1)
	cfg.Runs, cfg.Reduce = 1, time.Minute
	w := &fake{finds: nothing, shown: finding.Of(finding.Rule{Oracle: "coverage", ID: "count", Sentence: "Counts are true."},
		finding.Place{File: "main.go", Line: 3}, "a block", finding.Said{Text: "5"}, finding.Said{Text: "1"}, &finding.Raw{Form: "counts", Data: []byte("{}")})}
	sum, _, err := hunts(t, context.Background(), cfg, w)
	if err != nil || len(sum.Classes()) != 1 {
		t.Fatalf("%+v, %v", sum, err)
	}
	c := sum.Classes()[0]
	text, err := os.ReadFile(filepath.Join(cfg.Out, "count_counts.json"))
	if err != nil || c.Class != "count/counts" || c.Script != filepath.Join(cfg.Out, "count_counts.json") || c.Reduced != nil || !strings.Contains(string(text), `"counts"`) {
		t.Errorf("%+v, %v\n%s", c, err, text)
	}
}

// TestReductions: each class is reduced, by jobs of their own; what goes wrong with one is
// told, and its script stays as it was.
func TestReductions(t *testing.T) {
	finds := func(program string, n int) []string { return []string{"A", "B", "C"} }
	for _, fails := range []error{nil, errors.New("the compiler is gone")} {
		cfg := config(t, 1)
		cfg.Runs, cfg.Reduce = 3, time.Minute
		sum, h, err := hunts(t, context.Background(), cfg, &fake{finds: finds, fails: fails})
		if err != nil {
			t.Fatal(err)
		}
		reduced := 0
		for _, e := range h.events {
			if e.Reduced != nil {
				reduced++
			}
		}
		if reduced != 3 {
			t.Errorf("%d classes were reduced, not 3", reduced)
		}
		for _, c := range sum.Classes() {
			text, err := os.ReadFile(c.Script)
			if err != nil {
				t.Fatal(err)
			}
			small := strings.Contains(string(text), "small")
			if small != (fails == nil) || c.Reduced == nil || (c.Reduced.Failed == "") != (fails == nil) {
				t.Errorf("%s: %+v\n%s", c.Class, c.Reduced, text)
			}
		}
	}
}

// TestJob: a job is the same wherever it is made, and another if anything in it is.
func TestJob(t *testing.T) {
	p := programs(t, 1)[0]
	q := *p
	q.Dir = t.TempDir()
	q.Files = []string{filepath.Join(q.Dir, "main.go")}
	q.Target = q.Files
	text, err := p.Read(p.Files[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(q.Files[0], text, 0o666); err != nil {
		t.Fatal(err)
	}
	key := func(p *gobuild.Program, seed uint64) string {
		k, err := (&campaign.Job{Engine: "dlv", Run: &campaign.RunJob{Program: campaign.ContentOf(p), Seed: seed}}).Key()
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	if key(p, 1) != key(&q, 1) {
		t.Error("the same program in another folder is another job")
	}
	if key(p, 1) == key(p, 2) {
		t.Error("another seed is the same job")
	}
	if err := os.WriteFile(q.Files[0], append(text, "// more\n"...), 0o666); err != nil {
		t.Fatal(err)
	}
	if key(p, 1) == key(&q, 1) {
		t.Error("another text is the same job")
	}
}
