package transform

import (
	"context"
	"errors"

	"misstep/dap"
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
	var was *dap.Pause // of the base
	gone := false      // the base has left what can be compared
	for i := range d.Base {
		e := &d.Base[i]
		if rel.leaves(was, e) {
			gone = true
		}
		if gone && e.Action.Kind != dap.Finish && e.Action.Kind != dap.Disconnect {
			continue
		}
		if e.Action.Kind.Steps() && rel.absorbed(was, e.Output.Pause) {
			was = e.Output.Pause
			continue
		}
		before := d.Session.Pause()
		a, ok := rel.action(e.Action, was, before)
		if !ok {
			continue
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
	d.Checks++
	want := rel.expect(&e.Output, frame(was, e.Action.Frame))
	got, diff := rel.strip(out, frame(before, a.Frame))
	if diff == nil {
		lens := d.lens(dap.Lens{NoPlace: true}, a.Frame)
		if before != nil && a.Frame < len(before.Stack) && a.Kind != dap.Stack {
			lens.Frame = before.Stack[a.Frame]
		}
		settled := lens.Settled
		lens.Settled = func(f dap.Frame, name string) bool {
			// The frame of a pause is in the new program's lines, with the old
			// function's name; what is known only of one of the two is not known.
			if !settled(f, name) {
				return false
			}
			old, line, ok := rel.back(placeOf(f))
			return ok && rel.Old.Settled(old, f.Func, rel.oldName(name, line))
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
	logs, speakers := out.Logs, out.Speakers
	var err error
	for n := 0; out.Pause != nil && out.Pause.Reason == "step" && len(out.Pause.Hit) == 0; n++ {
		step := a
		top := out.Pause.Top()
		switch {
		case rel.ownFunc(top):
			step.Kind = dap.StepOut
		case rel.owned(top):
			if len(rel.Captured) > 0 && a.Kind == dap.Next {
				step.Kind = dap.StepIn // the statements are in a function literal now
			}
		case rel.vagueIn(out.Pause) && !rel.vagueAt(next):
		case rel.piece(before, out.Pause) && !samePlace(was, next):
			// The old line is several new ones, or another call stood before.
		default:
			out.Logs, out.Speakers = logs, speakers
			return out, nil
		}
		if n == maxInserted {
			return nil, notMade("more than %d pauses at lines of the transformation's own", maxInserted)
		}
		if out, err = d.Do(step); err != nil {
			return nil, err
		}
		logs, speakers = append(logs, out.Logs...), append(speakers, out.Speakers...)
	}
	out.Logs, out.Speakers = logs, speakers
	return out, nil
}

// depth counts the frames that have a counterpart.
func (r *Relation) depth(p *dap.Pause) int { return len(r.stripStack(p.Stack)) }

// piece tells whether two pauses of the new program are in the same activation
// at the same old line.
func (r *Relation) piece(a, b *dap.Pause) bool {
	if a == nil || b == nil || r.depth(a) != r.depth(b) || a.Thread != b.Thread {
		return false
	}
	x, _, okA := r.back(placeOf(a.Top()))
	y, _, okB := r.back(placeOf(b.Top()))
	return okA && okB && x == y
}

func samePlace(a, b *dap.Pause) bool {
	return a != nil && b != nil && len(a.Stack) == len(b.Stack) && placeOf(a.Top()) == placeOf(b.Top())
}

// absorbed tells whether a step of the base stayed in its activation and went to
// a vague line, or from one line to another that are one now.
func (r *Relation) absorbed(a, b *dap.Pause) bool {
	if a == nil || b == nil || len(a.Stack) != len(b.Stack) || a.Thread != b.Thread || len(b.Hit) > 0 || b.Reason != "step" {
		return false
	}
	if a.Top().Func == b.Top().Func && r.vagueAt(b) {
		return true
	}
	x, y := placeOf(a.Top()), placeOf(b.Top())
	to, okX := r.forward(x)
	too, okY := r.forward(y)
	return x != y && okX && okY && to == too && a.Top().Func == b.Top().Func
}

// leaves tells whether an event of the base steps out of the function below
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
