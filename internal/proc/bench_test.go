package proc

import "testing"

func BenchmarkKillMarked(b *testing.B) {
	for b.Loop() {
		killMarked("MISSTEP_OWNED=nobody.")
	}
}
