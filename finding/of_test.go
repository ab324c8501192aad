package finding_test

import (
	"testing"

	"misstep/finding"
)

type counts struct{ File string }

func (counts) Kind() string { return "counts" }

// TestOf: a finding that no session shows says where, what, and who says so.
func TestOf(t *testing.T) {
	f := finding.Of(finding.Rule{Oracle: "coverage", ID: "block-count", Sentence: "Counts are true."},
		finding.Place{File: "main.go", Line: 3, Column: 2}, "a block", finding.Said{Text: "5", By: finding.Recorded}, finding.Said{Text: "1", By: "cover tool"}, counts{"main.go"})
	const reason = "Counts are true. But main.go:3:2 a block: expected 5 (recorded run), got 1 (cover tool)."
	if f.Reason != reason || f.Class.String() != "block-count/counts" || f.Severity != finding.False {
		t.Errorf("%s: %s (%s)", f.Class, f.Reason, f.Severity)
	}
	d := &finding.Finding{Oracle: "differential", Rule: "agree"}
	if d.Classify(nil); d.Class.Rule != "agree" {
		t.Error(d.Class)
	}
}
