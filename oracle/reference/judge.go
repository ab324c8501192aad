package reference

import (
	"cmp"
	"misstep/history/timeline"
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
type Model struct{ *timeline.Run }

// Record records runs of a program, with probes, and makes a model of them. A program
// that cannot be recorded has a model that says why. The program is built into a folder,
// which has to stay as long as the model is used.
func Record(ctx context.Context, keeper *proc.Keeper, cache *gobuild.Cache, p *gobuild.Program, e gobuild.Engine, lim gobuild.Limits, dir string, probes Probes) (*Model, error) {
	run, err := timeline.Record(ctx, keeper, cache, p, e, lim, dir, probes.ask)
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
	// before is the step at which it was made: values that were recorded there were so before.
	before *timeline.Step
	dead   bool   // nothing can be judged any more
	why    string // that is so
	over   bool   // it stays so
	// unclear is why the last pause is not placed.
	unclear string
}

// A track is where a goroutine of the session is in the history.
type track struct {
	t *timeline.Thread
	// at is the moment where it is, before the first one at the beginning; lost tells
	// that this is not known, and that at is only a lower bound.
	at   int
	lost bool
	// upto is the last moment where it may be: parts of a statement over several lines come in
	// an order of the compiler's.
	upto int
	// seen is the event at which it was there, by a step out if returned.
	seen     int
	returned bool
	behind   bool       // the pause may be behind a call of the statement
	last     *dap.Pause // that is placed, at the event placed
	placed   int
	newly    bool // that came to a statement from another one
	outside  bool // the pause is in what the statement calls, and that is not recorded
}

// A point is a verified breakpoint that the session has set.
type point struct {
	file      string
	line      int
	log       string
	hit       string
	condition string
	function  bool // it is at the entry of funcs
	funcs     []int
	hits      int            // executions so far, if known
	unsure    bool           // hits are not known
	open      []execution    // that have begun, and are not over
	done      *timeline.Step // the last that was paused in
	due       []execution    // of a log point, that are over
	printed   int            // messages for executions from the first due one on
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
		why, _, _ := strings.Cut(m.Why, ":")
		j.dead, j.over, j.why = true, true, "the program: "+why
	}
	for i := range events {
		if err := j.counted(i); err != nil {
			return nil, j.tally, err
		}
	}
	return j.found, j.tally, nil
}

// Why pauses are not placed in the recorded run.
const (
	exceptional = "paused by a panic or a signal"
	carried     = "deferred functions of a panic or a return, or bodies of loops over functions, are on the stack"
	deep        = "the stack is deeper than what is asked for"
	elsewhere   = "in the runtime, in a library, or in a function that the compiler made"
	whose       = "which of several goroutines it is, is not known"
	ambiguous   = "several executions of the recorded run fit, since the one before is not known"
	revisited   = "lines of a switch or select come again in an order of the compiler's"
	unwinding   = "a panic ended functions on the way"
	siblings    = "another call than the one that was stepped in fits"
	uncertain   = "a line that surely has no code of its own, in another call"
	anyOrder    = "parts of a statement come in an order of the compiler's"
	nothing     = "no execution of the recorded run fits, on a line of no statement"
	beginsAnew  = "before the program runs"
	afterFound  = "after a finding"
	afterSet    = "after an assignment that was not recorded"
	afterTime   = "after something that depends on time"
	unfollowed  = "of an action that the model does not follow"
)

// counted follows an event, and counts all that it shows once: as judged, or not, and why.
func (j *judge) counted(i int) error {
	out := &j.events[i].Output
	shown := map[string]int{finding.Variables: count(out.Scopes)}
	if out.Pause != nil {
		shown[finding.Pauses] = 1
		shown[finding.Variables] += count(out.Pause.Scopes)
	}
	if j.events[i].Action.Kind == dap.Evaluate {
		shown[finding.Answers] = 1
	}
	before := map[string]int{}
	for kind := range shown {
		before[kind] = j.tally.Account(kind).Total()
	}
	if !j.dead {
		found := len(j.found)
		if err := j.event(i); err != nil {
			return err
		}
		j.recover(found)
	}
	for _, kind := range finding.Kinds {
		left := shown[kind] - (j.tally.Account(kind).Total() - before[kind])
		switch {
		case left <= 0:
		default:
			j.unjudged(kind, cmp.Or(j.why, map[string]string{finding.Pauses: unfollowed}[kind], unplaced), left)
		}
	}
	if j.why == afterFound && !j.over {
		j.why = ""
	}
	return nil
}

