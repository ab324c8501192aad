package trace

import (
	"strings"

	"misstep/dap"
	"misstep/internal/debuggee"
)

// threads is what frames are shown with at one pause, beside what comes with it.
type threads struct {
	stacks map[int][]dap.Frame    // of threads, by their numbers in the list
	scopes map[[2]int][]dap.Scope // of frames, by the thread, or 0 for the paused one, and the frame
}

// ask notes what an answer shows.
func (t *threads) ask(a dap.Action, out dap.Output) {
	if a.Thread > 0 && len(out.Stack) > 0 && a.Page == 0 {
		if t.stacks == nil {
			t.stacks = map[int][]dap.Frame{}
		}
		t.stacks[a.Thread] = out.Stack
	}
	if a.Kind == dap.Vars && out.Kind == dap.Answered && a.Page == 0 {
		if t.scopes == nil {
			t.scopes = map[[2]int][]dap.Scope{}
		}
		t.scopes[[2]int{a.Thread, a.Frame}] = out.Scopes
	}
}

// mayStart reports whether a step may end in another goroutine than it was asked for, as it goes into one that a go statement starts: where
// the thread of the step is at one, or that is not known.
func (t *threads) mayStart(d *debuggee.Debuggee, before *dap.Pause, a dap.Action, out dap.Output) bool {
	if a.Kind != dap.StepIn || before == nil {
		return false
	}
	at := before
	if out.Thread != before.Thread {
		if at = (&dap.Pause{Stack: t.stacks[a.Thread]}); len(at.Stack) == 0 {
			return true
		}
	}
	return started(d, at, a) != nil
}

// shown is what the frame that an action is about has been shown with; nil if that was not asked for.
func (t *threads) shown(p *dap.Pause, a dap.Action) []dap.Scope {
	if a.Thread == 0 && a.Frame == 0 {
		return p.Scopes
	}
	return t.scopes[[2]int{a.Thread, a.Frame}]
}

// stack holds the stack that comes with an answer about a listed thread against the one that is known of it. Able says that
// there is something to hold; the difference is none if it holds.
func (t *threads) stack(p *dap.Pause, a dap.Action, out dap.Output) (d dap.Difference, able bool) {
	switch {
	case p == nil || a.Thread == 0 || a.Kind.Resumes() || strings.HasPrefix(out.Text, "misstep: "):
		return d, false
	case out.Thread == 0 && out.Kind == dap.Refused:
		return dap.Difference{Kind: dap.DiffAnswer, A: "shown", B: out.Text}, true
	case out.Thread == 0:
		return d, false
	}
	known, ok := t.stacks[a.Thread]
	if out.Thread == p.Thread {
		known, ok = p.Stack, true
	}
	if !ok {
		return d, true // it is shown
	}
	if d := dap.Diff(&dap.Output{Kind: dap.Answered, Stack: known}, &dap.Output{Kind: dap.Answered, Stack: out.Stack}, dap.Lens{}); d != nil {
		return *d, true
	}
	return d, true
}
