package history_test

import (
	"context"
	"math"
	"testing"

	"misstep/history"
	"misstep/history/record"
	"misstep/internal/testhouse"
)

// TestPointsBefore: what comes after the end changes neither objects nor activations.
func TestPointsBefore(t *testing.T) {
	h := testhouse.New(t)
	programs, _, err := h.Finder().Find(context.Background(), []string{"corpus/recursion"})
	if err != nil {
		t.Fatal(err)
	}
	_, _, text, _ := recordRun(t, h, programs[0], record.BuildOptions{Objects: true})
	r, _ := read(t, text)
	var firsts []int64 // of objects
	all := history.NewInstances(r.Plan)
	for _, err := range r.Points(all) {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, i := range all.All {
		firsts = append(firsts, i.First)
	}
	if len(firsts) == 0 || r.More {
		t.Fatalf("objects at %v, more: %t", firsts, r.More)
	}
	some := history.NewInstances(r.Plan)
	for range r.PointsBefore(some, firsts[0]) {
	}
	if len(some.All) != 0 || !r.More {
		t.Errorf("%d objects before the first, more: %t", len(some.All), r.More)
	}
	tree, err := r.TreeUntil(math.MaxInt64)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range tree.Activations {
		if a.End < 0 {
			continue
		}
		cut, err := r.TreeUntil(a.End)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cut.Activations {
			if c.End >= a.End {
				t.Fatalf("an activation that begins at %d ends at %d, which is not before %d", c.Start, c.End, a.End)
			}
		}
	}
}
