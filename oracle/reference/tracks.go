package reference

import (
	"maps"
	"slices"

	"misstep/dap"
	"misstep/history"
	"misstep/history/timeline"
)

// A track is where a goroutine of the session is in the history.
type track struct {
	t *timeline.Thread
	// at is the moment where it is, before the first one at the beginning; lost tells
	// that this is not known, and that at is only a lower bound.
	at   int
	lost bool
	// may are the moments at one of which it is, if it is lost and they are few.
	may []int
	// supposed says that at follows from where it may have been before, if the debugger has
	// passed nothing by meanwhile; it is surely not before floor.
	supposed bool
	floor    int
	parted   int // the event at which it was placed there
	picked   int // the moment at which it was last picked up after being lost
	// astray says that it is lost since a finding, which explains what is missing since then.
	astray bool
	// upto is the last moment where it may be: parts of a statement over several lines come in
	// an order of the compiler's.
	upto int
	// seen is the event at which it was there, by a step out if returned.
	seen     int
	returned bool
	behind   bool       // the pause may be behind a call of the statement
	stays    bool       // the statement may have done something since the moment at which it is
	last     *dap.Pause // that is placed, at the event placed
	placed   int
	newly    bool // that came to a statement from another one
	outside  bool // the pause is in what the statement calls, and that is not recorded
	struck   struck
}

// struck is where a breakpoint was hit last: at which moment, and which instruction.
type struck struct {
	at    int
	place string
}

// find makes the track of a session's goroutine the current one. It is false if the
// history has several that it may be.
func (j *judge) find(p *dap.Pause) bool {
	if j.track = j.tracks[p.Thread]; j.track != nil {
		return true
	}
	var can []*timeline.Thread
	stack := j.m.frames(p)
	for _, t := range j.m.Threads {
		if len(j.m.Threads) == 1 || len(stack) > 0 && slices.ContainsFunc(t.Roots, func(fn int) bool { return slices.Contains(stack[len(stack)-1].funs, fn) }) {
			can = append(can, t)
		}
	}
	told := false
	if one := j.telling(p, stack, can); one != nil {
		can, told = []*timeline.Thread{one}, true
	}
	// Those that do the same cannot be told apart, and need not be.
	if len(can) == 0 || slices.ContainsFunc(can, func(t *timeline.Thread) bool { return !alike(t, can[0]) || !t.Steady }) {
		return false
	}
	for _, t := range can {
		if len(j.m.Threads) == 1 || !slices.ContainsFunc(slices.Collect(maps.Values(j.tracks)), func(k *track) bool { return k.t == t }) {
			j.track = &track{t: t, at: t.Lo - 1, upto: t.Lo - 1, seen: -1, last: &dap.Pause{}, lost: told || j.nameless[p.Thread], floor: t.Lo - 1}
			j.tracks[p.Thread] = j.track
			return true
		}
	}
	return false
}

// alike reports whether two goroutines do the same, with the same values as far as these are known.
func alike(a, b *timeline.Thread) bool { return a.Path == b.Path && a.Values == b.Values }

// suspects are the goroutines of the history that one of the session may be, by all of its pauses until now.
type suspects struct {
	threads []*timeline.Thread
	shown   bool // a variable was held against theirs
}

// telling is the one of several goroutines, which begin with one function, whose recorded variables are what the
// pauses of a goroutine show until now; nil if there is none, or several. None of them is a goroutine that the session
// has met already.
func (j *judge) telling(p *dap.Pause, stack []frame, can []*timeline.Thread) *timeline.Thread {
	if len(can) < 2 || len(stack) == 0 || len(p.Scopes) == 0 {
		return nil
	}
	met := map[*timeline.Thread]bool{}
	for _, k := range j.tracks {
		met[k.t] = true
	}
	before, narrowed := j.suspects[p.Thread]
	left := suspects{shown: before.shown}
	for _, t := range can {
		if met[t] || narrowed && !slices.Contains(before.threads, t) {
			continue
		}
		if held, ok := j.couldShow(t, p, stack); ok {
			left.threads, left.shown = append(left.threads, t), left.shown || held
		}
	}
	if len(left.threads) == 0 {
		delete(j.suspects, p.Thread) // the pauses contradict each other
		return nil
	}
	j.suspects[p.Thread] = left
	if !left.shown || slices.ContainsFunc(left.threads, func(t *timeline.Thread) bool { return !alike(t, left.threads[0]) }) {
		return nil
	}
	return left.threads[0]
}

// couldShow reports whether a goroutine is at the place of a pause once without a variable that is another than what the
// pause shows; held says that there is one to hold against that.
func (j *judge) couldShow(t *timeline.Thread, p *dap.Pause, stack []frame) (held, ok bool) {
	for n := t.Lo; n < t.Hi; n++ {
		mo := j.m.Moments[n]
		s := mo.Activation.Steps[mo.Step]
		w := j.m.Watched(mo.Activation, s)
		if w == nil || mo.Call > 0 || s.First != p.Top().Line || !j.m.fits(mo, stack) {
			continue
		}
		snap, _ := j.m.Snaps.At(t.Goroutine, w.Path, w.Offset, s.Nth)
		same, others := false, false
		for _, truth := range snap.Vars {
			v := shown(p.Scopes, truth.Name)
			if v == nil || truth.Kind == history.Unknown || truth.Kind == "pointer" {
				continue
			}
			what, _, _ := differ(truth, *v, truth.Name)
			same, others = same || what == "", others || what != ""
		}
		if !others {
			held, ok = held || same, true
		}
	}
	return held, ok
}

// lose notes that where the goroutine is is not known any more, but not before a moment.
func (k *track) lose(at int) {
	if !k.lost && !k.supposed {
		k.floor, k.parted = at, k.placed
	}
	k.at, k.lost, k.may, k.supposed = k.floor, true, nil, false
}
