package finding

import (
	"slices"
	"strings"
)

// A Symptom is one finding, as far as its cause goes.
type Symptom struct {
	Class   Class
	Program string
	// Evidence may be nil.
	Evidence *Evidence
	// Whole says that all findings of the rule have one cause; see [Rule].
	Whole bool
}

// point is where the evidence is; empty if it is nowhere in particular.
func (s *Symptom) point() string {
	switch {
	case s.Whole:
		// Rules of one family differ after the first word of their names.
		family, _, _ := strings.Cut(s.Class.Action, "-")
		return "protocol\x00" + family
	case s.Evidence == nil || s.Evidence.About == "":
		return ""
	}
	return strings.Join([]string{s.Program, s.Evidence.Fact, s.Evidence.About}, "\x00")
}

// Causes groups classes by what causes them: classes have one cause if the same evidence,
// at the same points of the same programs, explains at least half of the points of the
// one that has fewer. So one line without the beginning of a statement, which makes a
// debugger pass by a breakpoint, a condition and a log point, is one cause with three
// classes. Each group lists the names of its classes in order, the groups in the order of
// their first class.
func Causes(symptoms []Symptom) [][]string {
	points := map[string]map[string]bool{}
	var names []string
	for i := range symptoms {
		s := &symptoms[i]
		name := s.Class.String()
		if points[name] == nil {
			points[name] = map[string]bool{}
			names = append(names, name)
		}
		if p := s.point(); p != "" {
			points[name][p] = true
		}
	}
	slices.Sort(names)
	group := map[string]string{} // a class of the group, by class
	var root func(string) string
	root = func(name string) string {
		if up, ok := group[name]; ok && up != name {
			return root(up)
		}
		return name
	}
	for i, a := range names {
		for _, b := range names[i+1:] {
			fewer, more := points[a], points[b]
			if len(fewer) > len(more) {
				fewer, more = more, fewer
			}
			shared := 0
			for p := range fewer {
				if more[p] {
					shared++
				}
			}
			if shared > 0 && 2*shared >= len(fewer) {
				if x, y := root(a), root(b); x != y {
					group[max(x, y)] = min(x, y)
				}
			}
		}
	}
	var groups [][]string
	at := map[string]int{}
	for _, name := range names {
		r := root(name)
		i, ok := at[r]
		if !ok {
			i = len(groups)
			at[r] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], name)
	}
	return groups
}
