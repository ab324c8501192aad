package action

import (
	"strconv"

	"misstep/dap"
	"misstep/transform"
)

// whileRunning asks for something while the program runs, as editors do whenever their user changes a
// breakpoint or a view is drawn anew. Guards: what the program prints comes when it likes, and log points do,
// but no pause may be another.
var whileRunning = transform.Transformation{
	Name: "while-running",
	Last: true,
	Doc:  "Lets the program run, and sets the same breakpoints again or asks for something meanwhile: no difference.",
	Choose: func(c *transform.Choice) (transform.Params, bool) {
		var at []int
		for i, e := range c.Base {
			if a := e.Action; a.Kind == dap.Continue && a.Meanwhile == "" && (e.Output.Pause != nil || e.Output.Kind == dap.Ended) {
				at = append(at, i)
			}
		}
		if len(at) == 0 {
			return nil, false
		}
		what := transform.Deal(c, append([]string{"breakpoints"}, dap.Meanwhiles...))
		return transform.Params{"at": strconv.Itoa(transform.Pick(c.R, at)), "what": what}, true
	},
	Run: func(d *transform.Driver, p transform.Params) error {
		return d.Instead(p, dap.Lens{}, func(at int) error {
			a := d.Base[at].Action
			if err := dap.MeanwhileField.Set(&a, p["what"]); err != nil {
				return err
			}
			out, err := d.Do(a)
			if err != nil {
				return err
			}
			if out.Kind == dap.Ended {
				out.Changed = nil // nothing can be set in a program that has just ended
			}
			return d.Match(at, out, dap.Lens{})
		})
	},
}
