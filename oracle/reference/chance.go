package reference

import (
	"misstep/dap"
	"misstep/history/timeline"
)

// chance gives the session up: it is, or may be, where runs of the program differ.
func (j *judge) chance() { j.dead, j.over, j.why = true, true, byChance }

// held reports whether what an action lets run surely pauses before runs of the program differ, if they ever do: a
// step ends there, or a breakpoint that nothing restricts is hit.
func (j *judge) held(a dap.Action) bool {
	if j.m.Sure == len(j.m.Moments) {
		return true
	}
	from := -1
	switch {
	case j.track != nil && !j.lost:
		from = j.at
	case len(j.tracks) > 0:
		return false
	}
	for n := from + 1; n < j.m.Sure; n++ {
		s := j.m.step(n)
		if j.m.Moments[n].Call > 0 || !s.IsClear {
			continue
		}
		if j.track != nil && from >= j.t.Lo && s != j.m.step(from) && stepEnds(a.Kind, j.m.Moments[from].Activation, j.m.Moments[n].Activation) {
			return true
		}
		for _, b := range j.points {
			if b.log == "" && b.hit == "" && b.condition == "" && !b.function && b.line == s.First && j.m.executes(n, b) {
				return true
			}
		}
	}
	return false
}

// stepEnds reports whether a step from one activation has ended, at the latest, at a statement of another.
func stepEnds(kind dap.Kind, from, to *timeline.Activation) bool {
	switch kind {
	case dap.Next, dap.StepIn:
		return timeline.Around(from, to)
	case dap.StepOut:
		return from != to && timeline.Around(from, to)
	}
	return false
}
