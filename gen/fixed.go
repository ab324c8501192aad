package gen

import (
	"slices"

	"misstep/dap"
)

// Fixed carries out a list of actions, whatever the debugger shows, until the
// program has ended; then only what should not be asked for then.
func Fixed(actions []dap.Action) *FixedList { return &FixedList{actions} }

// A FixedList is a list of actions to carry out.
type FixedList struct{ left []dap.Action }

// Left are the actions that are still to be carried out.
func (f *FixedList) Left() []dap.Action { return slices.Clone(f.left) }

// Next is the next action; ok is false when there is nothing more to do. The
// last action of a session, which runs the program to its end, is the
// session's.
func (f *FixedList) Next(v View) (a dap.Action, ok bool) {
	if len(f.left) == 0 || v.Ended() && f.left[0].Kind != dap.Misuse {
		return dap.Action{}, false
	}
	a, f.left = f.left[0], f.left[1:]
	if a.Kind == dap.Finish && len(f.left) == 0 {
		return dap.Action{}, false
	}
	return a, true
}
