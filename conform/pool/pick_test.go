package pool

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"misstep/internal/executed"
)

func block(fn, n uint32) feature { return feature{block: at(fn, n)} }

func at(fn, n uint32) executed.Block { return executed.Block{Package: 1, Function: fn, Counter: n} }

func having(took time.Duration, list ...feature) *member {
	m := &member{took: took, has: map[feature]bool{}, within: map[function]int{}}
	for _, f := range list {
		m.has[f] = true
		m.within[functionOf(f.block)]++
	}
	return m
}

// TestPick: few members together have all, those first that have most for their time, and none that adds nothing.
func TestPick(t *testing.T) {
	all := []*member{
		having(time.Second, block(1, 0), block(1, 1)),
		having(time.Second, block(1, 0), block(1, 1), block(1, 2), block(2, 0)),
		having(time.Second, block(2, 0), feature{is: "rule R1"}),
		having(time.Hour, block(1, 0), block(1, 1), block(1, 2), block(2, 0), feature{is: "rule R1"}),
	}
	tests := []struct {
		name string
		has  map[feature]bool
		most int
		want []int
	}{
		{"all", map[feature]bool{}, 9, []int{1, 2}},
		{"one", map[feature]bool{}, 1, []int{1}},
		{"what a suite has is not wanted", map[feature]bool{block(1, 0): true, block(1, 1): true, block(1, 2): true, block(2, 0): true}, 9, []int{2}},
		{"nothing is wanted", map[feature]bool{block(1, 0): true, block(1, 1): true, block(1, 2): true, block(2, 0): true, {is: "rule R1"}: true}, 9, nil},
	}
	for _, test := range tests {
		var got []int
		for _, c := range pick(all, test.has, test.most) {
			got = append(got, slices.Index(all, c.member))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: members %v, not %v", test.name, got, test.want)
		}
	}
}

// TestTargets: what nothing executes is aimed at by what comes nearest, and no more when something has executed it; what was aimed at
// often is aimed at seldom.
func TestTargets(t *testing.T) {
	far, near := having(0, block(1, 0)), having(0, block(1, 0), block(1, 1))
	other := having(0, block(2, 0))
	goals := targets{tried: map[executed.Block]int{}}
	goals.met(map[feature]bool{}, []executed.Block{at(1, 2), at(2, 1), at(1, 2)})
	if len(goals.open) != 2 {
		t.Fatalf("open are %v", goals.open)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		got := goals.pick(r, []*member{far, near, other})
		if len(got) != 1 || got[0] == far {
			t.Fatalf("picked %v", got)
		}
	}
	if a, b := goals.tried[at(1, 2)], goals.tried[at(2, 1)]; a < 15 || b < 15 {
		t.Errorf("one was aimed at %d times, the other %d", a, b)
	}
	goals.met(map[feature]bool{block(1, 2): true, block(2, 1): true}, nil)
	if got := goals.pick(r, []*member{far}); got != nil {
		t.Errorf("without a target: %v", got)
	}
}
