package reference

import (
	"cmp"
	"slices"

	"misstep/history"
)

// A Timeline is a recorded run as the stops that a debugger could make, in the order
// in which they happened: the beginning of each statement that begins a line.
type Timeline struct {
	m     *Run
	stops []int // moments
	// thread is the goroutine of each stop.
	thread []*thread
}

// A Place is a frame of a stop.
type Place struct {
	Func, File string
	Line       int
}

// Timeline lists the stops of a run. The model must have no reason why sessions cannot
// be judged.
func (m *Run) Timeline() *Timeline {
	t := &Timeline{m: m}
	for _, th := range m.threads {
		for n := th.lo; n < th.hi; n++ {
			mo := m.moments[n]
			s := &mo.act.steps[mo.step]
			fn := m.plan.Funcs[mo.act.Func]
			switch {
			case mo.call > 0:
			case s.entry, s.node == nil, m.first[fn.File][s.first] == s.node.Pos(), s.part == history.Condition, s.part == history.Cases:
				// A loop's condition is where its next iteration begins.
				if last := len(t.stops) - 1; last >= 0 && t.thread[last] == th && m.same(t.stops[last], n) {
					continue
				}
				t.stops = append(t.stops, n)
				t.thread = append(t.thread, th)
			}
		}
	}
	if m.concurrent() {
		order := make([]int, len(t.stops))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(t.time(a), t.time(b)) })
		stops, threads := make([]int, len(order)), make([]*thread, len(order))
		for i, n := range order {
			stops[i], threads[i] = t.stops[n], t.thread[n]
		}
		t.stops, t.thread = stops, threads
	}
	return t
}

// same tells whether two moments in a row show the same line of the same activation.
func (m *Run) same(a, b int) bool {
	x, y := m.moments[a], m.moments[b]
	return b == a+1 && x.act == y.act && x.act.steps[x.step].first == y.act.steps[y.step].first && x.act.steps[x.step].node != y.act.steps[y.step].node
}

func (t *Timeline) time(i int) int64 {
	mo := t.m.moments[t.stops[i]]
	return max(mo.act.steps[mo.step].time, mo.act.Start)
}

// Len is the number of stops.
func (t *Timeline) Len() int { return len(t.stops) }

// Thread is the number of a stop's goroutine.
func (t *Timeline) Thread(i int) uint64 { return t.thread[i].goroutine }

// Frames are the functions on the stack at a stop, innermost first.
func (t *Timeline) Frames(i int) []Place {
	mo := t.m.moments[t.stops[i]]
	var out []Place
	for x, at := mo.act, mo.step; x != nil; x, at = x.parent, x.call {
		fn := t.m.plan.Funcs[x.Func]
		line := fn.EndLine
		if at >= 0 && at < len(x.steps) {
			line = x.steps[at].first
			if x.steps[at].heads != nil {
				line = x.steps[at].heads[0]
			}
		}
		out = append(out, Place{fn.Name, t.m.plan.Files[fn.File].Path, line})
	}
	return out
}

// Values are the variables in scope at a stop, if they were recorded.
func (t *Timeline) Values(i int) ([]history.Value, bool) {
	mo := t.m.moments[t.stops[i]]
	s := mo.act.steps[mo.step]
	w := t.m.watched(mo.act, s)
	if w == nil || s.part == history.Condition {
		return nil, false
	}
	snap, ok := t.m.snaps.At(t.thread[i].goroutine, w.Path, w.Offset, s.nth)
	return snap.Vars, ok
}

// Within tells whether a stop is in the activation of another, or in one that called
// that; strictly, only the latter.
func (t *Timeline) Within(i, of int, strictly bool) bool {
	a, b := t.m.moments[t.stops[i]].act, t.m.moments[t.stops[of]].act
	if t.thread[i] != t.thread[of] || strictly && a == b {
		return false
	}
	return around(b, a)
}

// Line is the first line from a given one on, in the same file, at which a statement
// begins; zero if there is none.
func (t *Timeline) Line(path string, line int) int {
	best := 0
	for i, f := range t.m.plan.Files {
		if f.Path != path {
			continue
		}
		for l := range t.m.first[i] {
			if l >= line && (best == 0 || l < best) {
				best = l
			}
		}
	}
	return best
}

// Files are the paths of the recorded files.
func (t *Timeline) Files() []string {
	var out []string
	for _, f := range t.m.plan.Files {
		out = append(out, f.Path)
	}
	return out
}

// Exit is how the recorded program ended; ok is false if only its history is known.
func (t *Timeline) Exit() (code int, stdout string, ok bool) {
	if t.m.exit == nil {
		return 0, "", false
	}
	return t.m.exit.code, t.m.exit.stdout, true
}
