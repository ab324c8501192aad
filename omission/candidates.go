package omission

import (
	"cmp"
	"slices"
	"strings"
)

// A Candidate is an object that may be looked at.
type Candidate struct {
	Name   string
	Made   string
	Events int64

	foreign int // 1 if it was made in a dependency
}

// Candidates are the objects of the run that were made in recorded code, or given to it:
// those first that were made in the program itself, not in a dependency, and of these those
// with the most events.
func (f *Finder) Candidates() []Candidate {
	var list []Candidate
	for _, i := range f.events.instances.All {
		if i.Made >= 0 {
			made := f.plan.Made(i)
			c := Candidate{Name: i.String(), Made: made[:strings.LastIndexByte(made, ':')], Events: i.Events}
			if strings.Contains(strings.SplitN(c.Made, "/", 2)[0], ".") && strings.Contains(c.Made, "/") {
				c.foreign = 1 // named by its package
			}
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(a.foreign, b.foreign), cmp.Compare(b.Events, a.Events))
	})
	return list
}
