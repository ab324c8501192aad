package oracle

import (
	"fmt"
	"strings"

	"misstep/dap"
)

// TraceRules says what must hold within one trace, whatever the program does.
var TraceRules = map[string]string{
	"next-depth":    "A step over does not pause deeper in the stack than it began (DAP, next).",
	"stepout-depth": "A step out pauses in a caller (DAP, stepOut).",
	"hit-place":     "A pause at a line breakpoint is at the line where the adapter says that it stands.",
	"stack-pages":   "A stack asked for in pages is the stack of the pause.",
	"stack-again":   "A stack asked for once more is the stack of the pause.",
}

// A Breach is a trace rule that does not hold.
type Breach struct {
	Rule  string
	Index int // of the event
	Diff  *dap.Difference
}

// Trace judges one trace by itself.
func Trace(events []dap.Event) ([]Breach, *Tally) {
	var found []Breach
	tally := &Tally{}
	check := func(i int, rule string, ok bool, kind dap.DiffKind, what, want, got string) {
		tally.Add("trace/"+rule, 1)
		if !ok {
			found = append(found, Breach{rule, i, &dap.Difference{Kind: kind, What: what, A: want, B: got}})
		}
	}
	places := map[string]string{} // where breakpoints stand, by what they were asked as
	var before *dap.Pause
	for i, e := range events {
		a, out := e.Action, e.Output
		switch {
		case a.Kind == dap.Break && out.Breakpoint != nil && out.Breakpoint.Verified:
			places[fmt.Sprintf("%s:%d", a.File, a.Line)] = fmt.Sprintf("%s:%d", out.Breakpoint.File, out.Breakpoint.Line)
		case a.Kind == dap.Stack && out.Kind == dap.Answered && before != nil:
			rule := "stack-again"
			if a.Page > 0 {
				rule = "stack-pages"
			}
			d := dap.Diff(&dap.Output{Kind: dap.Answered, Stack: before.Stack}, &dap.Output{Kind: dap.Answered, Stack: out.Stack}, dap.Lens{})
			if d == nil {
				d = &dap.Difference{}
			}
			check(i, rule, d.Kind == "", dap.DiffStack, d.What, d.A, d.B)
		}
		now := out.Pause
		if now == nil {
			if a.Kind.Resumes() || a.Kind == dap.Restart {
				before = nil
			}
			continue
		}
		if len(now.Hit) == 1 && places[now.Hit[0]] != "" && !strings.HasPrefix(places[now.Hit[0]], severalPlaces) {
			at := fmt.Sprintf("%s:%d", now.Top().File, now.Top().Line)
			check(i, "hit-place", at == places[now.Hit[0]], dap.DiffLocation, "pause at the breakpoint "+now.Hit[0], places[now.Hit[0]], at)
		}
		// An interrupted step, a panic on the way and another goroutine leave
		// nothing to compare.
		if before != nil && now.Reason == "step" && now.Thread == before.Thread && !a.Instruction {
			was, is := len(before.Stack), len(now.Stack)
			got := fmt.Sprintf("%d frames, in %s", is, now.Top().Func)
			switch a.Kind {
			case dap.Next:
				if !now.Carried() && !before.Carried() {
					check(i, "next-depth", is <= was, dap.DiffStack, "depth after next", fmt.Sprintf("at most %d frames, in %s", was, before.Top().Func), got)
				}
			case dap.StepOut:
				if !now.Carried() && !before.Carried() && was < dap.MaxFrames {
					check(i, "stepout-depth", is < was, dap.DiffStack, "depth after stepout", fmt.Sprintf("fewer than %d frames, in %s", was, before.Top().Func), got)
				}
			}
		}
		before = now
	}
	return found, tally
}

// severalPlaces is where Delve says that a breakpoint stands which has several
// addresses in different lines.
const severalPlaces = "<multiple locations>"
