package transform_test

import (
	"testing"

	"misstep/transform"
)

// TestDeal: turns in a row go through all combinations of what is dealt, and then begin again.
func TestDeal(t *testing.T) {
	ways, from := []string{"a", "b", "c"}, []bool{true, false}
	type pair struct {
		way  string
		from bool
	}
	seen := map[pair]int{}
	for turn := range 12 {
		c := &transform.Choice{Turn: turn}
		p := pair{transform.Deal(c, ways), transform.Deal(c, from)}
		if want := ways[turn%3]; p.way != want {
			t.Errorf("turn %d has %s, want %s", turn, p.way, want)
		}
		seen[p]++
	}
	for p, n := range seen {
		if n != 2 {
			t.Errorf("%v comes %d times, want twice", p, n)
		}
	}
	if len(seen) != 6 {
		t.Errorf("%d combinations, want 6", len(seen))
	}
}
