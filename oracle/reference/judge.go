package reference

import (
	"misstep/history"
	"misstep/internal/gobuild"
	"misstep/internal/proc"

	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/finding"
	"misstep/oracle"
)

// A Model is a program's recorded run, by which sessions are judged.
type Model struct{ *Run }

// NewModel replays a recording to judge sessions by. Snapshots may be nil; then no values
// are judged.
func NewModel(rec *history.Recording, r *history.Reader, snaps *history.Snapshots) (*Model, error) {
	run, err := New(rec, r, snaps)
	if err != nil {
		return nil, err
	}
	return &Model{run}, nil
}

// RecordModel records runs of a program, with probes, and makes a model of them. A program
// that cannot be recorded has a model that says why. The program is built into a folder,
// which has to stay as long as the model is used.
func RecordModel(ctx context.Context, keeper *proc.Keeper, cache *gobuild.Cache, p *gobuild.Program, e gobuild.Engine, lim gobuild.Limits, dir string, probes Probes) (*Model, error) {
	run, err := Record(ctx, keeper, cache, p, e, lim, dir, probes.ask)
	if err != nil {
		return nil, err
	}
	return &Model{run}, nil
}

// A judge follows one session.
type judge struct {
	ctx     context.Context
	m       *Model
	session *oracle.Seen
	events  []dap.Event
	tally   *finding.Tally
	found   []*finding.Finding

	// track is that of the goroutine that the session shows, of all tracks by its
	// number there.
	*track
	tracks map[int]*track

	points   map[string]*point // by what they were asked as
	started  bool
	restarts bool
	assigned string // the assignment that was made, or empty
	fresh    bool   // it was made at this pause
	dead     bool   // nothing can be judged any more
}

// A track is where a goroutine of the session is in the history.
type track struct {
	t *thread
	// at is the moment where it is, before the first one at the beginning; lost tells
	// that this is not known, and that at is only a lower bound.
	at   int
	lost bool
	// seen is the event at which it was there, by a step out if returned.
	seen     int
	returned bool
}

// A point is a verified breakpoint that the session has set.
type point struct {
	file      string
	line      int
	log       string
	hit       string
	condition string
	function  bool
	hits      int  // so far, if known
	unsure    bool // hits are not known
	clear     bool
	since     int  // the event that set it
	early     bool // it was set before the program started
	pauses    int  // and messages, of all goroutines
}

// Judge implements [oracle.Check]: it holds a session against the history. Where the
// session assigned to a variable, the program is recorded again with that assignment. The
// error is that of the recorder.
func (m *Model) Judge(ctx context.Context, seen *oracle.Seen) ([]*finding.Finding, *finding.Tally, error) {
	events := seen.Events
	j := &judge{ctx: ctx, m: m, session: seen, events: events, tally: &finding.Tally{}, points: map[string]*point{}, tracks: map[int]*track{}}
	if m.Why != "" {
		j.missed("not judged")
		return nil, j.tally, nil
	}
	for i := range events {
		if j.dead {
			break
		}
		if err := j.event(i); err != nil {
			return nil, j.tally, err
		}
	}
	return j.found, j.tally, nil
}

// made counts a check that held. It is one of what holds for each goroutine, and of
// what holds behind an assignment, too.
func (j *judge) made(rule string) {
	j.count(rule)
	if j.m.concurrent() && rule != "R11-goroutine" {
		j.count("R11-goroutine")
	}
	if j.assigned != "" && rule != "R10-assign" && rule != "R9-evaluate" {
		j.count("R10-assign")
	}
}

func (j *judge) check(i int, rule string, ok bool, kind dap.DiffKind, what, truth, shown string) {
	if ok {
		j.made(rule)
		return
	}
	j.count(rule)
	switch {
	case j.assigned != "" && rule != "R9-evaluate":
		what = fmt.Sprintf("%s, after %s (%s)", what, j.assigned, rule)
		rule = "R10-assign"
		j.count(rule)
	case j.m.concurrent() && rule != "R11-hits" && rule != "R8-end":
		what = fmt.Sprintf("%s (%s)", what, rule)
		rule = "R11-goroutine"
		j.count(rule)
	}
	r, _ := Rules.Lookup(rule)
	d := &dap.Difference{Kind: kind, What: what, A: truth, B: shown}
	j.found = append(j.found, finding.OfSession(r, j.session.Debuggee, j.session.Session(i), d, finding.Recorded, finding.Debugger))
	// What follows from a wrong place is not another finding.
	j.dead = true
}

