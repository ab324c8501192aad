package reference

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/finding"
)

// Why pauses are not placed in the recorded run.
const (
	hardCoded    = "at a breakpoint of the program's own"
	exceptional  = "paused by a panic or a signal"
	carried      = "bodies of loops over functions, or what the debugger was asked to call, are on the stack"
	deep         = "the stack is deeper than what is asked for"
	elsewhere    = "in the runtime, in a library, or in a function that the compiler made"
	whose        = "which of several goroutines it is, is not known"
	single       = "a step of one instruction, after which several executions fit"
	ambiguous    = "several executions of the recorded run fit, since the one before is not known"
	revisited    = "lines of a switch, a select or a return that defers come again, in an order of the compiler's"
	unwinding    = "a panic ended functions on the way"
	siblings     = "another call than the one that was stepped in fits"
	uncertain    = "a line that surely has no code of its own, in another call"
	anyOrder     = "parts of a statement come in an order of the compiler's"
	nothing      = "no execution of the recorded run fits, on a line of no statement"
	afterFound   = "after a finding"
	afterSet     = "after an assignment that was not recorded"
	afterTime    = "after something that depends on time"
	afterWriting = "after the program's memory was written"
	brokenCode   = "a breakpoint was put into the middle of an instruction"
	endless      = "after what is recorded of a goroutine that the program's end cuts off"
	byChance     = "after something that depends on chance, such as the order of a map"
	unfollowed   = "of an action that the model does not follow"
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
		if left := shown[kind] - (j.tally.Account(kind).Total() - before[kind]); left > 0 {
			j.unjudged(kind, cmp.Or(j.why, map[string]string{finding.Pauses: unfollowed}[kind], unplaced), left)
		}
	}
	if j.why == afterFound && !j.over {
		j.why = ""
	}
	return nil
}

// recover goes on after a finding. A wrong value says nothing of what comes; after a wrong place
// the session is picked up where it surely is again, so that what follows from that place is
// not another finding. Of a class, the first one is kept.
func (j *judge) recover(before int) {
	if j.slipped {
		j.lose(j.at)
		j.unsure()
		j.slipped, j.dead = false, j.over
		return
	}
	if len(j.found) == before {
		return
	}
	j.why = afterFound
	strays := j.strays()
	last := j.found[len(j.found)-1]
	if slices.ContainsFunc(j.found[:before], func(f *finding.Finding) bool { return f.Class == last.Class }) {
		j.found = j.found[:before]
	}
	switch last.Kind {
	case dap.DiffVariables, dap.DiffLog, dap.DiffAnswer, dap.DiffBreakpoint, dap.DiffLocation, dap.DiffStack:
	default:
		j.over = true
	}
	if strays {
		for _, k := range j.tracks {
			k.lose(k.at)
			k.astray = true
		}
		j.unsure()
	}
	j.dead = j.over
}

// strays reports whether the last finding is that the session is not where it should be.
func (j *judge) strays() bool {
	if j.slipped || len(j.found) == 0 {
		return j.slipped
	}
	kind := j.found[len(j.found)-1].Kind
	return kind == dap.DiffLocation || kind == dap.DiffStack
}

// made counts a check that held. It is one of what holds for each goroutine, and of
// what holds after an assignment, too.
func (j *judge) made(rule string) {
	j.count(rule)
	if j.m.Concurrent() && rule != "R11-goroutine" {
		j.count("R11-goroutine")
	}
	if j.assigned != "" && rule != j.assigning && rule != "R9-evaluate" {
		j.count(j.assigning)
	}
}

func (j *judge) check(i int, rule string, ok bool, kind dap.DiffKind, what, truth, shown string) {
	if ok {
		j.made(rule)
		return
	}
	if j.unheld && rule != "R8-end" {
		j.missed(rule)
		j.chance()
		return
	}
	if j.track != nil && j.supposed && (kind == dap.DiffLocation || kind == dap.DiffStack || kind == dap.DiffVariables || kind == dap.DiffLog) {
		j.missed(rule)
		j.slipped, j.dead = true, true
		return
	}
	j.count(rule)
	switch {
	case truth == readable, kind == dap.DiffBreakpoint:
		// No assignment and no other goroutine has to do with that.
	case j.assigned != "" && rule != "R9-evaluate":
		what = fmt.Sprintf("%s, after %s (%s)", what, j.assigned, rule)
		rule = j.assigning
		j.count(rule)
	case strings.HasPrefix(rule, "R9-") && j.events[i].Action.Thread == 0:
		// Nor with what an expression means where the program has paused.
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
