package reference_test

import (
	"context"
	"strings"
	"testing"

	"misstep/dap"
	"misstep/internal/testhouse"
	"misstep/oracle"
)

// TestEntryCalls: tours that call functions also do so where a function begins, with its parameters in registers, and what comes of such a
// call is judged.
func TestEntryCalls(t *testing.T) {
	ctx := context.Background()
	h := testhouse.New(t)
	const text = `package main

func twice(n int) int { return 2 * n }

func longer(s string, n int) string { return s[:n] + s }

func work(a int, s string) int {
	x := twice(a) + len(longer(s, twice(1)))
	return x
}

func main() {
	for i := range 3 {
		println(work(i, "text"))
	}
}
`
	d, m := probed(t, h, programOf(t, text))
	called := 0
	for seed := uint64(4); seed < 64 && called < 3; seed += 6 {
		events := chosen(t, h, d, m.Tour(seed, false))
		var at *dap.Pause
		for i, e := range events {
			if e.Output.Pause != nil {
				at = e.Output.Pause
			}
			if e.Action.Kind != dap.Evaluate || !strings.HasPrefix(e.Action.Name, "call ") || at == nil || at.Top().Line != 7 || e.Output.Value == nil {
				continue
			}
			called++
			lie := append([]dap.Event(nil), events[:i+1]...)
			v := *e.Output.Value
			v.Value, v.Raw, v.Children = "77", "", nil
			lie[i].Output.Value = &v
			found, _, err := m.Judge(ctx, &oracle.Seen{Events: lie, Debuggee: d})
			if err != nil || len(found) == 0 {
				t.Errorf("%s gives 77, in place of %s: %v, found %v", e.Action.Name, e.Output.Value.Value, err, found)
			}
			if found, _, err := m.Judge(ctx, &oracle.Seen{Events: events[:i+1], Debuggee: d}); err != nil || len(found) > 0 {
				t.Errorf("%s: %v, found %v", e.Action.Name, err, found)
			}
		}
	}
	if called < 3 {
		t.Errorf("%d calls at entries", called)
	}
}
