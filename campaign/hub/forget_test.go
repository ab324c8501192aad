package hub_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"misstep/campaign"
	"misstep/campaign/hub"
)

// long does jobs as fake does, with scripts that are too long for a value by themselves.
type long struct{ fake }

func (l *long) Do(ctx context.Context, j *campaign.Job) (*campaign.Outcome, error) {
	out, err := l.fake.Do(ctx, j)
	if out != nil {
		for i := range out.Findings {
			out.Findings[i].Script = append(out.Findings[i].Script, strings.Repeat("y", 600<<10)...)
		}
	}
	return out, err
}

// kept counts a campaign's outcomes and events on the hub.
func kept(t *testing.T, h *hub.Hub, name string) (outcomes, events int) {
	t.Helper()
	s := h.Read(name)
	defer s.Close()
	for o, err := range s.Outcomes(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range o.Findings {
			if len(p.Script) < 600<<10 {
				t.Errorf("a script of %d bytes", len(p.Script))
			}
		}
		outcomes++
	}
	for _, err := range s.Events(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		events++
	}
	return outcomes, events
}

// A campaign that is forgotten leaves nothing, and another is as it was. Its programs and long texts go when they are
// swept, and the others' stay.
func TestForget(t *testing.T) {
	s := serve(t, "127.0.0.1:0", t.TempDir())
	h := joined(t, s)
	works(t, joined(t, s), 4, &long{})
	for seed := range 2 {
		cfg := config(t, 2, 6)
		cfg.Seed = uint64(seed)
		if _, _, err := submit(t, t.Context(), joined(t, s), cfg); err != nil {
			t.Fatal(err)
		}
	}
	all, err := h.Campaigns(t.Context())
	if err != nil || len(all) != 2 {
		t.Fatalf("campaigns %+v, %v", all, err)
	}
	gone, stays := all[0].Name, all[1].Name
	outcomes, events := kept(t, h, stays)
	if o, e := kept(t, h, gone); o == 0 || e == 0 || outcomes == 0 || events == 0 {
		t.Fatalf("%d outcomes and %d events of one, %d and %d of the other", o, e, outcomes, events)
	}

	// Who is at work on it keeps it.
	held, err := joined(t, s).Store(t.Context(), gone, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Forget(t.Context(), gone); err == nil || !strings.Contains(err.Error(), "another hunt is at work") {
		t.Errorf("one that is submitted: %v", err)
	}
	held.Close()
	for _, name := range []string{"nothing", "no name"} {
		if err := h.Forget(t.Context(), name); err == nil {
			t.Errorf("the campaign %q was forgotten", name)
		}
	}

	if err := h.Forget(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	if o, e := kept(t, h, gone); o != 0 || e != 0 {
		t.Errorf("%d outcomes and %d events are left", o, e)
	}
	before := h.Stored(t.Context())
	if n, _, err := h.Sweep(t.Context()); n != 0 || err != nil {
		t.Errorf("%d were swept that are new: %v", n, err)
	}
	n, size, err := h.SweepAll(t.Context())
	if err != nil || n == 0 || size < 600<<10 {
		t.Errorf("%d were swept, %d bytes: %v", n, size, err)
	}
	after := h.Stored(t.Context())
	if len(after) != len(before)-n || len(after) == 0 {
		t.Errorf("%d contents of %d are left after %d were swept", len(after), len(before), n)
	}
	if o, e := kept(t, h, stays); o != outcomes || e != events {
		t.Errorf("the other has %d outcomes and %d events, had %d and %d", o, e, outcomes, events)
	}
	if all, err = h.Campaigns(t.Context()); err != nil || len(all) != 1 || all[0].Name != stays {
		t.Errorf("campaigns %+v, %v", all, err)
	}
}

// A campaign whose submitter is gone is forgotten while a worker is at its job: the job ends, and nothing comes after.
// What is in the queue keeps its program.
func TestForgetBegun(t *testing.T) {
	s := serve(t, "127.0.0.1:0", t.TempDir())
	h := joined(t, s)
	cfg := config(t, 2, 40)
	ctx, cancel := context.WithCancel(t.Context())
	submitted := joined(t, s)
	done := make(chan error, 1)
	go func() {
		_, _, err := submit(t, ctx, submitted, cfg)
		done <- err
	}()
	left := func(n uint64) {
		t.Helper()
		for ctx, stop := context.WithTimeout(t.Context(), time.Minute); ; time.Sleep(50 * time.Millisecond) {
			now, err := h.Left(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if now >= n {
				stop()
				return
			}
		}
	}
	left(1) // whether the engine works
	if _, _, err := h.Sweep(t.Context()); !errors.Is(err, hub.ErrAtWork) {
		t.Errorf("swept with jobs in the queue: %v", err)
	}
	works(t, joined(t, s), 2, &fake{takes: time.Hour})
	left(8)
	submitted.Hurry()
	cancel()
	<-done
	all, err := h.Campaigns(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatalf("campaigns %+v, %v", all, err)
	}
	name := all[0].Name
	if err := h.Forget(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second)
	if o, e := kept(t, h, name); o != 0 || e != 0 {
		t.Errorf("%d outcomes and %d events came after", o, e)
	}
	if left, err := h.Left(t.Context()); err != nil || left != 0 {
		t.Errorf("%d jobs are left, %v", left, err)
	}
	if all, err := h.Campaigns(t.Context()); err != nil || slices.ContainsFunc(all, func(l hub.Listed) bool { return l.Name == name }) {
		t.Errorf("campaigns %+v, %v", all, err)
	}
}
