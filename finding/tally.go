package finding

import (
	"maps"
	"slices"
)

// A Tally counts checks by name.
type Tally struct {
	Made    map[string]int `json:"made"`
	NotMade map[string]int `json:"notMade"`
	// Shown counts what sessions showed, by kind, see [Kinds].
	Shown map[string]*Account `json:"shown,omitempty"`
	// Variants counts what became of the transformations of programs and builds.
	Variants map[string]*VariantCount `json:"variants,omitempty"`
}

// What sessions show, each of which is judged or not.
const (
	Pauses    = "pauses"    // each has one place, or none that is known
	Variables = "variables" // of all frames that were asked for, without their parts
	Answers   = "answers"   // to expressions
)

// Kinds are all kinds of what sessions show, in the order in which people read them.
var Kinds = []string{Pauses, Variables, Answers}

// An Account says how much of what was shown was judged, and why the rest was not.
type Account struct {
	Judged int            `json:"judged"`
	Not    map[string]int `json:"not,omitempty"` // by reason
}

// Total is how much was shown.
func (a *Account) Total() int {
	n := a.Judged
	for _, k := range a.Not {
		n += k
	}
	return n
}

// Account is that of a kind.
func (t *Tally) Account(kind string) *Account {
	if t.Shown == nil {
		t.Shown = map[string]*Account{}
	}
	if t.Shown[kind] == nil {
		t.Shown[kind] = &Account{}
	}
	return t.Shown[kind]
}

// Judged counts n of a kind that were judged.
func (t *Tally) Judged(kind string, n int) { t.Account(kind).Judged += n }

// Unjudged counts n of a kind that were not, for a reason.
func (t *Tally) Unjudged(kind, why string, n int) {
	if n == 0 {
		return
	}
	a := t.Account(kind)
	if a.Not == nil {
		a.Not = map[string]int{}
	}
	a.Not[why] += n
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
	for kind, a := range o.Shown {
		t.Judged(kind, a.Judged)
		for why, n := range a.Not {
			t.Unjudged(kind, why, n)
		}
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
