package blame

import "testing"

// TestVariable: which variable a difference is about, of those that are about one.
func TestVariable(t *testing.T) {
	for what, want := range map[string]string{
		"x":                       "x",
		"x.f":                     "x",
		"x, its type":             "x",
		"the":                     "the",
		"the threads of the list": "",
		"an exception":            "",
		"names":                   "",
		"scopes, of frame 1":      "",
	} {
		if got := variable(what); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
}
