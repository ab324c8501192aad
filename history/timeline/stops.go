package timeline

import (
	"cmp"
	"slices"

	"misstep/history"
)

// Stops are the stops of a recorded run that a debugger could make, in the order
// in which they happened: the beginning of each statement that begins a line, and of each function.
type Stops struct {
	m     *Run
	stops []int // moments
	// thread is the goroutine of each stop.
	thread []*Thread
}

// A Frame is a frame of a stop.
type Frame struct {
	Func, File string
	Line       int
}

// Stops lists the stops of a run, which must have no reason why it cannot be replayed.
func (m *Run) Stops() *Stops {
	t := &Stops{m: m}
	for _, th := range m.Threads {
		before := -1 // the last moment on the line of the last stop
		for n := th.Lo; n < th.Hi; n++ {
			mo := m.Moments[n]
			s := &mo.Activation.Steps[mo.Step]
			fn := m.Plan.Funcs[mo.Activation.Func]
			switch {
			case mo.Call > 0:
			case mo.Step == 0, s.Node == nil, m.First[fn.File][s.First] == s.Node.Pos(), s.Part == history.Condition, s.Part == history.Cases:
				// A function begins where it is called, also on the line of another statement. A loop's condition is where
				// its next iteration begins.
				if before >= 0 && m.same(before, n) {
					before = n
					continue
				}
				before = n
				t.stops = append(t.stops, n)
				t.thread = append(t.thread, th)
			}
		}
	}
	if m.Concurrent() {
		order := make([]int, len(t.stops))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(t.time(a), t.time(b)) })
		stops, threads := make([]int, len(order)), make([]*Thread, len(order))
		for i, n := range order {
			stops[i], threads[i] = t.stops[n], t.thread[n]
		}
		t.stops, t.thread = stops, threads
	}
	return t
}

// same reports whether two moments in a row show the same line of the same activation.
func (m *Run) same(a, b int) bool {
	x, y := m.Moments[a], m.Moments[b]
	return b == a+1 && x.Activation == y.Activation && x.Activation.Steps[x.Step].First == y.Activation.Steps[y.Step].First && x.Activation.Steps[x.Step].Node != y.Activation.Steps[y.Step].Node
}

func (t *Stops) time(i int) int64 {
	mo := t.m.Moments[t.stops[i]]
	return max(mo.Activation.Steps[mo.Step].time, mo.Activation.Start)
}

// Len is the number of stops.
func (t *Stops) Len() int { return len(t.stops) }

// Thread is the number of a stop's goroutine.
func (t *Stops) Thread(i int) uint64 { return t.thread[i].Goroutine }

// Frames are the functions on the stack at a stop, innermost first.
func (t *Stops) Frames(i int) []Frame {
	mo := t.m.Moments[t.stops[i]]
	var out []Frame
	for x, at := mo.Activation, mo.Step; x != nil; x, at = x.Parent, x.Call {
		fn := t.m.Plan.Funcs[x.Func]
		line := fn.EndLine
		if at >= 0 && at < len(x.Steps) {
			line = x.Steps[at].First
			if x.Steps[at].Heads != nil {
				line = x.Steps[at].Heads[0]
			}
		}
		out = append(out, Frame{fn.Name, t.m.Plan.Files[fn.File].Path, line})
	}
	return out
}

// Values are the variables in scope at a stop, if they were recorded.
func (t *Stops) Values(i int) ([]history.Value, bool) {
	mo := t.m.Moments[t.stops[i]]
	s := mo.Activation.Steps[mo.Step]
	w := t.m.Watched(mo.Activation, s)
	if w == nil || s.Part == history.Condition {
		return nil, false
	}
	snap, ok := t.m.Snaps.At(t.thread[i].Goroutine, w.Path, w.Offset, s.Nth)
	return snap.Vars, ok
}

// Within reports whether a stop is in the activation of another, or in one that called
// that; strictly, only the latter.
func (t *Stops) Within(i, of int, strictly bool) bool {
	a, b := t.m.Moments[t.stops[i]].Activation, t.m.Moments[t.stops[of]].Activation
	if t.thread[i] != t.thread[of] || strictly && a == b {
		return false
	}
	return Around(b, a)
}

// Line is the first line from a given one on, in the same file, at which a statement
// begins; zero if there is none.
func (t *Stops) Line(path string, line int) int {
	best := 0
	for i, f := range t.m.Plan.Files {
		if f.Path != path {
			continue
		}
		for l := range t.m.First[i] {
			if l >= line && (best == 0 || l < best) {
				best = l
			}
		}
	}
	return best
}

// Files are the paths of the recorded files.
func (t *Stops) Files() []string {
	var out []string
	for _, f := range t.m.Plan.Files {
		out = append(out, f.Path)
	}
	return out
}

// Exit is how the recorded program ended; ok is false if only its history is known.
func (t *Stops) Exit() (code int, stdout string, ok bool) {
	if t.m.Exit == nil {
		return 0, "", false
	}
	return t.m.Exit.Code, t.m.Exit.Stdout, true
}
