package hub_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"misstep/campaign"
	"misstep/campaign/hub"
	"misstep/dap"
	"misstep/finding"
	"misstep/gen"
	"misstep/internal/gobuild"
)

// fake does jobs without a debugger: what comes of one follows from the job. Of each third run there is a finding.
type fake struct {
	takes time.Duration
	fails func(j *campaign.Job) error

	mu  sync.Mutex
	did map[string]int // by key
}

func (f *fake) Check(context.Context, *campaign.Job) (bool, error) { return true, nil }

func (f *fake) Do(ctx context.Context, j *campaign.Job) (*campaign.Outcome, error) {
	key, err := j.Key()
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	if f.did == nil {
		f.did = map[string]int{}
	}
	f.did[key]++
	f.mu.Unlock()
	out := &campaign.Outcome{Key: key, Index: j.Index}
	if r := j.Reduce; r != nil {
		out.Reduction = &campaign.Reduction{Reduced: campaign.Reduced{Class: r.Class, Lines: [2]int{9, 3}}, Script: r.Script[:len(r.Script)/2]}
		return out, nil
	}
	if f.fails != nil {
		if err := f.fails(j); err != nil {
			return nil, err
		}
	}
	name := j.Run.Program.Name
	out.Run = &campaign.Run{Index: j.Index, Program: name, Seed: j.Run.Seed, Sessions: 2, Actions: 10}
	select {
	case <-ctx.Done():
		out.Run.Cut = true
		return out, nil
	case <-time.After(f.takes):
	}
	if len(j.Run.Program.Files) == 0 {
		return nil, errors.New("the program did not come along")
	}
	if j.Index%3 == 0 {
		class := fmt.Sprint("class", j.Index%4)
		out.Findings = []campaign.Packed{{
			Finding: &finding.Finding{Oracle: "reference", Rule: class, Class: finding.Class{Rule: class}, Reason: "It is so.", Program: name, Severity: finding.False},
			Script:  []byte("# class: " + class + "\n" + strings.Repeat("x", 10+min(j.Index, 4096)) + "\n"),
		}}
	}
	return out, nil
}

// config is that of a campaign over n programs.
func config(t testing.TB, n, runs int) *campaign.Config {
	var list []*gobuild.Program
	for i := range n {
		dir := t.TempDir()
		file := filepath.Join(dir, "main.go")
		if err := os.WriteFile(file, fmt.Appendf(nil, "package main\n\nfunc main() { println(%d) }\n", i), 0o666); err != nil {
			t.Fatal(err)
		}
		list = append(list, &gobuild.Program{Name: fmt.Sprintf("p%d", i), Dir: dir, Target: []string{file}, Files: []string{file}})
	}
	return configOf(list, runs, t.TempDir())
}

// configOf is a campaign's over some programs.
func configOf(list []*gobuild.Program, runs int, out string) *campaign.Config {
	return &campaign.Config{
		Engine: gobuild.Engine{Adapter: "dlv", GCFlags: gobuild.DefaultGCFlags, LDFlags: gobuild.DefaultLDFlags}, Programs: list, Patterns: []string{"test"}, Seed: 3, Runs: runs, Workers: 8,
		Out: out, Generate: gen.DefaultConfig(), Limits: gobuild.DefaultLimits, Options: dap.DefaultOptions(),
	}
}

type events struct{ all []campaign.Event }

func (e *events) Handle(x campaign.Event) error { e.all = append(e.all, x); return nil }
func (e *events) Flush() error                  { return nil }

