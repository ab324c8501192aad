package triage

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"misstep/internal/gobuild"
)

// A Known is an entry of a list of known classes: one that a campaign need not tell
// again, until it expires.
type Known struct {
	Pattern string // of classes; * stands for anything
	Until   string // see ReadKnown
	Link    string
	Reason  string

	re *regexp.Regexp
}

// String is the entry in a few words.
func (k *Known) String() string { return fmt.Sprintf("%s (%s; %s)", k.Reason, k.Link, k.Until) }

// ReadKnown reads a list of known classes. An entry is a line:
//
//	CLASS UNTIL LINK REASON…
//
// CLASS may hold * for anything. UNTIL is a day such as 2027-06-30, up to which it
// holds, or the last version of Delve or of Go for which it does: dlv<=v1.27.2 or
// go<=go1.26.8. LINK is where it is written up, or - for nowhere. Empty lines and
// those with # in front are comments. Errors name the file and the line.
func ReadKnown(r io.Reader, file string) ([]*Known, error) {
	var list []*Known
	sc := bufio.NewScanner(r)
	for n := 1; sc.Scan(); n++ {
		line := strings.TrimSpace(sc.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.Fields(line)
		if len(words) < 4 {
			return nil, fmt.Errorf("%s:%d: expected CLASS UNTIL LINK REASON, got %d words", file, n, len(words))
		}
		k := &Known{Pattern: words[0], Until: words[1], Link: words[2], Reason: strings.Join(words[3:], " ")}
		if _, err := k.holds(gobuild.Engine{}, "", time.Time{}); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n, err)
		}
		k.re = regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(k.Pattern), `\*`, ".*") + "$")
		list = append(list, k)
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("reading %s: %w", file, err)
	}
	return list, nil
}

// holds reports whether the entry has not expired.
func (k *Known) holds(e gobuild.Engine, goVersion string, now time.Time) (bool, error) {
	if v, ok := strings.CutPrefix(k.Until, "dlv<="); ok {
		if !semver.IsValid(v) {
			return false, fmt.Errorf("%q is no version of Delve, such as v1.27.2", v)
		}
		version := e.Version
		if version == "" && e.Path == "" {
			version = gobuild.PinnedDelve
		}
		return e.Adapter == "dlv" && semver.IsValid(version) && semver.Compare(version, v) <= 0, nil
	}
	if v, ok := strings.CutPrefix(k.Until, "go<="); ok {
		is := func(v string) string { return "v" + strings.TrimPrefix(v, "go") }
		if !strings.HasPrefix(v, "go") || !semver.IsValid(is(v)) {
			return false, fmt.Errorf("%q is no toolchain, such as go1.26.8", v)
		}
		return semver.IsValid(is(goVersion)) && semver.Compare(is(goVersion), is(v)) <= 0, nil
	}
	day, err := time.Parse(time.DateOnly, k.Until)
	if err != nil {
		return false, fmt.Errorf("%q: expected a day such as 2027-06-30, or dlv<=VERSION, or go<=TOOLCHAIN", k.Until)
	}
	return now.Before(day.AddDate(0, 0, 1)), nil
}

// LookUp is the entry that a class falls under, for an engine whose toolchain has that
// version, on a day; nil if there is none that holds.
func LookUp(list []*Known, class string, e gobuild.Engine, goVersion string, now time.Time) *Known {
	for _, k := range list {
		if ok, err := k.holds(e, goVersion, now); err == nil && ok && k.re.MatchString(class) {
			return k
		}
	}
	return nil
}
