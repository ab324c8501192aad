package reference

import (
	"fmt"
	"strings"

	"misstep/dap"
)

// A Verdict is a rule that does not hold.
type Verdict struct {
	Rule  string
	Index int // of the event
	Diff  *dap.Difference
}

// Counts are how often each rule was checked, and could not be.
type Counts struct {
	Made, NotMade map[string]int
}

// A judge follows one session.
type judge struct {
	m      *Model
	events []dap.Event
	counts Counts
	found  []Verdict

	// at is the moment where the session is; lost tells that this is not known, and
	// that at is only a lower bound.
	at   int
	lost bool

	points map[string]*point // by what they were asked as
	dead   bool              // nothing can be judged any more
}

// A point is a verified breakpoint that the session has set.
type point struct {
	file      string
	line      int
	log       bool
	hit       string
	condition string
	function  bool
	hits      int  // so far, if known
	unsure    bool // hits are not known
	clear     bool
}

// Judge holds a session against the history.
func (m *Model) Judge(events []dap.Event) ([]Verdict, Counts) {
	j := &judge{m: m, events: events, counts: Counts{map[string]int{}, map[string]int{}}, points: map[string]*point{}, at: -1}
	if m.Why != "" {
		j.counts.NotMade["reference"]++
		return nil, j.counts
	}
	for i := range events {
		if j.dead {
			break
		}
		j.event(i)
	}
	return j.found, j.counts
}

func (j *judge) check(i int, rule string, ok bool, kind dap.DiffKind, what, truth, shown string) {
	j.counts.Made[rule]++
	if !ok {
		j.found = append(j.found, Verdict{rule, i, &dap.Difference{Kind: kind, What: what, A: truth, B: shown}})
		// What follows from a wrong place is not another finding.
		j.dead = true
	}
}

func (j *judge) missed(rule string) { j.counts.NotMade[rule]++ }

func (j *judge) event(i int) {
	a, out := j.events[i].Action, &j.events[i].Output
	if out.Kind.Fatal() {
		j.dead = true
		return
	}
	switch a.Kind {
	case dap.Break:
		key := fmt.Sprintf("%s:%d", a.File, a.Line)
		b := out.Breakpoint
		if b == nil || !b.Verified {
			delete(j.points, key)
			return
		}
		p := &point{file: a.File, line: b.Line, log: a.Log != "", hit: a.Hit, condition: a.Condition}
		if b.File != "" && b.File != a.File {
			p.file = b.File
		}
		p.clear = b.Line == a.Line && j.m.clearLine(p.file, p.line)
		if old := j.points[key]; old != nil {
			p.hits, p.unsure = old.hits, old.unsure
		}
		j.points[key] = p
	case dap.Unbreak:
		delete(j.points, fmt.Sprintf("%s:%d", a.File, a.Line))
	case dap.FuncBreak:
		if out.Breakpoint != nil && out.Breakpoint.Verified {
			j.points["func "+a.Name] = &point{function: true}
		}
	case dap.FuncUnset:
		delete(j.points, "func "+a.Name)
	case dap.InstBreak:
		if out.Breakpoint != nil && out.Breakpoint.Verified {
			j.points["inst "+a.Name] = &point{function: true}
		}
	case dap.InstUnset:
		delete(j.points, "inst "+a.Name)
	case dap.SetVar, dap.Interrupt:
		j.dead = true // another run than the recorded one, or one that depends on time
	case dap.Evaluate:
		if strings.HasPrefix(a.Name, "call ") {
			j.dead = true
		}
	case dap.Restart:
		j.at, j.lost = -1, false
		for _, p := range j.points {
			p.hits, p.unsure = 0, true
		}
	case dap.Finish:
		j.dead = true
	case dap.Continue, dap.Next, dap.StepIn, dap.StepOut:
		if a.Instruction {
			j.lost = true
		}
		j.resume(i, a, out)
	}
}

// resume judges what an action led to that let the program run.
func (j *judge) resume(i int, a dap.Action, out *dap.Output) {
	from, lost := j.at, j.lost
	p := out.Pause
	if p == nil {
		if out.Kind == dap.Ended && !lost {
			j.passed(i, from, len(j.m.moments), out)
		}
		j.dead = true
		return
	}
	if p.Exception() || p.Carried() || len(p.Stack) >= dap.MaxFrames || !j.m.own(p) {
		// Where the runtime or a library is paused at is not in the history.
		j.lost = true
		j.missed("R1-pause")
		j.unsure()
		return
	}
	to, why := j.match(p, from, lost)
	if to < 0 {
		if lost || why == "" {
			j.missed("R1-pause")
			j.lost = true
			return
		}
		j.check(i, "R1-pause", false, dap.DiffLocation, why, j.where(from), place(p))
		return
	}
	j.counts.Made["R1-pause"]++
	if !lost && (from < 0 || j.m.moments[to].act != j.m.moments[from].act) && !j.certain(p, to) {
		j.at, j.lost = to, true
		j.unsure()
		return
	}
	if !lost {
		j.passed(i, from, to, out)
		if !j.dead {
			j.step(i, a, from, to, p)
		}
	} else {
		j.unsure()
	}
	if !j.dead && (to != from || lost) {
		j.values(i, p, to)
	}
	j.at, j.lost = to, false
}

// unsure notes that hits may have been passed without being counted.
func (j *judge) unsure() {
	for _, p := range j.points {
		p.unsure = true
	}
}

// own tells whether a pause is in the program's code.
func (m *Model) own(p *dap.Pause) bool {
	if len(p.Stack) == 0 {
		return false
	}
	_, ok := m.files[p.Top().File]
	return ok
}

func place(p *dap.Pause) string {
	var fs []string
	for _, f := range p.Stack {
		if !strings.HasPrefix(f.File, "$GOROOT") && f.File != "" {
			fs = append(fs, fmt.Sprintf("%s %s:%d", f.Func, f.File, f.Line))
		}
	}
	return strings.Join(fs, " < ")
}

// where says where a moment is.
func (j *judge) where(n int) string {
	if n < 0 {
		return "the program had just begun"
	}
	if n >= len(j.m.moments) {
		return "the program had ended"
	}
	mo := j.m.moments[n]
	f := j.m.plan.Funcs[mo.act.Func]
	return fmt.Sprintf("the last pause was in %s at line %d", f.Name, mo.act.steps[mo.step].first)
}
