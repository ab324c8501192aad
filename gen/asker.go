package gen

import (
	"math/rand/v2"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/internal/source"
)

// askerPauses is at how many pauses an [Asker] asks, and askerQuestions how much at each.
const askerPauses, askerQuestions = 6, 28

// An Asker asks at a few pauses for all that can be asked for there, whether it makes sense or not: expressions that are wrong, the
// variables of each frame whoever's it is, stacks in pages, instructions before and after, and requests with arguments as few clients send them. None of it lets the program run, so that a
// debugger answers hundreds of these in the time of a few steps. Where it pauses are lines, entries of functions, where nothing
// is set yet, functions of the runtime and of libraries, and what ends the program badly.
type Asker struct {
	r      *rand.Rand
	src    *source.Source
	plan   []dap.Action
	pauses int
	left   int // questions at this pause
}

// NewAsker makes one whose choices depend on the seed, the source and what the view shows.
func NewAsker(seed uint64, src *source.Source) *Asker {
	k := &Asker{r: rand.New(rand.NewPCG(seed, 0x61736b)), src: src, pauses: askerPauses, left: askerQuestions}
	k.plan = slices.Concat(atFunctions(k.r, src, 3), atLines(k.r, src.Code(), 3))
	if seed%outsideSessions == 1 {
		k.plan = append(k.plan, outside(k.r, src, 4, true)...)
	}
	k.plan = append(k.plan, dap.Action{Kind: dap.Continue})
	return k
}

// Next implements [Chooser].
func (k *Asker) Next(v View) (dap.Action, bool) {
	if len(k.plan) > 0 {
		a := k.plan[0]
		k.plan = k.plan[1:]
		return a, true
	}
	p := v.Pause()
	if v.Ended() || v.State() != dap.PausedState || p == nil || len(p.Stack) == 0 || k.pauses <= 0 {
		return dap.Action{}, false
	}
	if k.left > 0 {
		k.left--
		return k.question(v, p), true
	}
	k.pauses, k.left = k.pauses-1, askerQuestions
	if p.Exception() {
		return dap.Action{Kind: dap.Continue}, true
	}
	return dap.Action{Kind: pick(k.r, []dap.Kind{dap.Continue, dap.Continue, dap.Next, dap.StepIn, dap.StepOut})}, true
}

// question is one.
func (k *Asker) question(v View, p *dap.Pause) dap.Action {
	frame := 0
	if k.r.IntN(3) == 0 {
		frame = k.r.IntN(min(len(p.Stack), 12))
	}
	switch n := k.r.IntN(100); {
	case n < 12:
		return dap.Action{Kind: dap.Vars, Frame: k.r.IntN(min(len(p.Stack), 12))}
	case n < 16:
		return dap.Action{Kind: dap.Disas, Frame: frame, Offset: pick(k.r, []int{0, 1, 5, 50, 400})}
	case n < 20:
		return dap.Action{Kind: dap.Stack, Page: pick(k.r, []int{0, 1, 2, 3, 7})}
	case n < 24:
		return dap.Action{Kind: pick(k.r, []dap.Kind{dap.Threads, dap.Exception})}
	case n < 36:
		// The frame's own variables are those that its pause has shown.
		if all := requests(k.r, k.src, p, 0); len(all) > 0 {
			k.plan = append(k.plan, all[1:]...)
			return all[0]
		}
	case n < 46:
		if e, ok := Expression(k.r, k.src, p, frame); ok && !strings.HasPrefix(e, "call ") {
			return dap.Action{Kind: dap.Evaluate, Frame: frame, Name: e, Context: pick(k.r, dap.Contexts)}
		}
	case n < 50:
		// A breakpoint at a function of others, where it stands; it is gone before the program runs on.
		a := outside(k.r, k.src, 1, true)[0]
		if !slices.ContainsFunc(v.Breakpoints(), func(b dap.Action) bool { return b.Name == a.Name }) {
			k.plan = append(k.plan, a.Removal())
			return a
		}
	}
	for range 8 {
		if e, ok := Wrong(k.r, k.src, p, frame); ok && !StopsIn(e, v.Breakpoints(), DeclaredIn(k.src)) {
			return dap.Action{Kind: dap.Evaluate, Frame: frame, Name: e, Context: pick(k.r, dap.Contexts)}
		}
	}
	return dap.Action{Kind: dap.Vars, Frame: frame}
}
