// Package trace holds the outputs of one session against each other: what must hold
// within a trace whatever the program does, see [Rules].
//
// Not covered: steps that were interrupted, panics on the way, and frames that the source
// does not call, such as the bodies of loops over functions.
package trace

import (
	"context"
	"fmt"
	"strings"

	"misstep/dap"
	"misstep/finding"
	"misstep/oracle"
)

// Oracle is the oracle's name.
const Oracle = "trace"

// Rules say what must hold within one trace.
var Rules = finding.Registry{
	{ID: "next-depth", Oracle: Oracle, Sentence: "A step over does not pause deeper in the stack than it began.", Source: "DAP, Next Request"},
	{ID: "stepout-depth", Oracle: Oracle, Sentence: "A step out pauses in a caller.", Source: "DAP, StepOut Request"},
	{ID: "hit-place", Oracle: Oracle, Sentence: "A pause at a line breakpoint is at the line where the adapter says that it stands.", Source: "DAP, Breakpoint.line"},
	{ID: "stack-pages", Oracle: Oracle, Sentence: "A stack asked for in pages is the stack of the pause.", Source: "DAP, StackTrace Request"},
	{ID: "stack-again", Oracle: Oracle, Sentence: "A stack asked for once more is the stack of the pause.", Source: "DAP, StackTrace Request"},
}

// Check judges one trace by itself.
type Check struct{}

// Judge implements [oracle.Check].
func (Check) Judge(_ context.Context, seen *oracle.Seen) ([]*finding.Finding, *finding.Tally, error) {
	events := seen.Events
	var found []*finding.Finding
	tally := &finding.Tally{}
	check := func(i int, id string, ok bool, kind dap.DiffKind, what, want, got string) {
		tally.Add(Oracle+"/"+id, 1)
		if !ok {
			rule, _ := Rules.Lookup(id)
			d := &dap.Difference{Kind: kind, What: what, A: want, B: got}
			found = append(found, finding.OfSession(rule, seen.Debuggee, seen.Session(i), d, "the rest of the session", finding.Debugger))
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
	return found, tally, nil
}

// severalPlaces is where Delve says that a breakpoint stands which has several
// addresses in different lines.
const severalPlaces = "<multiple locations>"
