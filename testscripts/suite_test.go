package testscripts_test

import (
	"os"
	"strings"
	"testing"

	"misstep/testscripts"
)

// TestSuite says how Delve should behave, one behaviour a script. Scripts that demand all rules of a session leave out seq-order, which
// Delve breaks now and then: see docs/findings.md.
func TestSuite(t *testing.T) {
	testscripts.Run(t, "suite/*.txtar")
}

// TestConformance is the suite that was made from Go's grammar and of sessions: those tests whose names, of sessions without that word, begin
// with an a, which are some, as all of them take minutes; with MISSTEP_CONFORMANCE=all all of them.
func TestConformance(t *testing.T) {
	if os.Getenv("MISSTEP_CONFORMANCE") == "all" {
		testscripts.Run(t, "conformance/*.txtar")
		return
	}
	testscripts.Run(t, "conformance/a*.txtar")
	testscripts.Run(t, "conformance/session-a*.txtar")
}

// The sessions that were grown are small enough to be read.
const mostCommands, mostLines = 10, 20

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
		grown := strings.HasPrefix(test.Name, "session-") || strings.HasPrefix(test.Name, "relation-")
		if n, m := len(test.Script.Commands), test.Script.Lines(); grown && (n > mostCommands || m > mostLines) {
			t.Errorf("%s has %d commands and %d lines", test.Name, n, m)
		}
	}
}
