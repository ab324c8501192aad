package transform

import (
	"context"
	"errors"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/internal/source"
	"misstep/internal/srcedit"
)

// Follow does with a rewritten program what was done with the original, and
// holds what is shown against it as the relation says. The actions go by the
// map of lines. Pauses of a step at lines that the rewrite owns are passed by
// repeating the step; where two lines have become one, a step between them is
// left out.
func Follow(ctx context.Context, rel *Relation, base []dap.Event, s *dap.Session) (*Driver, error) {
	d := &Driver{Base: base, Source: rel.New, Session: s, ctx: ctx}
	return d, d.follow(rel)
}

func (d *Driver) follow(rel *Relation) error {
	switch a := d.Session.Adapter(); {
	case rel.Faults && a.NoVariables:
		return NotMadef("%s does not know Go, and pauses at a fault that the program recovers from", a.Name)
	case rel.Child && !a.Follows():
		return NotMadef("%s does not follow what the program executes", a.Name)
	}
	var was *dap.Pause // of the base
	gone := false      // the base has left what can be compared
	off := false       // the base is at another point of the same line
	skipped := false   // it stepped over the rest of a line to one that is vague
	joined := false    // at the second of two lines that are one now
	mapped := false    // a command has other paths shown
	for i := range d.Base {
		e := &d.Base[i]
		if rel.leaves(was, e) {
			gone = true
		}
		if gone && e.Action.Kind != dap.Finish && e.Action.Kind != dap.Disconnect {
			continue
		}
		if e.Action.Kind.Steps() && rel.absorbed(was, e.Output.Pause) {
			off = true
			skipped = skipped || e.Action.Kind != dap.StepIn && rel.vagueAt(e.Output.Pause) && placeOf(was.Top()) != placeOf(e.Output.Pause.Top())
			joined = joined || placeOf(was.Top()) != placeOf(e.Output.Pause.Top()) && !rel.vagueAt(e.Output.Pause)
			was = e.Output.Pause
			continue
		}
		if off {
			switch kind := e.Action.Kind; {
			case kind.Meaning().Effect == dap.Asks:
				continue
			case kind.Meaning().Effect == dap.Assigns:
				return NotMadef("a variable is set, or a function called, between two points of one line")
			case kind == dap.StepIn:
				if skipped {
					return NotMadef("the base steps in from a line that is not compared, and stepped over the one before")
				}
				if joined {
					return NotMadef("the base steps into a call of the second of two statements that share a line now")
				}
			}
		}
		if e.Action.Kind.Resumes() {
			off, joined, skipped = false, false, false
		}
		before := d.Session.Pause()
		if e.Action.Kind == dap.StepOut && before != nil && len(before.Stack) > 0 && panicking(before.Top()) && rel.Old != rel.New {
			return NotMadef("the base steps out of a function that panics (tolerance panic-frames)")
		}
		a, ok := rel.action(e.Action, was, before)
		if mapped = e.Action.MapsPaths(mapped); !ok || mapped && a.Kind == dap.Stack {
			continue // the prompt is left out, and so is what it had shown
		}
		out, err := d.Do(a)
		if err != nil {
			var m *Mismatch
			if errors.As(err, &m) {
				m.Index = i
			}
			return err
		}
		if a.Kind.Steps() {
			if out, err = d.pass(rel, a, before, was, e.Output.Pause, out); err != nil {
				return err
			}
		}
		if err := d.hold(rel, i, was, before, a, out); err != nil {
			return err
		}
		switch {
		case e.Output.Pause != nil:
			was = e.Output.Pause
		case e.Action.Kind.Resumes(), e.Action.Kind == dap.Restart:
			was = nil
		}
	}
	return nil
}