func (j *judge) count(rule string) { j.tally.Add(Oracle+"/"+rule, 1) }

func (j *judge) missed(rule string) { j.tally.Missed(Oracle + "/" + rule) }

func (j *judge) event(i int) error {
	a, out := j.events[i].Action, &j.events[i].Output
	if out.Kind.Fatal() {
		j.dead = true
		return nil
	}
	key := ""
	switch a.Kind {
	case dap.Break:
		key = fmt.Sprintf("%s:%d", a.File, a.Line)
		b := out.Breakpoint
		if b == nil || !b.Verified {
			delete(j.points, key)
			return nil
		}
		p := &point{file: a.File, line: b.Line, log: a.Log, hit: a.Hit, condition: a.Condition, since: i, early: !j.started}
		if b.File != "" && b.File != a.File {
			p.file = b.File
		}
		p.clear = b.Line == a.Line && j.m.clearLine(p.file, p.line)
		if old := j.points[key]; old != nil {
			p.hits, p.unsure = old.hits, old.unsure
			p.early = false
		}
		j.points[key] = p
	case dap.Unbreak:
		delete(j.points, fmt.Sprintf("%s:%d", a.File, a.Line))
	case dap.FuncBreak:
		key = "func " + a.Name
	case dap.FuncUnset:
		delete(j.points, "func "+a.Name)
	case dap.InstBreak:
		key = "inst " + a.Name
	case dap.InstUnset:
		delete(j.points, "inst "+a.Name)
	case dap.Interrupt:
		j.dead = true // it depends on time
	case dap.SetVar:
		return j.assign(i, a, out)
	case dap.Evaluate:
		j.evaluate(i, a, out)
		if strings.HasPrefix(a.Name, "call ") {
			// Breakpoints in what is called may have been hit.
			j.unsure()
			j.dead = j.dead || out.Pause != nil
		}
	case dap.Restart:
		j.track, j.tracks, j.restarts = nil, map[int]*track{}, true
		for _, p := range j.points {
			p.hits, p.unsure = 0, true
		}
		if j.assigned != "" {
			j.dead = true // the program runs without it
		}
	case dap.Finish:
		j.ended(i, out)
		j.dead = true
	case dap.Continue, dap.Next, dap.StepIn, dap.StepOut:
		j.started, j.fresh = true, false
		if a.Instruction && j.track != nil {
			j.lost = true
		}
		j.resume(i, a, out)
	}
	if (a.Kind == dap.FuncBreak || a.Kind == dap.InstBreak) && out.Breakpoint != nil && out.Breakpoint.Verified {
		j.points[key] = &point{function: true, since: i}
	}
	return nil
}

// find makes the track of a session's goroutine the current one. It is false if the
// history has several that it may be.
func (j *judge) find(p *dap.Pause) bool {
	if j.track = j.tracks[p.Thread]; j.track != nil {
		return true
	}
	var can []*thread
	stack := j.m.frames(p)
	for _, t := range j.m.threads {
		if len(j.m.threads) == 1 || len(stack) > 0 && slices.ContainsFunc(t.roots, func(fn int) bool { return slices.Contains(stack[len(stack)-1].funs, fn) }) {
			can = append(can, t)
		}
	}
	// Those that do the same cannot be told apart, and need not be.
	if len(can) == 0 || slices.ContainsFunc(can, func(t *thread) bool { return t.path != can[0].path || !t.steady }) {
		return false
	}
	for _, t := range can {
		if len(j.m.threads) == 1 || !slices.ContainsFunc(slices.Collect(maps.Values(j.tracks)), func(k *track) bool { return k.t == t }) {
			j.track = &track{t: t, at: t.lo - 1, seen: -1}
			j.tracks[p.Thread] = j.track
			return true
		}
	}
	return false
}

