package testscripts_test

import (
	"testing"

	"misstep/testscripts"
)

// TestSuite says how Delve should behave, one behaviour a script.
func TestSuite(t *testing.T) {
	testscripts.Run(t, "suite/*.txtar")
}
