package campaign

import (
	"slices"
	"testing"

	"misstep/transform"
	"misstep/transform/action"
)

// TestLaunchers: what sweeps deal out in turn are transformations of actions, and no settings, of which they make several at once.
func TestLaunchers(t *testing.T) {
	for _, name := range launchers {
		if !slices.ContainsFunc(action.All, func(a transform.Transformation) bool { return a.Name == name && !sets(a) }) {
			t.Errorf("no transformation %s that is more than a setting", name)
		}
	}
}
