package gobuild

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// TestFirst: the first build of a kind is alone until it is through, others of its kind are side by side after it, and those of another
// kind do not wait.
func TestFirst(t *testing.T) {
	c := &Cache{}
	done, err := c.first(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	other, err := c.first(t.Context(), "b")
	if err != nil {
		t.Fatal(err)
	}
	other()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.first(ended, "a"); !errors.Is(err, context.Canceled) {
		t.Error("a build whose time is up waits:", err)
	}
	var through atomic.Bool
	var wait, meet sync.WaitGroup
	meet.Add(2)
	for range 2 {
		wait.Go(func() {
			done, err := c.first(t.Context(), "a")
			if err != nil || !through.Load() {
				t.Error("it did not wait for the first:", err)
			}
			meet.Done()
			meet.Wait() // side by side
			done()
		})
	}
	through.Store(true)
	done()
	wait.Wait()
}

// TestShared: what is imported is compiled by the flags that are for all packages, and by no others.
func TestShared(t *testing.T) {
	for text, want := range map[string][]string{
		"dlv":                          {"-gcflags=" + DefaultGCFlags},
		"dlv,gcflags=":                 nil,
		"dlv,gcflags=-N":               nil,
		"dlv,buildmode=pie":            {"-gcflags=" + DefaultGCFlags, "-buildmode=pie"},
		"dlv,gcflags=-l,buildmode=pie": {"-buildmode=pie"},
	} {
		e, err := ParseEngine(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := e.Shared(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
