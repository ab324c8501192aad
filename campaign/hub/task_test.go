package hub_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"misstep/campaign"
	"misstep/campaign/hub"
)

// does does tasks until the test ends.
func does(t *testing.T, h *hub.Hub, tasks map[string]hub.TaskFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		w := &hub.Worker{Hub: h, Slots: 2, Tasks: tasks, Say: func(text string) { t.Log("worker:", text) }, Open: func(string) (campaign.Worker, func(), error) { return &fake{}, func() {}, nil }}
		ended <- w.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// A task is done once in a queue of its name, whoever asks, and once more in another; its content comes along.
func TestTask(t *testing.T) {
	h := joined(t, serve(t, "127.0.0.1:0", t.TempDir()))
	var done atomic.Int64
	does(t, h, map[string]hub.TaskFunc{"echo": func(_ context.Context, _ campaign.Worker, data, content []byte) ([]byte, error) {
		done.Add(1)
		return append(append([]byte("heard "), data...), content...), nil
	}})
	large := []byte(strings.Repeat("x", hub.MaxMessage+1))
	ask := func(name string, content []byte) string {
		t.Helper()
		name, err := hub.NameOf("echo", name)
		if err != nil {
			t.Fatal(err)
		}
		q, err := h.Queue(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		defer q.Close()
		got, err := q.Ask(t.Context(), &hub.Task{Kind: "echo", What: "an echo", Engines: []string{"dlv"}, Data: []byte("hello "), Content: content})
		if err != nil {
			t.Fatal(err)
		}
		return string(got)
	}
	for i, name := range []string{"a", "a", "b", "", ""} {
		if got := ask(name, []byte("there")); got != "heard hello there" {
			t.Errorf("%d: %q", i, got)
		}
	}
	if n := done.Load(); n != 4 {
		t.Errorf("done %d times, want 4: the second has the answer of the first", n)
	}
	if got := ask("a", large); got != "heard hello "+string(large) {
		t.Errorf("an answer of %d bytes, want %d", len(got), len(large)+12)
	}
	if _, err := hub.NameOf("echo", "no name"); err == nil {
		t.Error("a name that is none is taken")
	}
}

// A task that no worker can do is set aside, and whoever asks is told why.
func TestTaskFails(t *testing.T) {
	h := joined(t, serve(t, "127.0.0.1:0", t.TempDir()))
	does(t, h, map[string]hub.TaskFunc{"fails": func(context.Context, campaign.Worker, []byte, []byte) ([]byte, error) {
		return nil, errors.New("its disk is full")
	}})
	q, err := h.Queue(t.Context(), "fails-x")
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	_, err = q.Ask(t.Context(), &hub.Task{Kind: "fails", What: "the test maps"})
	if err == nil || !strings.Contains(err.Error(), "the test maps: set aside after 3 attempts") || !strings.Contains(err.Error(), "its disk is full") {
		t.Errorf("%v", err)
	}
}

// Whoever asks and is interrupted does not wait, and the worker ends what it is at.
func TestTaskInterrupted(t *testing.T) {
	h := joined(t, serve(t, "127.0.0.1:0", t.TempDir()))
	begun, ended := make(chan bool, 1), make(chan bool, 1)
	does(t, h, map[string]hub.TaskFunc{"slow": func(ctx context.Context, _ campaign.Worker, _, _ []byte) ([]byte, error) {
		begun <- true
		<-ctx.Done()
		ended <- true
		return nil, ctx.Err()
	}})
	q, err := h.Queue(t.Context(), "slow-x")
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		<-begun
		stop()
	}()
	if _, err := q.Ask(ctx, &hub.Task{Kind: "slow"}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Error("the worker goes on")
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if left, err := h.Left(t.Context()); err == nil && left == 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the task stays in the queue")
		}
	}
}