// recover goes on after a finding of a wrong value, which says nothing of what comes. What
// follows from a wrong place is not another finding. Of a class, the first one is kept.
func (j *judge) recover(before int) {
	if len(j.found) == before {
		return
	}
	j.why = afterFound
	last := j.found[len(j.found)-1]
	if slices.ContainsFunc(j.found[:before], func(f *finding.Finding) bool { return f.Class == last.Class }) {
		j.found = j.found[:before]
	}
	j.over = j.over || last.Kind != dap.DiffVariables && last.Kind != dap.DiffLog
	j.dead = j.over
}

// made counts a check that held. It is one of what holds for each goroutine, and of
// what holds after an assignment, too.
func (j *judge) made(rule string) {
	j.count(rule)
	if j.m.Concurrent() && rule != "R11-goroutine" {
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
	case j.m.Concurrent() && rule != "R11-hits" && rule != "R8-end":
		what = fmt.Sprintf("%s (%s)", what, rule)
		rule = "R11-goroutine"
		j.count(rule)
	}
	r, _ := Rules.Lookup(rule)
	d := &dap.Difference{Kind: kind, What: what, A: truth, B: shown}
	j.found = append(j.found, finding.OfSession(r, j.session.Debuggee, j.session.Session(i), d, finding.Recorded, finding.Debugger))
	// This is the event's only finding.
	j.dead = true
}

func (j *judge) count(rule string) { j.tally.Add(Oracle+"/"+rule, 1) }

func (j *judge) judged(kind string, n int) { j.tally.Judged(kind, n) }

func (j *judge) unjudged(kind, why string, n int) { j.tally.Unjudged(kind, why, n) }

func (j *judge) missed(rule string) { j.tally.Missed(Oracle + "/" + rule) }

