package history

import (
	"reflect"
	"testing"
)

// TestKin: what goroutines of two runs have in common.
func TestKin(t *testing.T) {
	of := func(words ...string) *Snapshots {
		s := &Snapshots{at: map[snapKey][]Snapshot{}}
		for g, w := range words {
			first := Value{Name: "w", Kind: "string", Text: w, Len: len(w)}
			inner := Value{Name: "at", Kind: "pointer", Text: "set", Children: []Value{{Name: "n", Kind: "int", Text: "1"}, {Name: "secret", Kind: Unknown}}}
			s.at[snapKey{uint64(g), "main.go", 7}] = []Snapshot{{Vars: []Value{first}}, {Vars: []Value{inner, first}}}
		}
		return s
	}
	// Of each two, the pointer's number is alike; of those with one word, that is, too, twice.
	got := of("ant", "bee").Kin([]uint64{0, 1}, of("bee", "ant", "cat"), []uint64{0, 1, 2})
	if want := [][]int{{1, 3, 1}, {3, 1, 1}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	// One that executes a statement less often has no more than that in common.
	other := of("ant")
	other.at[snapKey{0, "main.go", 7}] = other.at[snapKey{0, "main.go", 7}][:1]
	if got := of("ant").Kin([]uint64{0}, other, []uint64{0}); !reflect.DeepEqual(got, [][]int{{1}}) {
		t.Errorf("%v, want one", got)
	}
}
