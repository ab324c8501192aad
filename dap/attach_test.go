package dap

import (
	"errors"
	"testing"
	"time"

	"misstep/internal/proc"
)

// TestHalted: a program that was left and stays stopped does not run on, and one that goes on does.
func TestHalted(t *testing.T) {
	k, err := proc.NewKeeper()
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	p, err := k.Start(t.Context(), proc.Spec{Path: "/bin/sleep", Args: []string{"60"}, Held: true})
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer p.End(0)
	for end := time.Now().Add(10 * time.Second); !p.Stopped() && time.Now().Before(end); time.Sleep(time.Millisecond) {
	}
	s := &Session{running: &running{process: p}, opts: Options{Run: 100 * time.Millisecond}}
	if !s.halted(t.Context()) {
		t.Error("a program that stands still is said to run on")
	}
	if err := p.Release(); err != nil {
		t.Fatal(err)
	}
	s.opts.Run = 10 * time.Second
	if s.halted(t.Context()) {
		t.Error("a program that was let go is said to stand still")
	}
}
