package reference

import (
	"fmt"
	"go/ast"
	"time"

	"misstep/dap"
)

// threads judges the list of goroutines: it has those that exist for sure. These are the main
// one, which is the last to end, and, while that is paused, those that had begun by then and
// that waited for another at the program's end, if it started all of them. One that was at work may be
// done sooner where the main one is slower. The debugger may show more.
func (j *judge) threads(i int, _ dap.Action, out *dap.Output) error {
	// Goroutines that are in the runtime are left out of the list, so that it may be empty then.
	if p := j.pause(i); out.Kind != dap.Answered || p == nil || !j.m.own(p) {
		return nil
	}
	least := 1
	if j.track != nil && !j.lost && j.at >= j.t.Lo && j.at < j.t.Hi && j.t == j.m.Threads[0] && j.m.starts() {
		now := j.m.Moments[j.at].Activation.Start
		for _, t := range j.m.Threads[1:] {
			if t.Steady && t.Lo < t.Hi && j.m.Moments[t.Lo].Activation.Start < now && !j.m.Whole(t) && j.m.waits(t) && !j.m.released(t, j.at) {
				least++
			}
		}
	}
	j.check(i, "R11-goroutine", len(out.Threads) >= least, dap.DiffAnswer, "the list of goroutines", fmt.Sprintf("at least %d", least), fmt.Sprint(len(out.Threads)))
	return nil
}

// starts reports whether the main goroutine starts all others.
func (m *Model) starts() bool {
	if m.Threads[0].Lo >= m.Threads[0].Hi {
		return false
	}
	for _, t := range m.Threads[1:] {
		for n := t.Lo; n < t.Hi; n++ {
			if _, ok := m.step(n).Node.(*ast.GoStmt); ok {
				return false
			}
		}
	}
	return true
}

// What is slow: a debugger may take so much longer than the program, which with all that is
// below takes no more than the time after which sessions are given up.
const (
	muchSlower = 30
	impatient  = 4 * time.Second
	fewMoments = 20_000
	fewHits    = 200
)

// hangs judges a session that misstep gave up, as the program ran on for too long: where the
// recorded run takes a moment and has little to do, a step ends, a breakpoint is reached, or
// the program ends.
func (j *judge) hangs(i int, a dap.Action) {
	if j.session.Debuggee == nil || j.m.Why != "" || j.m.Concurrent() || j.session.Debuggee.Took*muchSlower > impatient || len(j.m.Moments) > fewMoments {
		return
	}
	// Each hit of a breakpoint that does not pause costs some milliseconds.
	hits := 0
	for _, b := range j.points {
		for n := range j.m.Moments {
			if j.m.executes(n, b) {
				hits++
			}
		}
	}
	if hits > fewHits {
		return
	}
	rule := resumeRules[a.Kind]
	if rule == "" {
		return
	}
	took := j.session.Debuggee.Took
	j.check(i, rule, false, dap.DiffFailure, "what comes of "+string(a.Kind), fmt.Sprintf("a pause or the end, as the program takes %s in all", took.Round(1e6)), "nothing")
}
