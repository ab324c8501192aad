package campaign_test

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"misstep/campaign"
	"misstep/campaign/hub"
)

// memory is a store in memory: the contract of a store, in as little as it takes.
type memory struct {
	mu       sync.Mutex
	outcomes map[string]*campaign.Outcome
	leases   map[string]time.Time
	notes    map[string]string
	events   []campaign.Event
}

func newMemory() *memory {
	m := &memory{notes: map[string]string{}}
	m.Clear(context.Background())
	return m
}

func (m *memory) Clear(context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.outcomes, m.leases, m.events = map[string]*campaign.Outcome{}, map[string]time.Time{}, nil
	return nil
}

func (m *memory) Put(_ context.Context, o *campaign.Outcome) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if was := m.outcomes[o.Key]; was != nil && (was.Run == nil || !was.Run.Cut) {
		return nil
	}
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	kept := &campaign.Outcome{}
	m.outcomes[o.Key] = kept
	return json.Unmarshal(text, kept)
}

func (m *memory) Outcomes(context.Context) iter.Seq2[*campaign.Outcome, error] {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []*campaign.Outcome
	for _, o := range m.outcomes {
		all = append(all, o)
	}
	slices.SortFunc(all, func(a, b *campaign.Outcome) int {
		return cmp.Or(cmp.Compare(a.Index, b.Index), cmp.Compare(a.Key, b.Key))
	})
	return each(all)
}

func each[T any](all []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, v := range all {
			if !yield(v, nil) {
				return
			}
		}
	}
}

func (m *memory) Lease(_ context.Context, key string, d time.Duration) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if time.Now().Before(m.leases[key]) {
		return false, nil
	}
	m.leases[key] = time.Now().Add(d)
	return true, nil
}

func (m *memory) Release(_ context.Context, key string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.leases, key)
	return nil
}

func (m *memory) Append(_ context.Context, e campaign.Event) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.events = append(m.events, e)
	return nil
}

func (m *memory) Events(context.Context) iter.Seq2[campaign.Event, error] {
	m.mu.Lock()
	defer m.mu.Unlock()
	return each(slices.Clone(m.events))
}

func (m *memory) Note(_ context.Context, name, text string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.notes[name] = text
	return nil
}

func (m *memory) Noted(_ context.Context, name string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.notes[name], nil
}

func (m *memory) Close() error { return nil }

