package baseline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"misstep/finding"
	"misstep/oracle"
)

// A Test is of one session.
type Test struct {
	// Tested carries the session out with the debugger under test, Baseline with the other one.
	Tested, Baseline Carrier
	// Waits says that the program waits for somebody wherever something is asked for while it runs.
	Waits bool
	// Concurrent says that the program has goroutines: which of them comes first to where it pauses, and how far the others are then,
	// depends on how fast the debugger is.
	Concurrent bool
	// Times is how often each side has to say the same before a difference is believed, at least 2; twice as often if it is in doubt.
	Times int
	// Believed, Doubted and Varies, if not nil, name kinds of differences that need not be seen again, that have come and gone before,
	// and that have done so too often to be of interest; see [Difference.Of].
	Believed, Doubted, Varies func(of string) bool
}

// A Difference is what the two say differently.
type Difference struct {
	On    string // the request that is answered, or the event
	Place string // in the message
	// Baseline and Tested are what they say there.
	Baseline, Tested string
	// Event is the session's event that it came with.
	Event int
}

// Of is the kind of the difference: what it is on, and where in the message.
func (d *Difference) Of() string { return kind(d.On, d.Place) }

func kind(on, place string) string { return on + "/" + finding.Unnumbered(place) }

// A Compared is what came of a test.
type Compared struct {
	// Differences are those that came each time, one of a kind, in the order in which they came.
	Differences []Difference
	// Varying are kinds of differences that did not.
	Varying []string
	// Messages is how many were compared.
	Messages int
	// Alike says that all were, and said the same at once.
	Alike bool
	// Baseline is what was first seen with the baseline.
	Baseline *oracle.Seen
}

// Run holds a session that was seen against the baseline.
func (t *Test) Run(ctx context.Context, first *oracle.Seen) (*Compared, error) {
	out := &Compared{}
	if first.CutOff() {
		return out, nil // what is missing then is nobody's fault
	}
	var err error
	if out.Baseline, err = t.Baseline(ctx); err != nil {
		return out, fmt.Errorf("carrying a session out with the baseline: %w", err)
	}
	if out.Baseline.CutOff() {
		return out, nil
	}
	mine, theirs := logOf(first), logOf(out.Baseline)
	if t.Waits {
		mine.races, theirs.races = mine.whole(), theirs.whole()
	}
	left, n, all := differences(mine, theirs, t.Concurrent)
	out.Messages, out.Alike = n, all && len(left) == 0
	var believed []difference
	left = slices.DeleteFunc(left, func(d difference) bool {
		known := t.Believed != nil && t.Believed(d.of())
		if known {
			believed = append(believed, d)
		}
		return known || t.Varies != nil && t.Varies(d.of())
	})
	for try := 1; len(left) > 0; try++ {
		if try >= t.Times && (try >= 2*t.Times || t.Doubted == nil || !slices.ContainsFunc(left, func(d difference) bool { return t.Doubted(d.of()) })) {
			break
		}
		for _, side := range []struct {
			carry Carrier
			was   *log
		}{{t.Tested, mine}, {t.Baseline, theirs}} {
			again, err := side.carry(ctx)
			if err != nil {
				return out, fmt.Errorf("carrying a session out once more: %w", err)
			}
			l := logOf(again)
			left = slices.DeleteFunc(left, func(d difference) bool {
				varies := again.CutOff() || !says(l, side.was, d)
				if varies && !slices.Contains(out.Varying, d.of()) {
					out.Varying = append(out.Varying, d.of())
				}
				return varies
			})
			if len(left) == 0 {
				break
			}
		}
	}
	left = append(left, believed...)
	slices.SortStableFunc(left, func(a, b difference) int { return a.request - b.request })
	for _, d := range left {
		x := Difference{On: d.key.on, Place: string(d.at), Baseline: d.two, Tested: d.one, Event: eventAt(first, mine, d.request)}
		if !slices.ContainsFunc(out.Differences, func(y Difference) bool { return y.Of() == x.Of() }) {
			out.Differences = append(out.Differences, x)
		}
	}
	return out, nil
}

