package reference

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/finding"
	"misstep/history"
	"misstep/history/record"
	"misstep/history/timeline"
	"misstep/internal/gobuild"
	"misstep/internal/proc"
	"misstep/oracle"
)

// A Model is a program's recorded run, by which sessions are judged.
type Model struct{ *timeline.Run }

// Record records runs of a program, with probes, and makes a model of them. A program
// that cannot be recorded has a model that says why. The program is built into a folder,
// which has to stay as long as the model is used.
func Record(ctx context.Context, keeper *proc.Keeper, cache *gobuild.Cache, p *gobuild.Program, e gobuild.Engine, lim gobuild.Limits, dir string, probes Probes) (*Model, error) {
	if e.Optimises(p) {
		// Statements move, merge and vanish, and variables with them.
		return Unrecorded("its build is optimised"), nil
	}
	if e.Stripped(p) {
		return Unrecorded("its build has no debug information"), nil
	}
	run, err := timeline.Record(ctx, keeper, cache, p, e, lim, dir, probes.ask)
	if err != nil {
		return nil, err
	}
	return &Model{run}, nil
}

// Unrecorded is the model of a program that is not recorded, for a reason. It judges nothing, and counts that.
func Unrecorded(why string) *Model { return &Model{&timeline.Run{Why: why}} }

// A judge follows one session.
type judge struct {
	ctx     context.Context
	m       *Model // of the run with what the session has assigned
	plain   *Model // without
	session *oracle.Seen
	events  []dap.Event
	tally   *finding.Tally
	found   []*finding.Finding

	// track is that of the goroutine that the session shows, of all tracks by its
	// number there.
	*track
	tracks map[int]*track
	// moved is the action that the program was let run by, and shown the pause before it; nil if
	// there was none.
	moved dap.Kind
	shown *dap.Pause
	// nameless are those that have paused without it being known which one they are.
	nameless map[int]bool
	// suspects are the goroutines of the history that one of these may be.
	suspects map[int]suspects

	stirs       []int                    // see calm
	points      map[string]*point        // by what they were asked as
	data        map[string]*dataPoint    // the data breakpoints by name; nil for one of which nothing is known
	conditional bool                     // one of these has a condition, whose evaluation may fail at any write
	functions   map[string]*history.Func // see declared
	started     bool
	restarts    bool
	sets        []record.Set
	assigned    string // the last assignment or call that was made, or empty
	assigning   string // the rule that judges by it
	fresh       bool   // it was made at this pause
	called      bool   // the debugger was asked to call something
	partway     bool   // the last step was one instruction long, or one was paused at, so that it may be anywhere in a statement
	// before is the step at which it was made: values that were recorded there were so before.
	before *timeline.Step
	// slipped says that what was supposed of where the session is does not hold.
	slipped bool
	dead    bool   // nothing can be judged any more
	why     string // that is so
	over    bool   // it stays so
	// unheld says that the last pause need not be before runs of the program differ.
	unheld bool
	// unclear is why the last pause is not placed.
	unclear string
}

