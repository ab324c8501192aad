package reference

import (
	"slices"
	"strings"

	"misstep/dap"
	"misstep/history/timeline"
	"misstep/internal/source"
)

// instance reports whether a pause is in another instance of the generic function that the last one was
// in, and so in another call of it.
func (j *judge) instance(p *dap.Pause) bool {
	was, is := j.last.Top().Func, p.Top().Func
	return was != is && strings.Contains(is, "[") && source.WithoutTypes(was) == source.WithoutTypes(is)
}

// short reports whether the last pause was a step's that ended on the line of a breakpoint, but
// not at its instruction, so that it is still to be hit there: on a jump that the compiler
// gives the line, or before a function's prologue.
func (j *judge) short(p *dap.Pause) bool {
	if !j.newly || j.last.Reason != "step" || j.last.Top().Line != p.Top().Line || j.last.Top().Place == "" || p.Top().Place == "" || j.last.Top().Place == p.Top().Place {
		return false
	}
	leads, known := j.direct(j.last.Top().Place, p.Top().Place)
	return leads || !known
}

// later reports whether a breakpoint was hit at an instruction of the line on which the last step ended, at which that ended, or to which the
// code does not lead from there by way of that line alone: the line is executed once more.
func (j *judge) later(p *dap.Pause) bool {
	was, is := j.last.Top(), p.Top()
	if j.last.Reason != "step" || was.Func != is.Func || was.Line != is.Line || was.Place == "" || len(j.last.Stack) != len(p.Stack) {
		return false
	}
	if was.Place == is.Place {
		return true
	}
	leads, known := j.direct(was.Place, is.Place)
	return known && !leads
}

// onceMore reports whether a line may be executed once more at a moment after another one: something on another line is executed between them, the
// same part of a statement was before, or another call of the function has begun.
func (m *Model) onceMore(from, to, line int) bool {
	was, is := m.Moments[from], m.Moments[to]
	if was.Activation != is.Activation {
		return true
	}
	at := is.Activation.Steps[is.Step]
	return slices.ContainsFunc(was.Activation.Steps[was.Step:is.Step], func(s timeline.Step) bool {
		return s.Node != nil && (s.First != line || s.Node == at.Node && s.Part == at.Part)
	})
}

// stood reports whether the last pause was a step's, at the very instruction of this one.
func (j *judge) stood(p *dap.Pause) bool {
	return !j.lost && j.at >= j.t.Lo && j.last.Reason == "step" && j.last.Top().Place != "" && j.last.Top().Place == p.Top().Place
}

// midway reports whether the last pause was that of a step one instruction long, or one at data, on the line of this one: a
// breakpoint there may be still ahead, or have been left.
func (j *judge) midway(p *dap.Pause) bool {
	return j.at >= j.t.Lo && (j.events[j.placed].Action.Instruction || j.last.Reason == dataReason) && j.last.Top().Line == p.Top().Line
}

// setHere reports whether a breakpoint was set where the session paused, and pauses there again:
// some debuggers hit it at once, others only when they come there the next time.
func (j *judge) setHere(b *point, p *dap.Pause) bool {
	return b != nil && b.since > j.placed && !j.lost && j.at >= j.t.Lo && j.last.Top().Line == p.Top().Line && j.last.Top().File == p.Top().File
}

// setMeanwhile reports whether a breakpoint was set after the goroutine may have gone on from where
// it was seen last, while others were followed: of one that was not seen yet, after the program began.
func (j *judge) setMeanwhile(b *point) bool {
	if b != nil && j.at < j.t.Lo {
		return !b.early
	}
	return b != nil && j.at >= j.t.Lo && b.since > j.placed && slices.ContainsFunc(j.events[j.placed+1:b.since], func(e dap.Event) bool { return e.Action.Kind.Resumes() })
}
