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

// A whereabouts is a moment at which a goroutine may be.
type whereabouts struct {
	t *timeline.Thread
	n int
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
	p := j.events[i].From(j.pause(i))
	if p == nil {
		return nil
	}
	why := j.beyond(p)
	var at []whereabouts
	if why == "" {
		at, why = j.whereabouts(p)
	}
	if why == "" && len(at) == 0 {
		// A wrong place says nothing of where the goroutine is that has paused.
		j.check(i, rule, false, dap.DiffAnswer, "the stack of another goroutine", "one that it has at some moment", place(p))
		return nil
	}
	if why == "" && len(at) > maxPlaces {
		why = ambiguous
	}
	if why != "" {
		j.missed(rule)
		if a.Kind == dap.Evaluate {
			j.missed("R9-evaluate")
		}
		j.unjudged(finding.Variables, why, count(out.Scopes))
		if a.Kind == dap.Evaluate {
			j.unjudged(finding.Answers, why, 1)
		}
		return nil
	}
	j.made(rule)
	if a.Kind == dap.Stack || out.Kind != dap.Answered && a.Kind == dap.Vars {
		return nil
	}
	var first *judge
	for _, w := range at {
		trial := j.elsewhere(w)
		if a.Kind == dap.Vars {
			trial.vars(i, a, out)
		} else {
			trial.evaluate(i, a, out)
		}
		if first == nil || len(trial.found) == 0 && len(first.found) > 0 {
			first = trial
		}
	}
	j.tally.Merge(first.tally)
	j.found = append(j.found, first.found...)
	j.dead = j.dead || len(first.found) > 0
	return nil
}

// elsewhere is a judge of one answer about a goroutine that is at a moment, and waits there for what its statement calls.
func (j *judge) elsewhere(w whereabouts) *judge {
	trial := *j
	trial.tally, trial.found = &finding.Tally{}, nil
	trial.track = &track{t: w.t, at: w.n, upto: j.m.lastOf(w.n), last: &dap.Pause{}, behind: true, outside: true}
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
func (j *judge) whereabouts(p *dap.Pause) (at []whereabouts, why string) {
	stack := j.m.frames(p)
	floor, known := 0, false
	threads := j.m.Threads
	others := map[*timeline.Thread]bool{}
	for number, k := range j.tracks {
		if number != p.Thread {
			others[k.t] = true
			continue
		}
		threads, floor, known = []*timeline.Thread{k.t}, k.floor, true
		if !k.lost && !k.supposed {
			floor = k.at
		}
	}
	for _, t := range threads {
		if !known && !slices.ContainsFunc(t.Roots, func(fn int) bool { return slices.Contains(stack[len(stack)-1].funs, fn) }) {
			continue
		}
		if !t.Steady || !j.m.Whole(t) {
			return nil, whose
		}
		if known = true; others[t] {
			continue
		}
		for n := max(t.Lo, floor); n < t.Hi; n++ {
			if j.m.fits(j.m.Moments[n], stack) {
				at = append(at, whereabouts{t, n})
			}
		}
	}
	if !known {
		return nil, whose
	}
	return at, ""
}