// serve begins a hub in a folder.
func serve(t testing.TB, address, dir string) *hub.Server {
	t.Helper()
	s, err := hub.Serve(address, dir, hub.DefaultLease, func(text string) { t.Log("hub:", text) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func joined(t testing.TB, s *hub.Server) *hub.Hub {
	t.Helper()
	h, err := hub.Join(context.Background(), s.Address, s.Key)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h
}

// works takes jobs until the test ends, or it is stopped.
func works(t testing.TB, h *hub.Hub, slots int, w campaign.Worker) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		worker := &hub.Worker{Hub: h, Slots: slots, Say: func(text string) { t.Log("worker:", text) }, Open: func(string) (campaign.Worker, func(), error) { return w, func() {}, nil }}
		if err := worker.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	stop = func() { cancel(); wg.Wait() }
	t.Cleanup(stop)
	return stop
}

// submit carries a campaign out over a hub.
func submit(t testing.TB, ctx context.Context, h *hub.Hub, cfg *campaign.Config) (*campaign.Summary, *events, error) {
	t.Helper()
	identity, err := cfg.Identity()
	if err != nil {
		t.Fatal(err)
	}
	name, err := h.Find(context.Background(), "", identity, "test")
	if err != nil {
		t.Fatal(err)
	}
	store, err := h.Store(context.Background(), name, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	q, err := h.Queue(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	q.Notice = func(text string) { t.Log("submitter:", text) }
	e := &events{}
	sum, err := campaign.Hunt(ctx, cfg, q, store, "go1.26.0", e)
	return sum, e, err
}

// alone carries a campaign out without a hub.
func alone(t testing.TB, cfg *campaign.Config, w campaign.Worker) *campaign.Summary {
	t.Helper()
	store, err := campaign.OpenStore(t.Context(), cfg.Out)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	sum, err := campaign.Hunt(t.Context(), cfg, w, store, "go1.26.0", &events{})
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// found is what a campaign came to, without its times.
func found(s *campaign.Summary) string {
	c := *s
	c.Took, c.Rates = 0, campaign.Rates{}
	text := fmt.Sprintf("%d runs, %d cut, %d sessions, %d actions, complete %t\n", c.Runs, c.Cut, c.Sessions, c.Actions, c.Complete)
	for _, x := range s.Classes() {
		text += fmt.Sprintf("%s %d %s %v\n", x.Class, x.Count, filepath.Base(x.Script), x.Reduced)
	}
	for _, a := range s.Aside {
		text += "aside: " + a.Program + "\n"
	}
	return text
}

// runs are the indexes of the runs that were told of.
func (e *events) runs() (list []int) {
	for _, x := range e.all {
		if x.Run != nil {
			list = append(list, x.Run.Index)
		}
	}
	slices.Sort(list)
	return list
}

// A campaign over a hub comes to the same as one without.
func TestSame(t *testing.T) {
	for name, address := range map[string]string{"this machine": "127.0.0.1:0", "any machine": "0.0.0.0:0"} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, address, t.TempDir())
			f := &fake{}
			works(t, joined(t, s), 3, f)
			second := joined(t, s)
			if s.Key == "" { // as a cluster is joined
				var err error
				if second, err = hub.Join(t.Context(), "nats://"+s.Address, ""); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(second.Close)
			}
			works(t, second, 2, f)
			cfg := config(t, 4, 30)
			cfg.Reduce = time.Minute
			sum, e, err := submit(t, t.Context(), joined(t, s), cfg)
			if err != nil {
				t.Fatal(err)
			}
			other := config(t, 4, 30)
			other.Programs, other.Reduce = cfg.Programs, cfg.Reduce
			if want, got := found(alone(t, other, &fake{})), found(sum); got != want {
				t.Errorf("over the hub:\n%s\nwithout it:\n%s", got, want)
			}
			if n := len(e.runs()); n != 30 {
				t.Errorf("%d runs were told of, want 30", n)
			}
			for key, n := range f.did {
				if n != 1 {
					t.Errorf("the job %s was done %d times", key, n)
				}
			}
			// Once more: the old one stays as it is, and this is another.
			if _, _, err := submit(t, t.Context(), joined(t, s), cfg); err != nil {
				t.Fatal(err)
			}
			all, err := joined(t, s).Campaigns(t.Context())
			if err != nil || len(all) != 2 || !all[0].Complete || !all[1].Complete {
				t.Errorf("the hub has the campaigns %+v, %v", all, err)
			}
		})
	}
}

// A job that fails wherever it is tried is set aside, with what was said of it, and what is besides it is done.
func TestSetAside(t *testing.T) {
	s := serve(t, "127.0.0.1:0", t.TempDir())
	bad := func(j *campaign.Job) error {
		if j.Index == 5 {
			return errors.New("the disk is full")
		}
		return nil
	}
	for range 2 {
		works(t, joined(t, s), 2, &fake{fails: bad})
	}
	cfg := config(t, 4, 12)
	sum, _, err := submit(t, t.Context(), joined(t, s), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if sum.Runs != 11 || len(sum.Aside) != 1 || strings.Count(sum.Aside[0].Reason, "the disk is full") != 3 {
		t.Errorf("%d runs, set aside: %+v", sum.Runs, sum.Aside)
	}
}

// When a campaign's time is up its jobs are taken back: what was begun is cut off, and what was not is not begun. The
// same campaign goes on from there, from wherever it is submitted.
func TestCutOff(t *testing.T) {
	s := serve(t, "127.0.0.1:0", t.TempDir())
	slow := &fake{takes: time.Hour}
	stop := works(t, joined(t, s), 3, slow)
	cfg := config(t, 4, 40)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	sum, _, err := submit(t, ctx, joined(t, s), cfg)
	if !errors.Is(err, context.DeadlineExceeded) || sum.Runs != 0 || sum.Cut != 3 {
		t.Fatalf("%d runs, %d cut off, %v", sum.Runs, sum.Cut, err)
	}
	if n, err := joined(t, s).Left(t.Context()); n != 0 || err != nil {
		t.Errorf("%d jobs are left in the queue, %v", n, err)
	}
	stop()
	works(t, joined(t, s), 3, &fake{})
	sum, _, err = submit(t, t.Context(), joined(t, s), cfg)
	if err != nil || sum.Runs != 40 || sum.Cut != 0 || !sum.Complete {
		t.Errorf("%d runs, %d cut off, complete %t, %v", sum.Runs, sum.Cut, sum.Complete, err)
	}
}

// A worker that ends gives its jobs back, which do not count as attempts.
func TestWorkerEnds(t *testing.T) {
	s := serve(t, "127.0.0.1:0", t.TempDir())
	cfg := config(t, 2, 4)
	var sum *campaign.Summary
	var err error
	var wg sync.WaitGroup
	wg.Go(func() { sum, _, err = submit(t, t.Context(), joined(t, s), cfg) })
	for range 4 { // more often than a job may end a worker
		f := &fake{takes: time.Hour}
		stop := works(t, joined(t, s), 4, f)
		for begun := 0; begun < 4; time.Sleep(20 * time.Millisecond) {
			f.mu.Lock()
			begun = len(f.did)
			f.mu.Unlock()
		}
		stop()
	}
	works(t, joined(t, s), 4, &fake{})
	wg.Wait()
	if err != nil || sum.Runs != 4 || len(sum.Aside) != 0 {
		t.Errorf("%+v, %v", sum, err)
	}
}

// One submitter has a campaign, another comes in when it is gone.
func TestHeld(t *testing.T) {
	s := serve(t, "127.0.0.1:0", t.TempDir())
	h := joined(t, s)
	lost := func(err error) { t.Error(err) }
	first, err := h.Store(t.Context(), "one", lost)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := joined(t, s).Store(t.Context(), "one", lost); err == nil || !strings.Contains(err.Error(), "another hunt is at work") {
		t.Errorf("a second submitter: %v", err)
	}
	first.Close()
	second, err := joined(t, s).Store(t.Context(), "one", lost)
	if err != nil {
		t.Fatal(err)
	}
	second.Close()
}

// A name is a campaign's as long as that goes on.
func TestFind(t *testing.T) {
	s := serve(t, "127.0.0.1:0", t.TempDir())
	h := joined(t, s)
	one, two := strings.Repeat("1", 64), strings.Repeat("2", 64)
	find := func(name, identity, want, wrong string) {
		t.Helper()
		got, err := h.Find(t.Context(), name, identity, "test")
		switch {
		case wrong == "" && (err != nil || got != want):
			t.Errorf("got %q, %v, want %q", got, err, want)
		case wrong != "" && (err == nil || !strings.Contains(err.Error(), wrong)):
			t.Errorf("got the error %v, want one that says %q", err, wrong)
		}
	}
	find("", one, "11111111", "")
	find("", one, "11111111", "")
	find("nightly", two, "nightly", "")
	find("nightly", two, "nightly", "")
	find("nightly", one, "", "other settings")
	find("No Name", one, "", "expected small letters")
	store := h.Read("11111111")
	if err := store.Note(t.Context(), campaign.NotedComplete, "now"); err != nil {
		t.Fatal(err)
	}
	find("", one, "11111111-2", "")
	find("11111111", one, "", "came to its end")
}

// Delve, or what else is built once, comes from the hub to all but one.
func TestBinaries(t *testing.T) {
	s := serve(t, "127.0.0.1:0", t.TempDir())
	var built, got sync.Map
	var wg sync.WaitGroup
	for i := range 4 {
		h := joined(t, s)
		file := filepath.Join(t.TempDir(), "dlv")
		wg.Go(func() {
			err := h.Binaries().Get(t.Context(), "v1.0.0-go1.26.0-linux-amd64", file, func() error {
				built.Store(i, true)
				time.Sleep(300 * time.Millisecond)
				return os.WriteFile(file, []byte("#!/bin/sh\necho dlv\n"), 0o755)
			})
			text, readErr := os.ReadFile(file)
			info, _ := os.Stat(file)
			if err != nil || readErr != nil || info.Mode()&0o100 == 0 {
				t.Errorf("%v, %v", err, readErr)
			}
			got.Store(string(text), true)
		})
	}
	wg.Wait()
	count := func(m *sync.Map) (n int) {
		m.Range(func(any, any) bool { n++; return true })
		return n
	}
	if b, g := count(&built), count(&got); b != 1 || g != 1 {
		t.Errorf("built %d times, %d different files", b, g)
	}
}