// hold compares one output.
func (d *Driver) hold(rel *Relation, i int, was, before *dap.Pause, a dap.Action, out *dap.Output) error {
	e := &d.Base[i]
	frame := func(p *dap.Pause, n int) dap.Frame {
		if p == nil || n < 0 || n >= len(p.Stack) {
			return dap.Frame{}
		}
		return p.Stack[n]
	}
	if rel.vagueAt(e.Output.Pause) {
		return nil // it returned there; where exactly is not compared
	}
	if b, c := e.Output.Breakpoint, out.Breakpoint; b != nil && c != nil && !b.Verified && c.Verified && a.Kind == dap.Break {
		// Tolerance dead-lines: a line that the compiler knew never to run, or to do
		// nothing, may have code now. If it runs, the pause there is compared.
		return nil
	}
	if e.Action.Kind.Steps() && e.Output.Pause != nil && out.Pause != nil &&
		rel.atCallOf(was, e.Output.Pause) && !rel.atCall(before, out.Pause) && rel.depth(out.Pause) == len(rel.expectStack(e.Output.Pause.Stack)) {
		return NotMadef("the new program returned to the statement after the call (tolerance return-line)")
	}
	d.Checks++
	want := rel.expect(lasting(a, &e.Output), frame(was, e.Action.Frame))
	got, diff := rel.strip(lasting(a, out), frame(before, a.Frame))
	if diff == nil {
		lens := d.Lens(dap.Lens{NoPlace: true, NoReason: len(rel.Hardcoded) > 0, NoThreads: rel.Crowded}, a.Frame)
		if before != nil && a.Frame < len(before.Stack) && a.Kind != dap.Stack {
			lens.Frame = before.Stack[a.Frame]
		}
		// The frames as the two debuggers name them: what is known only of one of
		// the two is not known.
		old, now := frame(was, e.Action.Frame), frame(before, a.Frame)
		if e.Output.Pause != nil && out.Pause != nil {
			old, now = e.Output.Pause.Top(), out.Pause.Top()
		}
		lens.Settled = func(_ dap.Frame, name string) bool {
			_, line, _ := rel.back(placeOf(now))
			return rel.New.Settled(placeOf(now), now.Func, name) && rel.Old.Settled(placeOf(old), old.Func, rel.oldName(name, line))
		}
		diff = dap.Diff(want, got, lens)
	}
	if diff != nil {
		return &Mismatch{Index: i, Action: e.Action, At: place(&e.Output), Diff: diff}
	}
	return nil
}

// pass repeats a step as long as the new program is paused where the old one
// cannot be.
func (d *Driver) pass(rel *Relation, a dap.Action, before, was, next *dap.Pause, out *dap.Output) (*dap.Output, error) {
	heard := *out
	left := false // the line has been left, and may have come again
	var err error
	for n := 0; out.Pause != nil && out.Pause.Reason == "step" && len(out.Pause.Hit) == 0; n++ {
		step := a
		top := out.Pause.Top()
		switch {
		case rel.ownFunc(top) && len(rel.RangeFunc) > 0:
			step.Kind = dap.StepIn // an iterator calls the body of the loop
		case rel.ownFunc(top):
			step.Kind = dap.StepOut
		case rel.owned(top):
			step.Kind = rel.throughOwned(a.Kind, before, out.Pause)
		case a.Kind == dap.StepOut && before != nil && before.Thread == out.Pause.Thread && rel.depth(before) == rel.depth(out.Pause) && !panicking(top) && len(rel.Captured)+len(rel.OwnFuncs) > 0:
			// Only a function literal of the rewrite's was left.
		case rel.atCall(before, out.Pause) && !rel.atCallOf(was, next) && !rel.same(next, out.Pause):
			// Tolerance return-line: where a call ends its line, a step out of it ends
			// at that line or at the next statement.
			step.Kind = dap.Next
		case rel.vagueIn(out.Pause) && !rel.vagueAt(next):
			if a.Kind == dap.StepOut {
				return nil, NotMadef("the new program returned after the call, to a line that is not compared (tolerance return-line)")
			}
			left = true
		case !left && rel.piece(before, out.Pause):
			// The old line is several new ones, or another call stood before. Where
			// two places of one line are paused at one after the other, they count as
			// one (tolerance same-line).
		default:
			out.Logs, out.Speakers = heard.Logs, heard.Speakers
			return out, nil
		}
		if n == MaxInserted {
			return nil, NotMadef("more than %d pauses at lines of the transformation's own", MaxInserted)
		}
		if next != nil && len(next.Hit) > 0 && rel.same(next, out.Pause) {
			// A step and a breakpoint end at one place, and which of the two it is said to be is the debugger's
			// choice; it comes once.
			return nil, NotMadef("an additional step ends where a breakpoint pauses the base")
		}
		if out, err = d.Do(step); err != nil {
			return nil, err
		}
		heard = heard.Then(out)
	}
	out.Logs, out.Speakers = heard.Logs, heard.Speakers
	return out, nil
}

// throughOwned is the step that goes on, as a step does, from a line of the rewrite's own.
func (r *Relation) throughOwned(kind dap.Kind, before, now *dap.Pause) dap.Kind {
	switch {
	case kind == dap.StepOut && (before == nil || r.depth(before) != r.depth(now)):
		if len(r.Captured) > 0 && before != nil && !returned(before.Stack, now.Stack) {
			return dap.StepIn // the literal's line has come, and the literal is yet to be called
		}
		return dap.Next // the call was left, the line is not
	case len(r.Captured) > 0 && kind == dap.Next:
		return dap.StepIn // the statements are in a function literal now
	}
	return kind
}

