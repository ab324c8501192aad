package gen

import (
	"math/rand/v2"
	"slices"

	"misstep/dap"
	"misstep/internal/source"
)

// A Walker goes through a program by single instructions: between a comparison and the jump that follows it, into calls, out
// of returns. On the way it sets breakpoints at instructions that it has seen, calls functions of the program, which must
// leave no trace, and asks for the instructions themselves. Now and then it lets the program run on.
type Walker struct {
	r     *rand.Rand
	src   *source.Source
	plan  []dap.Action
	seen  []string // places that it has been at
	steps int      // what is left of them
	leave bool     // the session ends half way
}

// walkerSteps bounds the steps of a walk, and walkerPoints the breakpoints that it has at a time.
const walkerSteps, walkerPoints = 60, 6

// NewWalker makes a walker whose choices depend on the seed, the source, lines of other files than that has, and what the view
// shows, and on nothing else.
func NewWalker(seed uint64, src *source.Source, others []source.Place) *Walker {
	w := &Walker{r: rand.New(rand.NewPCG(seed, 0x77616c6b)), src: src, steps: walkerSteps}
	w.leave = w.r.IntN(3) == 0
	if w.r.IntN(2) == 0 {
		// At a function's first instruction nothing of it is there yet.
		w.plan = atFunctions(w.r, src, walkerPoints)
	}
	w.plan = slices.Concat(w.plan, atLines(w.r, others, 3), atLines(w.r, src.Code(), 3), []dap.Action{{Kind: dap.Continue}})
	if len(others) > 0 && w.r.IntN(2) == 0 {
		w.plan = strolled(w.r, pick(w.r, others))
	}
	return w
}

// strolled are steps by lines from where a breakpoint stood, which no other pause disturbs: in code of other languages, other threads may be
// in the same functions.
func strolled(r *rand.Rand, at source.Place) []dap.Action {
	stop := dap.Action{Kind: dap.Break, File: at.File, Line: at.Line}
	plan := []dap.Action{stop, {Kind: dap.Continue}, stop.Removal()}
	for range 4 + r.IntN(8) {
		plan = append(plan, dap.Action{Kind: pick(r, []dap.Kind{dap.Next, dap.Next, dap.Next, dap.StepIn})})
	}
	return plan
}

// Next implements [Chooser].
func (w *Walker) Next(v View) (dap.Action, bool) {
	if len(w.plan) > 0 && !v.Ended() {
		a := w.plan[0]
		w.plan = w.plan[1:]
		return a, true
	}
	p := v.Pause()
	if v.Ended() || v.State() != dap.PausedState || p == nil || len(p.Stack) == 0 || w.steps <= 0 {
		return dap.Action{}, false
	}
	if w.leave && w.steps < walkerSteps/2 {
		w.steps = 0
		return dap.Action{Kind: dap.Disconnect, Plain: w.r.IntN(3) > 0}, true
	}
	if p.Exception() {
		w.steps = 0
		return dap.Action{Kind: dap.Continue}, true
	}
	place := p.Top().Place
	if place != "" && !slices.Contains(w.seen, place) {
		w.seen = append(w.seen, place)
	}
	var points []dap.Action
	for _, b := range v.Breakpoints() {
		if b.Kind == dap.InstBreak {
			points = append(points, b)
		}
	}
	own := w.src.Own(p.Top().File)
	switch n := w.r.IntN(100); {
	case n < 8 && own && len(points) < walkerPoints && len(w.seen) > 0:
		// Where it is, most of all: that one must be stepped over.
		at := pick(w.r, w.seen)
		if place != "" && w.r.IntN(2) == 0 {
			at = place
		}
		return dap.Action{Kind: dap.InstBreak, Name: at}, true
	case n < 11 && len(points) > 0:
		return pick(w.r, points).Removal(), true
	case n < 20 && own:
		if e := newExprs(w.r, w.src, p, 0); e != nil {
			if call, ok := e.announced(); ok && !StopsIn(call, v.Breakpoints(), DeclaredIn(w.src)) {
				return dap.Action{Kind: dap.Evaluate, Name: call}, true
			}
		}
	case n < 24:
		// Where a function begins nothing is set yet.
		frame := w.r.IntN(min(len(p.Stack), 3))
		if e, ok := Wrong(w.r, w.src, p, frame); ok && !StopsIn(e, v.Breakpoints(), DeclaredIn(w.src)) {
			return dap.Action{Kind: dap.Evaluate, Frame: frame, Name: e, Context: pick(w.r, dap.Contexts)}, true
		}
	case n < 28:
		return dap.Action{Kind: dap.Disas, Frame: w.r.IntN(min(len(p.Stack), 3)), Offset: pick(w.r, []int{0, 0, 1, 2, 5})}, true
	}
	w.steps--
	a := dap.Action{Kind: pick(w.r, []dap.Kind{dap.StepIn, dap.Next}), Instruction: true}
	switch n := w.r.IntN(100); {
	case !own && n < 70:
		a = dap.Action{Kind: dap.StepOut}
	case n < 6:
		a = dap.Action{Kind: dap.Continue}
	case n < 12:
		a = dap.Action{Kind: pick(w.r, []dap.Kind{dap.Next, dap.StepIn, dap.StepOut})}
	}
	return a, true
}
