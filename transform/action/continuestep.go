package action

import (
	"strconv"

	"misstep/dap"
	"misstep/transform"
)

// continueToStep is the paper's second (section 3.2.1, table 2): the control
// actions pause at more and more places, continue ⊂ step out ⊂ step over ⊂
// step into. So a step instead of a continue pauses where the continue did, or
// before that; then one more continue goes there. Guards: a step may land on a
// breakpoint whose condition is not met, which is no pause of the base's;
// with several goroutines a continue may first bring an interrupted step to
// its end, and until then Delve takes no other (tolerance one-step-at-a-time).
var continueToStep = transform.Transformation{
	Name: "continue-to-step",
	Doc:  "Replaces a continue by a step, followed by a continue where the step pauses early: the program pauses at the same places.",
	Choose: func(c *transform.Choice) (transform.Params, bool) {
		var at []int
		for i, e := range c.Base {
			if e.Action.Kind == dap.Continue && i > 0 && pausedBefore(c.Base, i) {
				at = append(at, i)
			}
		}
		if len(at) == 0 {
			return nil, false
		}
		step := transform.Pick(c.R, []dap.Kind{dap.StepOut, dap.Next, dap.StepIn})
		return transform.Params{"at": strconv.Itoa(transform.Pick(c.R, at)), "step": string(step)}, true
	},
	Run: func(d *transform.Driver, p transform.Params) error {
		return d.Instead(p, dap.Lens{}, func(i int) error {
			out, err := d.Do(dap.Action{Kind: dap.Kind(p["step"])})
			if err != nil {
				return err
			}
			base := &d.Base[i].Output
			heard := *out
			for n := 0; out.Pause != nil; n++ {
				if out.Pause.Description == "invalid command" {
					return transform.NotMadef("a step of another goroutine is interrupted: %s", out.Pause.Text)
				}
				if dap.Diff(base, out, d.Lens(dap.Lens{NoReason: true, NoLogs: true}, 0)) == nil || len(out.Pause.Hit) > 0 || out.Pause.Reason == "exception" {
					break
				}
				if n == transform.MaxInserted {
					return transform.NotMadef("more than %d pauses of the step", transform.MaxInserted)
				}
				if out, err = d.Do(dap.Action{Kind: dap.Continue}); err != nil {
					return err
				}
				heard = heard.Then(out)
			}
			out.Logs, out.Speakers = heard.Logs, heard.Speakers
			return d.Match(i, out, dap.Lens{NoReason: true})
		})
	},
}

// pausedBefore reports whether the action at i found the program paused, and not
// by an exception, which leaves nothing to step through.
func pausedBefore(base []dap.Event, i int) bool {
	for j := i - 1; j >= 0; j-- {
		switch {
		case base[j].Output.Pause != nil:
			return base[j].Output.Pause.Reason != "exception"
		case base[j].Action.Kind == dap.Restart:
			return false
		}
	}
	return false
}
