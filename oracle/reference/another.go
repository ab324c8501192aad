package reference

import (
	"slices"
	"strings"

	"misstep/dap"
	"misstep/finding"
	"misstep/history/timeline"
)

// maxPlaces bounds the moments that are tried for a goroutine that has not paused.
const maxPlaces = 64

// whereabouts are the moments at which a goroutine may be.
type whereabouts struct {
	can []int
	of  map[int]*timeline.Thread // whose moments these are
	all bool                     // it is at no other moment
}

// another judges what is shown of a goroutine that has not paused. Where that is, the session does not say: it waits, has yet
// to begin, or was about to go on. So its stack must be that of one of its moments, and what a frame of it shows, or
// an expression gives there, must be so at one of those which have that stack.
func (j *judge) another(i int, a dap.Action, out *dap.Output) error {
	const rule = "R1-pause"
	if a.Kind == dap.SetVar {
		if out.Kind != dap.Refused {
			j.missed("R10-assign")
			j.dead, j.over, j.why = true, true, afterSet
		}
		return nil
	}
	now := j.pause(i)
	p := j.events[i].From(now)
	if p == nil {
		return nil
	}
	if p.Thread == now.Thread {
		// It is the one that has paused, whose stack is judged by itself.
		switch a.Kind {
		case dap.Vars:
			return j.vars(i, a, out)
		case dap.Evaluate:
			j.evaluate(i, a, out)
		}
		return nil
	}
	why := j.beyond(p)
	var at whereabouts
	if why == "" {
		at, why = j.whereabouts(p)
	}
	switch {
	case why == "" && len(at.can) == 0 && at.all:
		// A wrong place says nothing of where the goroutine is that has paused.
		j.check(i, rule, false, dap.DiffAnswer, "the stack of another goroutine", "one that it has at some moment", place(p))
		return nil
	case why == "" && len(at.can) == 0:
		why = endless
	case len(at.can) > maxPlaces:
		why = ambiguous
	}
	if why != "" {
		j.missed(rule)
		if a.Kind == dap.Evaluate {
			j.missed("R9-evaluate")
			j.unjudged(finding.Answers, why, 1)
		}
		j.unjudged(finding.Variables, why, count(out.Scopes))
		return nil
	}
	j.made(rule)
	if a.Kind == dap.Stack || out.Kind != dap.Answered && a.Kind == dap.Vars {
		return nil
	}
	var first *judge
	for _, n := range at.can {
		trial := j.elsewhere(at.of[n], n)
		if a.Kind == dap.Vars {
			trial.vars(i, a, out)
		} else {
			trial.evaluate(i, a, out)
		}
		// The one at which most holds is where it is.
		if first == nil || len(trial.found) < len(first.found) || len(trial.found) == len(first.found) && trial.checks() > first.checks() {
			first = trial
		}
	}
	if !at.all && len(first.found) > 0 {
		return nil // it may be where it is not known what it has
	}
	j.tally.Merge(first.tally)
	j.found = append(j.found, first.found...)
	j.dead = j.dead || len(first.found) > 0
	return nil
}

// checks is how many were made.
func (j *judge) checks() (n int) {
	for _, made := range j.tally.Made {
		n += made
	}
	return n
}

// elsewhere is a judge of one answer about a goroutine that is at a moment, and waits there for what its statement calls.
func (j *judge) elsewhere(t *timeline.Thread, n int) *judge {
	trial := *j
	trial.tally, trial.found = &finding.Tally{}, nil
	trial.track = &track{t: t, at: n, upto: j.m.lastOf(n), last: &dap.Pause{}, behind: true, outside: true}
	return &trial
}

// beyond says why the stack of another goroutine cannot be held against the recorded run; empty if it can.
func (j *judge) beyond(p *dap.Pause) string {
	switch {
	case j.m.Sure < len(j.m.Moments):
		return byChance
	case inserted(p):
		return carried
	case len(p.Stack) >= dap.MaxFrames:
		return deep
	case len(j.m.frames(p)) == 0:
		return elsewhere
	case slices.ContainsFunc(p.Stack, func(f dap.Frame) bool { return panics(f) || strings.HasPrefix(f.Func, "runtime.deferreturn") }):
		return unwinding
	}
	return ""
}

// whereabouts are the moments at which a goroutine may be, by its stack, or why they are not known.
func (j *judge) whereabouts(p *dap.Pause) (at whereabouts, why string) {
	stack := j.m.frames(p)
	at.of, at.all = map[int]*timeline.Thread{}, true
	floor, tracked, known := 0, false, false
	threads := j.m.Threads
	others := map[*timeline.Thread]bool{}
	for number, k := range j.tracks {
		if number != p.Thread {
			others[k.t] = true
			continue
		}
		threads, floor, tracked = []*timeline.Thread{k.t}, k.floor, true
		if !k.lost && !k.supposed {
			floor = k.at
		}
	}
	for _, t := range threads {
		if !tracked && !slices.ContainsFunc(t.Roots, func(fn int) bool { return slices.Contains(stack[len(stack)-1].funs, fn) }) {
			continue
		}
		if !t.Steady {
			return at, whose
		}
		if known = true; others[t] {
			continue
		}
		at.all = at.all && j.m.Ends(t)
		for n := max(t.Lo, floor); n < t.Last; n++ {
			switch {
			case !j.m.fits(j.m.Moments[n], stack):
			case n < t.Hi:
				at.can, at.of[n] = append(at.can, n), t
			default:
				at.all = false // values there are of one run
			}
		}
	}
	if !known {
		return at, whose
	}
	return at, ""
}
