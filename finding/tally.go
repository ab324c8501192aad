package finding

import (
	"maps"
	"slices"
)

// A Tally counts checks by name.
type Tally struct {
	Made    map[string]int `json:"made"`
	NotMade map[string]int `json:"notMade"`
	// Variants counts what became of the transformations of programs and builds.
	Variants map[string]*VariantCount `json:"variants,omitempty"`
}

// A VariantCount says what became of one transformation: where it could have
// been applied, where it was, and how many of the results compiled and ran as
// the original does. The pairs of traces that were compared are under its name
// in the tally.
type VariantCount struct {
	Candidates int `json:"candidates"`
	Applied    int `json:"applied"`
	Compiled   int `json:"compiled"`
	Sound      int `json:"sound"`
}

// Variant is the count of a transformation.
func (t *Tally) Variant(name string) *VariantCount {
	if t.Variants == nil {
		t.Variants = map[string]*VariantCount{}
	}
	if t.Variants[name] == nil {
		t.Variants[name] = &VariantCount{}
	}
	return t.Variants[name]
}

// Add counts n checks that were made.
func (t *Tally) Add(name string, n int) {
	if t.Made == nil {
		t.Made = map[string]int{}
	}
	t.Made[name] += n
}

// Missed counts a check that could not be made.
func (t *Tally) Missed(name string) {
	if t.NotMade == nil {
		t.NotMade = map[string]int{}
	}
	t.NotMade[name]++
}

// Merge adds another tally's counts.
func (t *Tally) Merge(o *Tally) {
	for name, n := range o.Made {
		t.Add(name, n)
	}
	for name, n := range o.NotMade {
		if t.NotMade == nil {
			t.NotMade = map[string]int{}
		}
		t.NotMade[name] += n
	}
	for name, v := range o.Variants {
		sum := t.Variant(name)
		sum.Candidates += v.Candidates
		sum.Applied += v.Applied
		sum.Compiled += v.Compiled
		sum.Sound += v.Sound
	}
}

// Names lists what was counted.
func (t *Tally) Names() []string {
	all := map[string]bool{}
	for name := range t.Made {
		all[name] = true
	}
	for name := range t.NotMade {
		all[name] = true
	}
	return slices.Sorted(maps.Keys(all))
}
