package campaign

import (
	"slices"
	"testing"

	"misstep/finding"
	"misstep/judge"
)

// TestUnchecked: rules of the oracles that were asked for, and that were never checked, are told.
func TestUnchecked(t *testing.T) {
	tally := &finding.Tally{}
	tally.Add("protocol/seq", 3)
	tally.Add("reference/R1-pause", 1)
	tally.Missed("reference/R2-breakpoint")
	all := unchecked(judge.Rules(), Oracles{Protocol: true, Reference: true}, tally)
	for name, want := range map[string]bool{
		"protocol/seq": false, "protocol/alive": true, "trace/next-depth": true, "reference/R1-pause": false, "reference/R2-breakpoint": true,
	} {
		if slices.Contains(all, name) != want {
			t.Errorf("%s among the unchecked: %v", name, !want)
		}
	}
	if some := unchecked(judge.Rules(), Oracles{Reference: true}, tally); slices.Contains(some, "protocol/alive") || !slices.Contains(some, "reference/R2-breakpoint") {
		t.Errorf("with the reference alone: %v", some)
	}
	if none := unchecked(judge.Rules(), Oracles{}, tally); len(none) > 0 {
		t.Errorf("without an oracle: %v", none)
	}
}
