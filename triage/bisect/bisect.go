// Package bisect finds the versions between which a finding came and went: the first
// that shows it, and the first after it that does not.
//
// It is binary search over a list in order, from a version that is known to show the
// finding towards both ends. A version that cannot be judged is skipped for the one
// next to it; where only such versions lie between, the answer names them. The answer
// is right if the finding came once and went once; a list over which it comes and goes
// several times gives one of the places.
package bisect

import (
	"context"
	"fmt"
	"io"
	"strings"
)

// A Standing is what is known of a version.
type Standing int

// The standings.
const (
	Unknown Standing = iota
	Fine             // it does not show the finding
	Shows
	Skipped // it cannot be judged
)

// A Search looks through a list of versions, the oldest first.
type Search struct {
	Versions []string
	// Judge runs the finding with a version. Why says why a version is skipped; an
	// error ends the search.
	Judge func(ctx context.Context, version string) (v Standing, why string, err error)
	// Log receives a line for each version that is judged, as git bisect's log has.
	Log io.Writer

	known map[int]Standing
}

// A Border is a change from one standing to another.
type Border struct {
	// Before is the last version on the one side, After the first on the other; empty if
	// the list ends there, as all that could be judged are alike.
	Before, After string
	// Between are skipped versions that may belong to either side.
	Between []string
}

// Borders say where a finding came and went.
type Borders struct {
	Came, Went Border
	Judged     int
}

// Run searches from a version that shows the finding, by its place in the list.
func (s *Search) Run(ctx context.Context, at int) (*Borders, error) {
	s.known = map[int]Standing{at: Shows}
	came, err := s.border(ctx, at, -1)
	if err != nil {
		return nil, err
	}
	went, err := s.border(ctx, at, 1)
	if err != nil {
		return nil, err
	}
	return &Borders{Came: came, Went: went, Judged: len(s.known)}, nil
}

func (s *Search) judge(ctx context.Context, i int) (Standing, error) {
	if v := s.known[i]; v != Unknown {
		return v, nil
	}
	v, why, err := s.Judge(ctx, s.Versions[i])
	if err != nil {
		return v, err
	}
	s.known[i] = v
	word := map[Standing]string{Fine: "good", Shows: "bad", Skipped: "skip"}[v]
	if why != "" {
		why = ": " + why
	}
	fmt.Fprintf(s.Log, "# %s: %s%s\n", word, s.Versions[i], why)
	return v, nil
}

// border searches from a version that shows the finding in one direction.
func (s *Search) border(ctx context.Context, bad, way int) (Border, error) {
	inside := func(i int) bool { return 0 <= i && i < len(s.Versions) }
	// The end of the list, or what of it can be judged.
	good := -1
	for i := map[int]int{-1: 0, 1: len(s.Versions) - 1}[way]; inside(i) && i != bad; i -= way {
		v, err := s.judge(ctx, i)
		if err != nil {
			return Border{}, err
		}
		if v == Skipped {
			continue
		}
		if v == Fine {
			good = i
		}
		break
	}
	if good < 0 {
		return s.named(way, "", s.last(bad, way)), nil
	}
	for good-bad != way {
		mid, err := s.middle(ctx, good, bad)
		if err != nil {
			return Border{}, err
		}
		if mid < 0 {
			break
		}
		if s.known[mid] == Fine {
			good = mid
		} else {
			bad = mid
		}
	}
	b := s.named(way, s.Versions[good], s.Versions[bad])
	for i := min(good, bad) + 1; i < max(good, bad); i++ {
		b.Between = append(b.Between, s.Versions[i])
	}
	return b, nil
}

// last is the outermost version that shows the finding.
func (s *Search) last(bad, way int) string {
	for i := range s.known {
		if s.known[i] == Shows && (i-bad)*way > 0 {
			bad = i
		}
	}
	return s.Versions[bad]
}

// named puts the two sides of a border in the order of the list.
func (s *Search) named(way int, good, bad string) Border {
	if way < 0 {
		return Border{Before: good, After: bad}
	}
	return Border{Before: bad, After: good}
}

// middle judges the version in the middle, or the nearest to it that can be judged; it
// is -1 if none can.
func (s *Search) middle(ctx context.Context, a, b int) (int, error) {
	lo, hi := min(a, b)+1, max(a, b)-1
	mid := (lo + hi) / 2
	for d := 0; mid-d >= lo || mid+d <= hi; d++ {
		for _, i := range []int{mid - d, mid + d} {
			if i < lo || i > hi {
				continue
			}
			v, err := s.judge(ctx, i)
			if err != nil {
				return -1, err
			}
			if v != Skipped {
				return i, nil
			}
		}
	}
	return -1, nil
}

// String says it in a sentence or two.
func (r *Borders) String() string {
	var out []string
	maybe := func(b Border) string {
		if len(b.Between) == 0 {
			return ""
		}
		return fmt.Sprintf(", or one of %s, which cannot be judged", strings.Join(b.Between, ", "))
	}
	if r.Came.Before == "" {
		out = append(out, fmt.Sprintf("shown since %s at least, the oldest that can be judged", r.Came.After))
	} else {
		out = append(out, fmt.Sprintf("first shown by %s%s; not by %s", r.Came.After, maybe(r.Came), r.Came.Before))
	}
	if r.Went.After == "" {
		out = append(out, fmt.Sprintf("still shown by %s, the newest that can be judged", r.Went.Before))
	} else {
		out = append(out, fmt.Sprintf("no longer shown by %s%s; last by %s", r.Went.After, maybe(r.Went), r.Went.Before))
	}
	return strings.Join(out, "\n")
}
