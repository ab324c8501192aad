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
			Script:  []byte("# class: " + class + "\n" + strings.Repeat("x", 10+j.Index) + "\n"),
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
	return &campaign.Config{
		Engine: gobuild.Engine{Adapter: "dlv", GCFlags: gobuild.DefaultGCFlags, LDFlags: gobuild.DefaultLDFlags}, Programs: list, Patterns: []string{"test"}, Seed: 3, Runs: runs, Workers: 8,
		Out: t.TempDir(), Generate: gen.DefaultConfig(), Limits: gobuild.DefaultLimits, Options: dap.DefaultOptions(),
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
	name, err := h.Find(context.Background(), "", identity)
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
			works(t, joined(t, s), 2, f)
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
