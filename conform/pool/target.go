package pool

import (
	"math/rand/v2"
	"slices"

	"misstep/internal/executed"
)

// targets are the blocks that no session has executed, of functions that some have in part, with how often each was aimed at.
type targets struct {
	open  []executed.Block // in order
	tried map[executed.Block]int
}

// tries is how many targets are looked at before the one is taken that was aimed at least.
const tries = 4

// pick is a target, and the members that come nearest to it; nil if there is none.
func (t *targets) pick(r *rand.Rand, members []*member) (nearest []*member) {
	if len(t.open) == 0 {
		return nil
	}
	best := t.open[r.IntN(len(t.open))]
	for range tries - 1 {
		if b := t.open[r.IntN(len(t.open))]; t.tried[b] < t.tried[best] {
			best = b
		}
	}
	t.tried[best]++
	most := 0
	for _, m := range members {
		switch n := m.within[functionOf(best)]; {
		case n > most:
			most, nearest = n, []*member{m}
		case n == most && n > 0:
			nearest = append(nearest, m)
		}
	}
	return nearest
}

// met drops targets that are executed now, and adds others.
func (t *targets) met(seen map[feature]bool, missing []executed.Block) {
	t.open = slices.DeleteFunc(append(t.open, missing...), func(b executed.Block) bool { return seen[feature{block: b}] })
	slices.SortFunc(t.open, compare)
	t.open = slices.Compact(t.open)
}
