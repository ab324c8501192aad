package testscripts_test

import (
	"testing"

	"misstep/testscripts"
)

// TestSuite says how Delve should behave, one behaviour a script.
func TestSuite(t *testing.T) {
	testscripts.Run(t, "suite/*.txtar")
}

// TestConformance is the suite that was made from Go's grammar.
func TestConformance(t *testing.T) {
	if testing.Short() {
		t.Skip("the conformance suite takes a minute")
	}
	testscripts.Run(t, "conformance/*.txtar")
}
