package gen

import (
	"math/rand/v2"

	"misstep/dap"
	"misstep/internal/source"
)

// moments are when a session is left: before the program begins, where it has paused, while it runs, after a step, after things were asked
// for while it ran, and after it was interrupted.
const moments = 6

// A Leaver is a short session that is left, at one of several moments and in one of several ways, which the number of the session goes
// through in turn, and with it through all combinations, as the one is no multiple of the other.
type Leaver struct {
	plan []dap.Action
}

// NewLeaver makes the nth one.
func NewLeaver(n int, seed uint64, src *source.Source) *Leaver {
	r := rand.New(rand.NewPCG(seed, 0x6c65617665))
	l := &Leaver{plan: atLines(r, src.Code(), 3)}
	leave := dap.Action{Kind: dap.Disconnect}
	ways := append([]string{"", "plain"}, dap.Ways...)
	switch way := ways[n%len(ways)]; way {
	case "plain":
		leave.Plain = true
	default:
		leave.Way = way
	}
	switch n % moments {
	case 1, 2:
		l.plan = append(l.plan, dap.Action{Kind: dap.Continue})
		if leave.Running = n%moments == 2; leave.Running && r.IntN(2) == 0 {
			for i := range l.plan {
				l.plan[i].Log = "passed" // each time of which the debugger lets the program run on
			}
		}
	case 3:
		l.plan = append(l.plan, dap.Action{Kind: dap.Continue}, dap.Action{Kind: pick(r, []dap.Kind{dap.Next, dap.StepIn, dap.StepOut})})
	case 4:
		// A debugger that has stopped the program once to set breakpoints has to be able to do so again.
		for range 4 {
			l.plan = append(l.plan, dap.Action{Kind: dap.Continue, Meanwhile: pick(r, append([]string{"breakpoints", "breakpoints"}, dap.Meanwhiles...))})
		}
	case 5:
		for range 3 {
			l.plan = append(l.plan, dap.Action{Kind: dap.Interrupt})
		}
	}
	l.plan = append(l.plan, leave)
	return l
}

// Next implements [Chooser]: the program may have ended on the way, and the session is left all the same.
func (l *Leaver) Next(v View) (dap.Action, bool) {
	for len(l.plan) > 0 {
		a := l.plan[0]
		l.plan = l.plan[1:]
		if a.Kind != dap.Disconnect && v.Ended() {
			continue
		}
		return a, true
	}
	return dap.Action{}, false
}
