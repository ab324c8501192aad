package faults_test

import (
	"testing"

	"misstep/faults"
	"misstep/judge"
	"misstep/oracle/reference"
)

// TestBreaks: each fault says which rules it breaks, and each rule of the reference model has
// a fault that breaks it.
func TestBreaks(t *testing.T) {
	rules := judge.Rules()
	seen := map[string]bool{}
	for _, f := range faults.Faults {
		if seen[f.Name] {
			t.Errorf("two faults are called %s", f.Name)
		}
		seen[f.Name] = true
		if len(f.Rules()) == 0 {
			t.Errorf("%s does not say which rules it breaks", f.Name)
		}
		for _, r := range f.Rules() {
			known := false
			for _, rule := range rules {
				known = known || r == rule.Oracle || r == rule.Oracle+"/"+rule.ID
			}
			if !known {
				t.Errorf("%s breaks %s, which is no rule", f.Name, r)
			}
		}
	}
	if len(seen) < 60 {
		t.Errorf("%d faults, want at least 60", len(seen))
	}
	for _, rule := range reference.Rules {
		broken := false
		for _, f := range faults.Faults {
			broken = broken || f.Breaks(rule.Oracle, rule.ID)
		}
		if !broken {
			t.Errorf("no fault breaks %s", rule.ID)
		}
	}
}
