package coverage

import (
	"misstep/finding"
)

// A difference is what two say differently of the same, or what one says that cannot be.
type difference struct {
	place         finding.Place
	what          string
	expected, got finding.Said
	// kind and detail go into the class, and node is a kind of statement or the name of a variant.
	kind, node, detail string
	message            string // what the tools said, of a build that failed
}

// verdict makes findings of differences: one of each class.
func verdict(rule string, made int, all []difference) *Verdict {
	v := &Verdict{Made: made}
	if made == 0 && len(all) == 0 {
		v.Not = "there is nothing to compare"
		return v
	}
	r, _ := Rules.Lookup(rule)
	seen := map[string]bool{}
	for _, d := range all {
		f := finding.Of(r, d.place, d.what, d.expected, d.got, Trial{})
		f.Evidence = evidenceOf(rule, d)
		f.Class = finding.Class{Rule: rule, Action: d.kind, Node: d.node, Kind: d.detail}
		if name := f.Class.String(); !seen[name] {
			seen[name] = true
			v.Findings = append(v.Findings, f)
		}
	}
	return v
}

// The kinds of differences between counts (Cod, section II-B).
const (
	strong = "strong" // one of them is zero
	weak   = "weak"
)

// Counts reports whether a finding is about how often something is executed, which differs from run to run where goroutines do
// as much as there is time for.
func Counts(f *finding.Finding) bool { return f.Class.Action == strong || f.Class.Action == weak }

// Strong reports whether a finding is about counts one of which is zero.
func Strong(f *finding.Finding) bool { return f.Class.Action == strong }

// strength is the kind of a difference between counts.
func strength(a, b uint64) string {
	if a == 0 || b == 0 {
		return strong
	}
	return weak
}
