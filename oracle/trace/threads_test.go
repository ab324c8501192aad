package trace

import (
	"testing"

	"misstep/dap"
)

// TestMayStart: where a step in of a thread begins whose stack is not known, it may go into another goroutine; other steps do not.
func TestMayStart(t *testing.T) {
	before := &dap.Pause{Thread: 1, Stack: []dap.Frame{{Func: "main.main", File: "main.go", Line: 3}}}
	known := threads{stacks: map[int][]dap.Frame{2: {{Func: "main.f", File: "main.go", Line: 7}}}}
	for _, c := range []struct {
		name   string
		now    threads
		kind   dap.Kind
		thread int // that steps
		listed int
		want   bool
	}{
		{"a step over", threads{}, dap.Next, 5, 2, false},
		{"a step in of the thread that has paused", threads{}, dap.StepIn, 1, 1, false},
		{"a step in of one whose stack was asked for", known, dap.StepIn, 5, 2, false},
		{"a step in of one whose stack was not", known, dap.StepIn, 5, 3, true},
	} {
		a := dap.Action{Kind: c.kind, Thread: c.listed}
		if got := c.now.mayStart(nil, before, a, dap.Output{Thread: c.thread}); got != c.want {
			t.Errorf("%s: %t, want %t", c.name, got, c.want)
		}
	}
}
