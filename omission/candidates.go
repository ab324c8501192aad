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
}

// Candidates are the objects of the run that were made in recorded code, with the most
// events first.
func (f *Finder) Candidates() []Candidate {
	var list []Candidate
	for _, i := range f.events.instances.All {
		if i.Made >= 0 {
			made := f.plan.Made(i)
			list = append(list, Candidate{i.String(), made[:strings.LastIndexByte(made, ':')], i.Events})
		}
	}
	slices.SortStableFunc(list, func(a, b Candidate) int { return cmp.Compare(b.Events, a.Events) })
	return list
}
