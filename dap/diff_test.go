package dap_test

import (
	"testing"

	"misstep/dap"
)

// TestLogs: the messages of log points are compared goroutine by goroutine where both outputs tell by whom they are,
// those of several outputs that stand for one included.
func TestLogs(t *testing.T) {
	out := func(logs, speakers []string) *dap.Output {
		return &dap.Output{Kind: dap.Done, Logs: logs, Speakers: speakers}
	}
	both := out([]string{"a"}, []string{"1"}).Then(out([]string{"b"}, []string{"2"}))
	for _, c := range []struct {
		name string
		a, b *dap.Output
		same bool
	}{
		{"the same", out([]string{"a", "b"}, []string{"1", "2"}), out([]string{"a", "b"}, []string{"1", "2"}), true},
		{"other goroutine first", out([]string{"a", "b"}, []string{"1", "2"}), out([]string{"b", "a"}, []string{"2", "1"}), true},
		{"other order of one", out([]string{"a", "b"}, []string{"1", "1"}), out([]string{"b", "a"}, []string{"1", "1"}), false},
		{"one does not tell by whom", out([]string{"a"}, []string{"1"}), out([]string{"a"}, nil), true},
		{"one does not tell by whom, and another message", out([]string{"a"}, []string{"1"}), out([]string{"b"}, nil), false},
		{"in two outputs", &both, out([]string{"b", "a"}, []string{"2", "1"}), true},
		{"in two outputs, one lost", &both, out([]string{"b"}, []string{"2"}), false},
	} {
		d := dap.Diff(c.a, c.b, dap.Lens{ByGoroutine: true})
		if (d == nil) != c.same || d != nil && d.Kind != dap.DiffLog {
			t.Errorf("%s: %v", c.name, d)
		}
	}
}