// A difference is one of two logs.
type difference struct {
	key     key
	request int
	value
}

func (d *difference) of() string { return kind(d.key.on, string(d.at)) }

// differences are those of two logs, one and two in this order, as long as the sessions go the same way; how many messages were
// compared, and whether it was all of them. Where another goroutine of several has come first they do not.
func differences(one, two *log, concurrent bool) (all []difference, compared int, whole bool) {
	same := min(len(one.requests), len(two.requests))
	for i := range same {
		if one.requests[i] != two.requests[i] {
			same = i
			break
		}
	}
	same = min(same, one.races, two.races)
	aligned := len(one.requests) == len(two.requests) && same == one.whole()
	both := aligned
	for i := range one.messages {
		m := &one.messages[i]
		if m.request >= same && !(aligned && m.request == one.whole()) {
			break
		}
		their, ok := two.byKey[m.key]
		if concurrent && m.on == "threads" {
			both = both && ok && apart(m.body, their.body) == nil
			continue
		}
		if concurrent && ok && m.on == "stopped"+eventOf && slices.ContainsFunc(apart(m.body, their.body), func(v value) bool { return v.at == "threadId" }) {
			return all, compared, false
		}
		compared++
		switch {
		case !ok:
			all = append(all, difference{m.key, m.request, value{"", text(parsed(m.body)), absent}})
		default:
			for _, v := range apart(m.body, their.body) {
				all = append(all, difference{m.key, m.request, v})
			}
		}
		if n := len(all); n > 0 && all[n-1].request == m.request && leads(m.on) {
			return all, compared, false
		}
	}
	for i := range two.messages {
		m := &two.messages[i]
		if _, ok := one.byKey[m.key]; !ok && !(concurrent && m.on == "threads") && (m.request < same || aligned && m.request == two.whole()) {
			all = append(all, difference{m.key, m.request, value{"", absent, text(parsed(m.body))}})
		}
	}
	slices.SortStableFunc(all, func(a, b difference) int { return a.request - b.request })
	if i := slices.IndexFunc(all, func(d difference) bool { return leads(d.key.on) }); i >= 0 {
		last := all[i].request
		all = slices.DeleteFunc(all, func(d difference) bool { return d.request > last })
	}
	return all, compared, both
}

// leads reports whether what differs there has the sessions go apart: they are somewhere else, or over.
func leads(on string) bool {
	switch on {
	case "stackTrace", "stopped" + eventOf, "exited" + eventOf, "terminated" + eventOf:
		return true
	}
	return false
}

// says reports whether a log says, where a difference is, what another of the same side did.
func says(l, was *log, d difference) bool {
	m, ok := l.byKey[d.key]
	before, had := was.byKey[d.key]
	if !ok || !had {
		return ok == had
	}
	return !slices.ContainsFunc(apart(before.body, m.body), func(v value) bool {
		return v.at == d.at || strings.HasPrefix(string(d.at), string(v.at)+".") || v.at == "" || list(v.at, d.at)
	})
}

// list reports whether a place is of the length of a list that another one is in.
func list(of, in place) bool {
	up, ok := strings.CutSuffix(string(of), "length")
	return ok && strings.HasPrefix(string(in), up)
}

// eventAt is the session's event in which a request was sent.
func eventAt(seen *oracle.Seen, l *log, request int) int {
	if request >= l.whole() {
		return len(seen.Events) - 1
	}
	sent := 0
	for i := range seen.Wire {
		if !seen.Wire[i].Sent {
			continue
		}
		if sent++; sent > request {
			n, _ := slices.BinarySearch(seen.Marks, i+1)
			return max(min(n, len(seen.Events)-1), 0)
		}
	}
	return len(seen.Events) - 1
}
