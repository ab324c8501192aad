package transform

import (
	"fmt"

	"misstep/dap"
)

// again bounds how often a function that was just entered is left again to look for what comes next. Tolerance entered-again: where the
// debug information does not tell where a function's prologue ends, a breakpoint stands in front of what makes the stack grow, after which the
// function is entered once more: as often as a stack can double.
const again = 32

// byName does with a build without debug information what a base did that has breakpoints at functions alone. Which functions there are, and
// where they begin, the runtime's own tables say: each breakpoint is set that was, the pauses are in the same functions one after the
// other, and the program ends as it did. Lines, callers and variables are not compared, as these tables need not tell them.
func (d *Driver) byName() error {
	last := "" // the function of the last pause
	for i := range d.Base {
		e := &d.Base[i]
		out, err := d.Do(e.Action)
		for n := 0; n < again && err == nil && out.Pause != nil && out.Pause.Top().Func == last && named(&e.Output, out) != nil; n++ {
			out, err = d.Do(dap.Action{Kind: dap.Continue})
		}
		if err != nil {
			return err
		}
		if out.Pause != nil {
			last = out.Pause.Top().Func
		}
		d.Checks++
		diff := named(&e.Output, out)
		if diff == nil && e.Output.Exit != nil {
			diff = dap.Diff(&e.Output, out, dap.Lens{NoLogs: true})
		}
		if diff != nil {
			return &Mismatch{Index: i, Action: e.Action, At: place(&e.Output), Diff: diff}
		}
	}
	return nil
}

// named compares what an action led to, by the names of functions.
func named(was, now *dap.Output) *dap.Difference {
	switch {
	case was.Breakpoint != nil && was.Breakpoint.Verified && (now.Breakpoint == nil || !now.Breakpoint.Verified):
		return &dap.Difference{Kind: dap.DiffBreakpoint, What: "the breakpoint", A: "set", B: now.String()}
	case was.Pause != nil && now.Pause == nil, was.Pause == nil && now.Pause != nil:
		return &dap.Difference{Kind: dap.DiffTermination, What: "the program", A: was.String(), B: now.String()}
	case was.Pause != nil && was.Pause.Reason == "breakpoint" && len(was.Pause.Hit) == 0:
		// The program has paused itself, in the runtime's function for that.
	case was.Pause != nil:
		if a, b := dap.BareFunc(was.Pause.Top().Func), dap.BareFunc(now.Pause.Top().Func); a != b {
			return &dap.Difference{Kind: dap.DiffLocation, What: "the function", A: a, B: b}
		}
		if a, b := fmt.Sprint(was.Pause.Hit), fmt.Sprint(now.Pause.Hit); a != b {
			return &dap.Difference{Kind: dap.DiffReason, What: "the breakpoints that are hit", A: a, B: b}
		}
	}
	return nil
}
