package timeline

import "testing"

// TestSameLanguage: programs are recorded with a newer toolchain only where they do the same with it.
func TestSameLanguage(t *testing.T) {
	for _, c := range []struct {
		toolchain, language string
		want                bool
	}{
		{"", "", false},
		{"go1.20.14", "", false},
		{"go1.18.10", "go1.18", true},
		{"go1.20.14", "go1.20", true},
		{"go1.21.13", "", false},
		{"go1.21.13", "go1.20", true},
		{"go1.21.13", "go1.21", true},
		{"go1.22.0", "", true},
		{"go1.22.12", "go1.22", true},
		{"go1.22.12", "go1.20", true},
		{"go1.23.4", "go1.23", false},
		{"go1.26.8", "go1.20", false},
	} {
		if got := sameLanguage(c.toolchain, c.language); got != c.want {
			t.Errorf("a program in the language of %q with %q: %v, want %v", c.language, c.toolchain, got, c.want)
		}
	}
}