// event follows one action of the session. What the judge does with each kind is in
// followed; of one that it does not know, it does not know either where the session is
// then.
func (j *judge) event(i int) error {
	a, out := j.events[i].Action, &j.events[i].Output
	if out.Kind.Fatal() {
		if out.Kind == dap.Timeout {
			j.hangs(i, a)
		}
		j.dead, j.over = true, true
		return nil
	}
	if a.Kind == "" {
		return nil // the launch
	}
	follow, known := followed[a.Kind]
	if !known && a.Kind.Meaning().Effect == dap.Asks && a.Kind.Meaning().Kind != "" {
		return nil
	}
	if !known {
		j.missed("action " + string(a.Kind))
		if j.track != nil {
			j.lost = true
		}
		j.unsure()
		return nil
	}
	return follow(j, i, a, out)
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
	// Those that do the same cannot be told apart, and need not be.
	if len(can) == 0 || slices.ContainsFunc(can, func(t *timeline.Thread) bool { return t.Path != can[0].Path || !t.Steady }) {
		return false
	}
	for _, t := range can {
		if len(j.m.Threads) == 1 || !slices.ContainsFunc(slices.Collect(maps.Values(j.tracks)), func(k *track) bool { return k.t == t }) {
			j.track = &track{t: t, at: t.Lo - 1, upto: t.Lo - 1, seen: -1, last: &dap.Pause{}}
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
		j.dead, j.over = true, true
		return
	}
	before := j.track
	if why := j.beside(p); why != "" {
		if (why == elsewhere || why == exceptional && !j.m.own(p)) && j.find(p) && j.inside(i, p, out, before) {
			j.made("R1-pause")
			j.judged(finding.Pauses, 1)
			j.unjudged(finding.Variables, foreign, count(p.Scopes))
			return
		}
		// Where the runtime or a library is paused at is not in the history.
		if j.find(p) {
			j.lost = true
		}
		j.missed("R1-pause")
		j.unjudged(finding.Pauses, why, 1)
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
			j.unjudged(finding.Pauses, j.unclear, 1)
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
	j.names(i, p, to)
	switch {
	case j.dead || j.arrive(i, a, out, to, before):
		j.judged(finding.Pauses, 1)
	default:
		j.unjudged(finding.Pauses, j.unclear, 1)
	}
}

// inside places a pause in what is not recorded within the statement that has called it. It
// reports whether there is one, and that is known.
func (j *judge) inside(i int, p *dap.Pause, out *dap.Output, before *track) bool {
	stack := j.m.frames(p)
	if len(stack) == 0 {
		return false
	}
	from, to := j.at, -1
	if j.lost {
		to = j.only(p, stack, max(from, j.t.Lo))
	} else {
		for n := max(from, j.t.Lo); n < j.t.Hi && to < 0; n++ {
			if j.m.fits(j.m.Moments[n], stack) {
				to = n
			}
		}
	}
	if to < 0 || !j.m.step(to).Library && !j.m.step(to).IsClear {
		return false
	}
	// What libraries call back may be called so several times.
	if x := j.m.Moments[to].Activation; !j.lost && (from < j.t.Lo || !timeline.Around(j.m.Moments[from].Activation, x)) {
		for n := to + 1; n < j.t.Hi; n++ {
			if j.m.Moments[n].Activation != x && j.m.fits(j.m.Moments[n], stack) {
				return false
			}
		}
	}
	if !j.lost {
		if to > from && from >= j.t.Lo && (j.m.unwound(from, to) || j.m.revisits(from, to)) || before != j.track {
			return false
		}
		j.passed(i, from, to, j.seen, out, p)
	} else {
		j.unsure()
	}
	j.seen, j.returned, j.behind, j.outside = i, false, true, true
	j.newly = false
	j.at, j.lost, j.upto, j.last, j.placed = to, false, j.m.owner(to).Until, p, i
	return true
}

// beside says why a pause cannot be one of the recorded run; empty if it can.
func (j *judge) beside(p *dap.Pause) string {
	switch {
	case p.Exception():
		return exceptional
	case p.Carried():
		return carried
	case len(p.Stack) >= dap.MaxFrames:
		return deep
	case !j.m.own(p):
		return elsewhere
	}
	return ""
}

// names judges what the functions on the stack at a moment are called.
func (j *judge) names(i int, p *dap.Pause, at int) {
	x := j.m.Moments[at].Activation
	for n, f := range p.Stack {
		if _, own := j.m.Files[f.File]; !own || j.m.wrapper(p, n) || x == nil {
			continue
		}
		if !j.m.goesBy(x.Func, f.Func) {
			j.check(i, "R1-pause", false, dap.DiffStack, fmt.Sprintf("the function of frame %d", n), j.m.Plan.Funcs[x.Func].Name, f.Func)
			return
		}
		x = x.Parent
	}
}

// arrive judges what came between the last pause and one that is at a moment. Before is the
// track of the goroutine that took the action. It reports whether the pause surely is at that
// moment.
func (j *judge) arrive(i int, a dap.Action, out *dap.Output, to int, before *track) bool {
	p, from, lost := out.Pause, j.at, j.lost
	seen, outside := j.seen, j.outside
	j.outside = false
	j.seen, j.returned = i, a.Kind == dap.StepOut && p.Reason == "step"
	begun := from >= j.t.Lo
	another := !begun || j.m.Moments[to].Activation != j.m.Moments[from].Activation
	// A step stays in what it began in, or goes into what that calls, or out of it.
	sideways := another && begun && before == j.track && p.Reason == "step" &&
		!timeline.Around(j.m.Moments[from].Activation, j.m.Moments[to].Activation) && !timeline.Around(j.m.Moments[to].Activation, j.m.Moments[from].Activation)
	j.unclear = ""
	switch {
	case lost || !begun:
	case sideways && !j.m.step(to).IsClear:
		j.unclear = siblings
	case j.m.unwound(from, to):
		j.unclear = unwinding
	case j.m.revisits(from, to):
		j.unclear = revisited
	}
	if j.unclear != "" {
		j.at, j.lost = from, true
		j.unsure()
		return false
	}
	if !lost && another && !j.certain(p, to) {
		j.unclear = uncertain
		j.at, j.lost = to, true
		j.unsure()
		return false
	}
	if !lost {
		j.passed(i, from, to, seen, out, p)
		// A step says something of the goroutine that took it.
		if !j.dead && before == j.track && !outside {
			j.step(i, a, from, to, p)
		}
	} else {
		j.since(i, from, to, out)
		j.unsure()
		for _, key := range p.Hit {
			if b := j.points[key]; b != nil && (b.function || j.m.executes(j.m.owner(to).Begin, b)) {
				b.done = j.m.owner(to)
			}
		}
	}
	// Behind a call the statement may have done something already.
	j.behind = j.returned || to == from && !lost
	if s := j.m.step(to); lost && p.Reason == "step" && (s.Library || len(s.Children) > 0) {
		j.behind = true
	}
	if !j.dead {
		j.values(i, p, to)
	}
	j.newly = !lost && to != from && j.m.Moments[to].Call == 0
	j.at, j.lost, j.upto, j.last, j.placed = to, false, j.m.owner(to).Until, p, i
	return true
}

// anyone judges the pause of a goroutine that may be one of several: it fits one.
func (j *judge) anyone(i int, p *dap.Pause) {
	stack := j.m.frames(p)
	j.unsure()
	j.unjudged(finding.Pauses, whose, 1)
	if len(stack) == 0 {
		j.missed("R1-pause")
		return
	}
	for n := range j.m.Moments {
		if j.m.fits(j.m.Moments[n], stack) {
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
		if j.m.Concurrent() {
			j.totals(i, out)
		}
		last := j.track
		for _, k := range j.tracks {
			if j.track = k; !j.dead && !j.lost && (len(j.m.Threads) == 1 || j.m.Whole(k.t)) {
				j.passed(i, j.at, j.t.Hi, j.seen, out, nil)
				if a := j.events[i].Action; !j.dead && k == last {
					j.interrupted(i, a, j.at, j.t.Hi, "the end")
				}
			}
		}
		if len(j.tracks) == 0 && !j.m.Concurrent() && !j.dead {
			t := j.m.Threads[0]
			j.track = &track{t: t, at: t.Lo - 1, upto: t.Lo - 1, last: &dap.Pause{}}
			j.passed(i, j.at, t.Hi, 0, out, nil)
		}
	}
	if j.assigned != "" && !j.dead && out.Exit != nil && j.m.Exit != nil {
		j.exit(i, out.Exit, j.m.Exit)
	}
}

// unsure notes that hits may have been passed without being counted.
func (j *judge) unsure() {
	for _, p := range j.points {
		p.unsure, p.open, p.done, p.due, p.printed = true, nil, nil, nil, 0
	}
}

// own reports whether a pause is in the program's code.
func (m *Model) own(p *dap.Pause) bool {
	if len(p.Stack) == 0 {
		return false
	}
	_, ok := m.Files[p.Top().File]
	return ok && !m.wrapper(p, 0)
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
	if n < j.t.Lo {
		return "the goroutine had just begun"
	}
	if n >= j.t.Hi {
		return "the goroutine had ended"
	}
	mo := j.m.Moments[n]
	f := j.m.Plan.Funcs[mo.Activation.Func]
	return fmt.Sprintf("the last pause was in %s at line %d", f.Name, mo.Activation.Steps[mo.Step].First)
}