// Judge implements [oracle.Check]: it holds a session against the history. Where the
// session assigned to a variable, the program is recorded again with that assignment. The
// error is that of the recorder.
func (m *Model) Judge(ctx context.Context, seen *oracle.Seen) ([]*finding.Finding, *finding.Tally, error) {
	events := seen.Events
	j := &judge{ctx: ctx, m: m, plain: m, session: seen, events: events, tally: &finding.Tally{}, points: map[string]*point{}, data: map[string]*dataPoint{}, tracks: map[int]*track{}, nameless: map[int]bool{}, suspects: map[int]suspects{}}
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

// event follows one action of the session. What the judge does with each kind is in
// followed; of one that it does not know, it does not know either where the session is
// then.
func (j *judge) event(i int) error {
	a, out := j.events[i].Action, &j.events[i].Output
	if out.Kind.Fatal() {
		if out.Kind == dap.Timeout || out.Kind == dap.Hang && strings.Contains(out.Text, dap.AfterRun) {
			j.hangs(i, a)
		}
		j.dead, j.over = true, true
		return nil
	}
	if a.Kind == "" {
		return nil // the launch
	}
	if a.Thread > 0 && !a.Kind.Resumes() {
		return j.another(i, a, out)
	}
	follow, known := followed[a.Kind]
	if !known && a.Kind.Meaning().Effect == dap.Asks && a.Kind.Meaning().Kind != "" {
		return nil
	}
	if !known {
		j.missed("action " + string(a.Kind))
		if j.track != nil {
			j.lose(j.at)
		}
		j.unsure()
		return nil
	}
	return follow(j, i, a, out)
}

// resume judges what an action led to that let the program run.
func (j *judge) resume(i int, a dap.Action, out *dap.Output) {
	p := out.Pause
	j.moved, j.shown, j.unheld = a.Kind, j.pause(i), !j.held(a)
	for key, b := range j.points {
		b.pauses += len(messages(out, key))
		if p != nil && slices.Contains(p.Hit, key) {
			b.pauses++
		}
	}
	if p == nil {
		if out.Kind == dap.Refused || out.Kind == dap.Unsupported {
			j.stayed(i, a, out)
			return
		}
		switch {
		case out.Kind != dap.Ended:
		case j.misused(i):
			// What should have been refused may have started the program anew.
			j.missed("R8-end")
		default:
			j.ended(i, out)
		}
		j.dead, j.over = true, true
		return
	}
	if bad := j.impossible(i, a, p); bad != nil {
		if j.track != nil {
			j.lose(j.at)
		}
		j.unsure()
		j.check(i, "R1-pause", false, bad.kind, bad.what, bad.want, bad.got)
		return
	}
	j.partway = j.partway || j.inMiddle(p)
	before := j.track
	if why := j.beside(p); why != "" {
		known := false
		switch {
		case why != elsewhere && why != exceptional || !j.find(p):
		case len(j.m.frames(p)) == 0:
			known = why == elsewhere && j.gone(i, a, p, out, before)
		default:
			known = j.inside(i, p, out, before)
		}
		if known {
			j.made("R1-pause")
			j.judged(finding.Pauses, 1)
			j.unjudged(finding.Variables, foreign, count(p.Scopes))
			return
		}
		// Where the runtime or a library is paused at is not in the history.
		if j.find(p) {
			// Where the program's one goroutine has gone, the pause is on another thread.
			found, gone := j.track, p.Exception() && len(j.m.frames(p)) == 0 && !j.m.Concurrent()
			for _, k := range j.tracks {
				if k == found || gone {
					j.track = k
					j.lose(j.at)
				}
			}
			j.track = found
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
	if p.Exception() {
		b := j.failing(p)
		if b == nil {
			j.refused(i, p)
			return
		}
		b.fails = true
	}
	var to int
	var why string
	if p.Reason == dataReason {
		var ok bool
		if to, ok = j.placeData(i, p, from); !ok {
			return
		}
	} else {
		to, why = j.match(p, from, lost)
	}
	if to < 0 && !lost && why == "" {
		j.lose(from)
		to, lost = j.anywhere(p), true
	}
	if to < 0 {
		if stack := j.m.frames(p); (lost || why == "") && !j.happens(stack) {
			why, lost = "functions that never call each other so", false
		}
		if !lost && why != "" && !j.m.Whole(j.t) && j.t.Lo > 0 {
			// It goes on longer than it did in the recorded run.
			why, j.unclear = "", endless
		}
		if lost || why == "" {
			j.missed("R1-pause")
			if a.Instruction && j.unclear == ambiguous {
				j.unclear = single
			}
			j.unjudged(finding.Pauses, j.unclear, 1)
			may := j.may
			j.lose(j.at)
			j.may = may
			j.unsure()
			return
		}
		if why == conditional {
			b := j.points[p.Hit[0]]
			j.check(i, "R7-condition", false, dap.DiffLocation, "a pause at "+p.Hit[0]+" on the condition "+b.condition, "false at each execution that may be the one", "true")
			return
		}
		if why == uncountedHit {
			b := j.points[p.Hit[0]]
			j.check(i, "R7-hit", false, dap.DiffLocation, "a pause at "+p.Hit[0]+", with the hit condition "+b.hit, fmt.Sprintf("none, after %d executions", b.hits), "a pause")
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

// arrive judges what came between the last pause and one that is at a moment. Before is the
// track of the goroutine that took the action. It reports whether the pause surely is at that
// moment.
func (j *judge) arrive(i int, a dap.Action, out *dap.Output, to int, before *track) bool {
	if to >= j.m.Sure && j.unheld {
		j.chance()
		j.unclear = byChance
		return false
	}
	j.unheld = false
	p, from, lost := out.Pause, j.at, j.lost
	seen, outside, supposed := j.seen, j.outside, j.supposed
	j.outside = false
	j.seen, j.returned = i, a.Kind == dap.StepOut && p.Reason == "step"
	begun := from >= j.t.Lo
	another := !begun || !sameCall(j.m.Moments[to].Activation, j.m.Moments[from].Activation)
	// A step stays in what it began in, or goes into what that calls, or out of it.
	sideways := another && begun && before == j.track && p.Reason == "step" &&
		!timeline.Around(j.m.Moments[from].Activation, j.m.Moments[to].Activation) && !timeline.Around(j.m.Moments[to].Activation, j.m.Moments[from].Activation)
	if !lost && begun && !j.dead {
		if over := j.passedOver(from, to, p); over != nil && !j.backOrNext(i, a, over, from, to, p) {
			return false
		}
	}
	j.unclear = ""
	switch {
	case lost || !begun:
	case sideways && (!j.m.step(to).IsClear || j.m.ends(from, j.m.frames(p)[0])):
		j.unclear = siblings
	case j.m.unwound(from, to):
		j.unclear = unwinding
	case j.m.revisits(from, to), p.Reason == "step" && j.m.closes(from, to):
		j.unclear = revisited
	}
	if j.unclear != "" {
		j.lose(from)
		if to = j.anywhere(p); to < 0 {
			j.unsure()
			return false
		}
		lost, another = true, true
	}
	if !lost && another && !j.certain(p, to) {
		j.unclear = uncertain
		s, _ := j.seek(p)
		j.lose(to)
		j.may = j.candidates(s, j.fitting(s, to))
		j.unsure()
		return false
	}
	if !lost {
		// In another call there is much that may have been passed by, or it is the same call and the lines came in
		// another order: that the step ended there is wrong in either case.
		if sideways {
			j.step(i, a, from, to, p)
		}
		if !j.dead {
			j.passed(i, from, to, seen, out, p)
		}
		// It is hit at this execution, also where that is one of a statement which the session was in.
		for _, key := range p.Hit {
			if b := j.points[key]; b != nil && !b.function && j.m.executes(j.m.owner(to).Begin, b) {
				b.done = j.m.owner(to)
			}
		}
		// A step says something of the goroutine that took it.
		if !j.dead && before == j.track && !outside && !sideways {
			j.step(i, a, from, to, p)
		}
	} else {
		j.unsure()
		for _, key := range p.Hit {
			if b := j.points[key]; b != nil && (b.function || j.m.executes(j.m.owner(to).Begin, b)) {
				b.done = j.m.owner(to)
			}
		}
	}
	if j.dead && j.strays() {
		return true // and is where it was, or later
	}
	// Behind a call the statement may have done something already.
	j.behind = j.returned && j.m.Moments[to].Call > 0 || to == from && !lost || p.Reason == dataReason
	j.stays = to == from || outside // so that the statement may have gone on since the call
	if s := j.m.step(to); lost && p.Reason == "step" && (s.Library || len(s.Children) > 0) {
		j.behind = true
	}
	if !j.dead {
		j.innermost(i, p, to)
	}
	j.newly = (lost || to != from) && j.m.Moments[to].Call == 0 && !j.returned // a step out ends in the middle of what it left
	if len(p.Hit) > 0 {
		j.struck = struck{to, p.Top().Place}
	}
	j.at, j.lost, j.may, j.upto, j.last, j.placed = to, false, nil, j.m.owner(to).Until, p, i
	if lost {
		j.picked = to
	}
	if j.supposed = j.supposed && !j.proves(p, to); lost || supposed && !j.supposed {
		if !j.supposed && !j.astray && !j.dead {
			j.since(i, j.floor, to, out)
		}
		j.astray = j.astray && j.supposed
	}
	return true
}

// anyone judges the pause of a goroutine that may be one of several: it fits one.
func (j *judge) anyone(i int, p *dap.Pause) {
	stack := j.m.frames(p)
	j.nameless[p.Thread] = true
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
	finish := j.events[i].Action.Kind == dap.Finish || j.events[i].Action.Kind == dap.Detach
	if !finish && j.m.Sure == len(j.m.Moments) {
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
	if j.assigned != "" && !j.restarts && !j.dead && out.Exit != nil && j.m.Exit != nil {
		j.exit(i, out.Exit, j.m.Exit)
	}
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