// depth counts the frames that have a counterpart. The body of a loop over a
// function counts as the function around the loop.
func (r *Relation) depth(p *dap.Pause) int {
	stack := r.stripStack(p.Stack)
	if len(stack) > 0 && strings.Contains(p.Top().Func, "-range") {
		around := outermost(p.Top().Func)
		for i, f := range stack[1:] {
			if outermost(f.Func) == around {
				return len(stack) - i - 1
			}
		}
	}
	return len(stack)
}

// piece reports whether two pauses of the new program are in the same activation
// at the same old line.
func (r *Relation) piece(a, b *dap.Pause) bool {
	if a == nil || b == nil || r.depth(a) != r.depth(b) || a.Thread != b.Thread {
		return false
	}
	x, line, okA := r.back(placeOf(a.Top()))
	y, _, okB := r.back(placeOf(b.Top()))
	if r.oldFunc(a.Top()) != r.oldFunc(b.Top()) && !slices.ContainsFunc(r.RangeFunc, func(l Lines) bool { return l.Has(line) }) {
		return false // such as the body of a loop over a function, and its head
	}
	return okA && okB && x == y
}

// same reports whether a pause of the new program is at the line where one of the
// old program is now.
func (r *Relation) same(old, now *dap.Pause) bool {
	if old == nil {
		return false
	}
	to, ok := r.forward(placeOf(old.Top()))
	return ok && to == placeOf(now.Top())
}

// atCall reports whether a step of the new program has returned to the line of the
// call it was in; the two pauses are before and after it.
func (r *Relation) atCall(before, after *dap.Pause) bool {
	if before == nil {
		return false
	}
	a, b := r.stripStack(before.Stack), r.stripStack(after.Stack)
	return returned(a, b)
}

// atCallOf is the same of the old program.
func (r *Relation) atCallOf(before, after *dap.Pause) bool {
	return before != nil && after != nil && returned(before.Stack, after.Stack)
}

// returned reports whether the innermost frame of the second stack is at the line
// of a call on the first.
func returned(before, after []dap.Frame) bool {
	i := len(before) - len(after)
	return i > 0 && len(after) > 0 && placeOf(before[i]) == placeOf(after[0])
}

func samePlace(a, b *dap.Pause) bool {
	return a != nil && b != nil && len(a.Stack) == len(b.Stack) && placeOf(a.Top()) == placeOf(b.Top())
}

// absorbed reports whether a step of the base stayed in its activation and at its
// line, went to a vague line, or from one line to another that are one now.
func (r *Relation) absorbed(a, b *dap.Pause) bool {
	if a == nil || b == nil || len(a.Stack) != len(b.Stack) || a.Thread != b.Thread || len(b.Hit) > 0 || b.Reason != "step" {
		return false
	}
	if a.Top().Func == b.Top().Func && (r.vagueAt(b) || samePlace(a, b)) {
		return true
	}
	x, y := placeOf(a.Top()), placeOf(b.Top())
	to, okX := r.forward(x)
	too, okY := r.forward(y)
	return x != y && okX && okY && to == too && a.Top().Func == b.Top().Func
}

// leaves reports whether an event of the base steps out of the function below
// which nothing is compared.
func (r *Relation) leaves(was *dap.Pause, e *dap.Event) bool {
	return r.Bottom != "" && e.Action.Kind.Steps() && has(was, r.Bottom) && e.Output.Pause != nil && !has(e.Output.Pause, r.Bottom)
}

func has(p *dap.Pause, fn string) bool {
	if p == nil {
		return false
	}
	for _, f := range p.Stack {
		if f.Func == fn {
			return true
		}
	}
	return false
}

// A View says what of a session with another build of the same source is the same.
type View int

const (
	Whole         View = iota // all
	AtBreakpoints             // what is shown at breakpoints: the build is optimised
	Inlined                   // the variables that are shown at breakpoints: functions are inlined, and no more
	ByName                    // which functions are hit: the build has no debug information
)

// FollowBuild does with another build of the same source what was done with the first, and
// holds what is shown against it, as far as the view says.
func FollowBuild(ctx context.Context, view View, base []dap.Event, src *source.Source, s *dap.Session) (*Driver, error) {
	rel := &Relation{Old: src, New: src, Lines: &srcedit.Map{}}
	d := &Driver{Base: base, Source: src, Session: s, ctx: ctx}
	switch view {
	case AtBreakpoints, Inlined:
		return d, d.optimised(rel, view == Inlined)
	case ByName:
		return d, d.byName()
	}
	return d, d.follow(rel)
}
