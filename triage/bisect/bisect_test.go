package bisect_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"misstep/triage/bisect"
)

// TestSearch makes lists in which a finding comes and goes once, with versions that
// cannot be judged, and demands that the borders are named exactly.
func TestSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "versions")
		at := rapid.IntRange(0, n-1).Draw(t, "known")
		came := rapid.IntRange(0, at).Draw(t, "came")
		went := rapid.IntRange(at+1, n).Draw(t, "went")
		skip := map[int]bool{}
		for i := range n {
			skip[i] = i != at && rapid.IntRange(0, 4).Draw(t, "skip") == 0
		}
		var names []string
		index := map[string]int{}
		for i := range n {
			names = append(names, fmt.Sprintf("v%d", i))
			index[names[i]] = i
		}
		judged := 0
		var log bytes.Buffer
		s := &bisect.Search{Versions: names, Log: &log, Judge: func(_ context.Context, v string) (bisect.Standing, string, error) {
			judged++
			switch i := index[v]; {
			case skip[i]:
				return bisect.Skipped, "no reason", nil
			case came <= i && i < went:
				return bisect.Shows, "", nil
			}
			return bisect.Fine, "", nil
		}}
		r, err := s.Run(context.Background(), at)
		if err != nil {
			t.Fatal(err)
		}
		// What must be named: the judgeable versions nearest to each border.
		next := func(i, way int) string {
			for ; 0 <= i && i < n; i += way {
				if !skip[i] {
					return names[i]
				}
			}
			return ""
		}
		if want := next(came-1, -1); r.Came.Before != want {
			t.Errorf("came after %q, not %q\n%s", r.Came.Before, want, log.String())
		}
		if want := next(went, 1); r.Went.After != want {
			t.Errorf("went with %q, not %q\n%s", r.Went.After, want, log.String())
		}
		if want := next(came, 1); r.Came.Before != "" && r.Came.After != want {
			t.Errorf("came with %q, not %q\n%s", r.Came.After, want, log.String())
		}
		if judged != strings.Count(log.String(), "\n") {
			t.Errorf("%d judged, %d in the log", judged, strings.Count(log.String(), "\n"))
		}
	})
}