// resume judges what an action led to that let the program run.
func (j *judge) resume(i int, a dap.Action, out *dap.Output) {
	p := out.Pause
	for key, b := range j.points {
		b.pauses += len(messages(out, key))
		if p != nil && slices.Contains(p.Hit, key) {
			b.pauses++
		}
	}
	if p == nil {
		if out.Kind == dap.Ended {
			j.ended(i, out)
		}
		j.dead = true
		return
	}
	before := j.track
	if p.Exception() || p.Carried() || len(p.Stack) >= dap.MaxFrames || !j.m.own(p) {
		// Where the runtime or a library is paused at is not in the history.
		if j.find(p) {
			j.lost = true
		}
		j.missed("R1-pause")
		j.unsure()
		return
	}
	if !j.find(p) {
		j.anyone(i, p)
		return
	}
	from, lost := j.at, j.lost
	to, why := j.match(p, from, lost)
	if to < 0 {
		if lost || why == "" {
			j.missed("R1-pause")
			j.lost = true
			j.unsure()
			return
		}
		if why == conditional {
			b := j.points[p.Hit[0]]
			j.check(i, "R7-condition", false, dap.DiffLocation, "a pause at "+p.Hit[0]+" on the condition "+b.condition, "false at each execution that may be the one", "true")
			return
		}
		j.check(i, "R1-pause", false, dap.DiffLocation, why, j.where(from), place(p))
		return
	}
	j.made("R1-pause")
	seen := j.seen
	j.seen, j.returned = i, a.Kind == dap.StepOut && p.Reason == "step"
	// Which instance of a generic function it is the history does not say.
	begun := from >= j.t.lo
	another := !begun || j.m.moments[to].act != j.m.moments[from].act
	generic := another && strings.Contains(p.Top().Func, "[")
	if !lost && begun && (generic || j.m.unwound(from, to) || j.m.revisits(from, to) || j.m.again(from, to, p)) {
		j.at, j.lost = from, true
		j.unsure()
		return
	}
	if !lost && another && !j.certain(p, to) {
		j.at, j.lost = to, true
		j.unsure()
		return
	}
	if !lost {
		j.passed(i, from, to, seen, out)
		// A step says something of the goroutine that took it.
		if !j.dead && before == j.track {
			j.step(i, a, from, to, p)
		}
	} else {
		j.unsure()
	}
	// Behind a call the statement may have done something already.
	if behind := a.Kind == dap.StepOut && p.Reason == "step"; !j.dead && !behind && (to != from || lost) {
		j.values(i, p, to)
	}
	j.at, j.lost = to, false
}

// anyone judges the pause of a goroutine that may be one of several: it fits one.
func (j *judge) anyone(i int, p *dap.Pause) {
	stack := j.m.frames(p)
	j.unsure()
	if len(stack) == 0 {
		j.missed("R1-pause")
		return
	}
	for n := range j.m.moments {
		if j.m.fits(j.m.moments[n], stack) {
			j.made("R11-goroutine")
			return
		}
	}
	j.missed("R1-pause")
}

// ended judges the end of the program.
func (j *judge) ended(i int, out *dap.Output) {
	if out.Kind != dap.Ended {
		return
	}
	finish := j.events[i].Action.Kind == dap.Finish
	if !finish {
		if j.m.concurrent() {
			j.totals(i, out)
		}
		for _, k := range j.tracks {
			if j.track = k; !j.dead && !j.lost && (len(j.m.threads) == 1 || j.m.whole(k.t)) {
				j.passed(i, j.at, j.t.hi, j.seen, out)
			}
		}
		if len(j.tracks) == 0 && !j.m.concurrent() && !j.dead {
			t := j.m.threads[0]
			j.track = &track{t: t, at: t.lo - 1}
			j.passed(i, j.at, t.hi, 0, out)
		}
	}
	if j.assigned != "" && !j.dead && out.Exit != nil && j.m.exit != nil {
		j.exit(i, out.Exit, j.m.exit)
	}
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
	if n < j.t.lo {
		return "the goroutine had just begun"
	}
	if n >= j.t.hi {
		return "the goroutine had ended"
	}
	mo := j.m.moments[n]
	f := j.m.plan.Funcs[mo.act.Func]
	return fmt.Sprintf("the last pause was in %s at line %d", f.Name, mo.act.steps[mo.step].first)
}
