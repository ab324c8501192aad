package gen

import (
	"math/rand/v2"

	"misstep/dap"
)

// Elsewhere asks about one of the threads that have not paused, as people do who look for what the others are doing:
// first for the list, then for a stack, then for what a frame of it shows, or what an expression gives there.
func Elsewhere(r *rand.Rand, own func(file string) bool, v View, expression func(*dap.Pause, int) (string, bool)) (dap.Action, bool) {
	all := v.Threads()
	if len(all) == 0 {
		return dap.Action{Kind: dap.Threads}, true
	}
	n := r.IntN(len(all))
	p := all[n]
	if p == nil || r.IntN(8) == 0 {
		return dap.Action{Kind: dap.Stack, Thread: n + 1, Page: pick(r, []int{0, 0, 0, 1, 3})}, true
	}
	frames := userFrames(own, p)
	if len(p.Stack) > 0 && own(p.Top().File) {
		frames = append(frames, 0)
	}
	if len(frames) == 0 {
		return dap.Action{}, false
	}
	frame := pick(r, frames)
	if r.IntN(2) == 0 {
		return dap.Action{Kind: dap.Vars, Thread: n + 1, Frame: frame, Page: pick(r, []int{0, 0, 3})}, true
	}
	e, ok := expression(p, frame)
	return dap.Action{Kind: dap.Evaluate, Thread: n + 1, Frame: frame, Name: e}, ok
}

// elsewhere asks about another thread, and now and then assigns to a variable of one.
func (g *Generator) elsewhere(v View) (dap.Action, bool) {
	if all := v.Threads(); len(all) > 0 && g.cfg.Assign && g.r.IntN(40) == 0 {
		n := g.r.IntN(len(all))
		if p := all[n]; p != nil {
			if user := userFrames(g.src.Own, p); len(user) > 0 {
				a, ok := g.assignment(v, p, pick(g.r, user))
				a.Thread = n + 1
				for i := range g.plan { // what looks at it
					g.plan[i].Thread = n + 1
				}
				return a, ok
			}
		}
	}
	return Elsewhere(g.r, g.src.Own, v, func(p *dap.Pause, frame int) (string, bool) {
		text := g.expression
		if g.r.IntN(2) == 0 {
			text = g.part
		}
		return text(p, frame)
	})
}
