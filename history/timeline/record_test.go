package timeline

import "testing"

// TestSameLanguage: the toolchains that are too old for the recorder, while their programs do with a
// newer one what they do with them.
func TestSameLanguage(t *testing.T) {
	for toolchain, want := range map[string]bool{
		"": false, "go1.21.13": false, "go1.22": true, "go1.22.0": true, "go1.22.12": true, "go1.23.0": false, "go1.26.1": false, "1.22": false, "local": false,
	} {
		if got := sameLanguage(toolchain); got != want {
			t.Errorf("%q: %v", toolchain, got)
		}
	}
}
