package testscripts_test

import (
	"os"
	"strings"
	"testing"

	"misstep/testscripts"
)

// TestSuite says how Delve should behave, one behaviour a script.
func TestSuite(t *testing.T) {
	testscripts.Run(t, "suite/*.txtar")
}

// TestConformance is the suite that was made from Go's grammar: those tests whose names begin with a letter up to d, which are
// a quarter, as all of them take a minute; with MISSTEP_CONFORMANCE=all all of them.
func TestConformance(t *testing.T) {
	pattern := "conformance/[ad]*.txtar"
	if os.Getenv("MISSTEP_CONFORMANCE") == "all" {
		pattern = "conformance/*.txtar"
	}
	testscripts.Run(t, pattern)
}

// TestShipped: the suite that comes with the command is whole, and each test says what it is about.
func TestShipped(t *testing.T) {
	tests, err := testscripts.Conformance()
	if err != nil || len(tests) < 150 {
		t.Fatalf("%d tests, %v", len(tests), err)
	}
	for _, test := range tests {
		if text := string(test.Script.Format()); !strings.HasPrefix(text, "# ") || test.Script.Judge() == nil {
			t.Errorf("%s:\n%s", test.Name, text)
		}
	}
}