// stores are all that there are.
func stores(t *testing.T) map[string]campaign.Store {
	s, err := campaign.OpenStore(context.Background(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return map[string]campaign.Store{"sqlite": s, "memory": newMemory(), "hub": onHub(t)}
}

// onHub is a store on a hub of its own.
func onHub(t *testing.T) campaign.Store {
	ctx := t.Context()
	server, err := hub.Serve("127.0.0.1:0", t.TempDir(), hub.DefaultLease, func(text string) { t.Log(text) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	h, err := server.Join(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	s, err := h.Store(ctx, "test", func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestStore is the contract of a store: putting twice is putting once, but what was cut off
// is replaced; a lease is one worker's until it is over or given back; events come back in
// order; what is noted outlives a new beginning.
func TestStore(t *testing.T) {
	for name, s := range stores(t) {
		t.Run(name, func(t *testing.T) { contract(t, s) })
	}
}

func contract(t *testing.T, s campaign.Store) {
	ctx := context.Background()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	put := func(key string, index, actions int, cut bool) {
		must(s.Put(ctx, &campaign.Outcome{Key: key, Index: index, Run: &campaign.Run{Actions: actions, Cut: cut}}))
	}
	put("kk", 2, 1, true)
	put("kk", 2, 2, false)
	put("kk", 2, 3, false)
	put("z", 1, 4, false)
	put("a", 2, 5, false)
	outcomes := func() (got []int) {
		for o, err := range s.Outcomes(ctx) {
			must(err)
			got = append(got, o.Run.Actions)
		}
		return got
	}
	if got := outcomes(); !slices.Equal(got, []int{4, 5, 2}) {
		t.Errorf("%v", got)
	}
	lease := func(d time.Duration) bool {
		ok, err := s.Lease(ctx, "k", d)
		must(err)
		return ok
	}
	if a, b := lease(-time.Second), lease(time.Hour); !a || !b {
		t.Error("a lease that is over is not given again")
	}
	if lease(time.Hour) {
		t.Error("a lease is given twice")
	}
	must(s.Release(ctx, "k"))
	must(s.Release(ctx, "none"))
	if !lease(time.Hour) {
		t.Error("a lease that was given back is not given again")
	}
	for _, typ := range []string{"start", "run", "summary"} {
		must(s.Append(ctx, campaign.Event{Version: campaign.EventVersion, Type: typ}))
	}
	events := func() (types []string) {
		for e, err := range s.Events(ctx) {
			must(err)
			types = append(types, e.Type)
		}
		return types
	}
	if got := events(); !slices.Equal(got, []string{"start", "run", "summary"}) {
		t.Errorf("%q", got)
	}
	if text, err := s.Noted(ctx, "n"); text != "" || err != nil {
		t.Errorf("%q %v", text, err)
	}
	must(s.Note(ctx, "n", "a"))
	must(s.Note(ctx, "n", "b"))
	must(s.Clear(ctx))
	if text, err := s.Noted(ctx, "n"); text != "b" || err != nil {
		t.Errorf("%q %v", text, err)
	}
	if o, e := outcomes(), events(); len(o) > 0 || len(e) > 0 || !lease(time.Hour) {
		t.Errorf("after a new beginning: %v %q", o, e)
	}
}

// TestStoresAlike: a hunt that is cut off and gone on with is the same over any store, and
// is complete only when each run was made.
func TestStoresAlike(t *testing.T) {
	for name, s := range stores(t) {
		cfg := config(t, 3)
		cfg.Runs = 9
		ctx, stop := context.WithCancel(context.Background())
		f := &fake{finds: nothing, hangs: make(chan struct{})}
		go func() { // until all workers are at work
			for begun := 0; begun < cfg.Workers; time.Sleep(time.Millisecond) {
				f.mu.Lock()
				begun = len(f.did)
				f.mu.Unlock()
			}
			stop()
		}()
		sum, _, err := huntsOver(ctx, cfg, f, s)
		stop()
		if err == nil || sum == nil || sum.Cut != cfg.Workers || sum.Complete {
			t.Errorf("%s: cut off: %+v %v", name, sum, err)
		}
		sum, _, err = huntsOver(context.Background(), cfg, &fake{finds: nothing}, s)
		if err != nil || sum.Runs != 9 || sum.Cut != 0 || !sum.Complete {
			t.Errorf("%s: %+v %v", name, sum, err)
		}
		cfg.Limits.Time++
		_, _, err = huntsOver(context.Background(), cfg, &fake{finds: nothing}, s)
		if err == nil || !strings.Contains(err.Error(), "holds another campaign (its limits") {
			t.Errorf("%s: with other limits: %v", name, err)
		}
		cfg.Limits.Time--
		if err := os.WriteFile(cfg.Programs[0].Files[0], []byte("package main\n\nfunc main() {}\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		_, _, err = huntsOver(context.Background(), cfg, &fake{finds: nothing}, s)
		if err == nil || !strings.Contains(err.Error(), "holds another campaign (its programs") {
			t.Errorf("%s: with a program that was changed: %v", name, err)
		}
	}
}

// TestElsewhere: a campaign is not complete while somebody else is at work on a run of it.
func TestElsewhere(t *testing.T) {
	s := &busy{memory: newMemory()}
	cfg := config(t, 2)
	cfg.Runs = 4
	sum, _, err := huntsOver(context.Background(), cfg, &fake{finds: nothing}, s)
	if err != nil || sum.Runs != 3 || sum.Complete {
		t.Errorf("%+v %v", sum, err)
	}
}

// busy is a store in which the first run that is asked for is taken.
type busy struct {
	*memory
	asked bool
}

func (b *busy) Lease(ctx context.Context, key string, d time.Duration) (bool, error) {
	if !b.asked {
		b.asked = true
		return false, nil
	}
	return b.memory.Lease(ctx, key, d)
}

// TestOpenStore: a second hunt is kept out, as are tables of another version; a folder may
// be called anything.
func TestOpenStore(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	for _, name := range []string{"a?x", "a#x", "a%41x", "a b"} {
		s, err := campaign.OpenStore(ctx, filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		s.Close()
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 4 {
		t.Errorf("%v: %v", entries, err)
	}
	s, err := campaign.OpenStore(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := campaign.OpenStore(ctx, dir); err == nil || !strings.Contains(err.Error(), "another hunt is at work") {
		t.Errorf("a second hunt: %v", err)
	}
	if err := s.Note(ctx, "version", "0"); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if _, err := campaign.OpenStore(ctx, dir); err == nil || !strings.Contains(err.Error(), `of version "0"`) {
		t.Errorf("another version: %v", err)
	}
	if _, err := campaign.ReadStore(ctx, t.TempDir()); err == nil || !strings.Contains(err.Error(), "holds no campaign") {
		t.Errorf("nothing: %v", err)
	}
}

// TestBegunStore: a campaign that was ended while it made its database is an empty one,
// whether its file is empty, or has no table yet.
func TestBegunStore(t *testing.T) {
	ctx := context.Background()
	for _, made := range []string{"", "CREATE TABLE t (a); DROP TABLE t"} {
		dir := t.TempDir()
		path := filepath.Join(dir, "campaign.db")
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec(made); err != nil {
			t.Fatal(err)
		}
		db.Close()
		s, err := campaign.ReadStore(ctx, dir)
		if err != nil {
			t.Fatalf("after %q: %v", made, err)
		}
		for o, err := range s.Outcomes(ctx) {
			t.Errorf("after %q: %v %v", made, o, err)
		}
		if err := s.Note(ctx, "a", "b"); err != nil {
			t.Errorf("after %q: %v", made, err)
		}
		s.Close()
		if s, err = campaign.OpenStore(ctx, dir); err != nil {
			t.Fatalf("after %q: %v", made, err)
		}
		s.Close()
	}
}
