package action

import (
	"strconv"

	"misstep/dap"
	"misstep/transform"
)

// maxInstructions bounds how far instruction steps go for one source step.
const maxInstructions = 80

// instructionSteps goes the way of one source step in instruction steps: it
// must come by the same instruction in the same activation, with the same
// variables. Guards: a way longer than maxInstructions is given up and counts
// as not made; log points on the way print when they like, so logs are not
// compared there; a step that a breakpoint interrupts is left alone, and all of them where hits are counted, as nothing says
// which steps count (tolerance instruction-hits).
var instructionSteps = transform.Transformation{
	Name: "instruction-steps",
	Last: true,
	Doc:  "Replaces a step by instruction steps up to the instruction where it paused: the same state there, and no other difference.",
	Choose: func(c *transform.Choice) (transform.Params, bool) {
		var at []int
		for i, e := range c.Base {
			k := e.Action.Kind
			if e.Action.Hit != "" {
				break
			}
			if (k == dap.Next || k == dap.StepIn) && !e.Action.Instruction && pausedBefore(c.Base, i) &&
				e.Output.Pause != nil && len(e.Output.Pause.Hit) == 0 && e.Output.Pause.Reason == "step" && e.Output.Pause.Top().Place != "" {
				at = append(at, i)
			}
		}
		if len(at) == 0 {
			return nil, false
		}
		return transform.Params{"at": strconv.Itoa(transform.Pick(c.R, at))}, true
	},
	Run: func(d *transform.Driver, p transform.Params) error {
		return d.Instead(p, dap.Lens{}, func(i int) error {
			base := &d.Base[i].Output
			var out *dap.Output
			for n := 0; ; n++ {
				if n == maxInstructions {
					return transform.NotMadef("more than %d instructions", maxInstructions)
				}
				var err error
				if out, err = d.Do(dap.Action{Kind: dap.StepIn, Instruction: true}); err != nil {
					return err
				}
				if out.Kind == dap.Unsupported {
					return transform.NotMadef("%s", out)
				}
				if out.Pause == nil || transform.Here(base.Pause, out.Pause) {
					break
				}
			}
			return d.Match(i, out, dap.Lens{NoReason: true, NoLogs: true})
		})
	},
}
