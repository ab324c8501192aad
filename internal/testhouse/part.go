package testhouse

import (
	"flag"
	"os"
	"strings"
	"testing"
)

// All reports whether tests that try a family are to try the whole of it: where MISSTEP_ALL is set, or -run or -update names what is
// wanted. Else they take a part, the same each time, so that all tests together take minutes.
func All() bool {
	if update := flag.Lookup("update"); update != nil && update.Value.String() == "true" {
		return true
	}
	run := flag.Lookup("test.run")
	return os.Getenv("MISSTEP_ALL") != "" || run != nil && strings.Contains(run.Value.String(), "/")
}

// Part is each nth of a family, from the first on, or the whole of it if [All].
func Part[T any](family []T, n int) []T {
	if All() {
		return family
	}
	var part []T
	for i := 0; i < len(family); i += n {
		part = append(part, family[i])
	}
	return part
}

// Long skips a test of what shorter ones try as well, unless [All].
func Long(t testing.TB) {
	t.Helper()
	if !All() {
		t.Skip("takes long; MISSTEP_ALL=1 has it run")
	}
}
