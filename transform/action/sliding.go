package action

import (
	"strconv"

	"misstep/dap"
	"misstep/transform"
)

// breakpointSliding is the paper's third (section 3.2.1), for both ways in
// which debuggers treat a line without code. If the breakpoint slid, setting it
// at the reported line instead must give the same; if it was refused, leaving
// it out must.
var breakpointSliding = transform.Transformation{
	Name: "breakpoint-sliding",
	Doc:  "Sets a breakpoint that slid at the line that was reported, or leaves out one that was refused: no difference.",
	Choose: func(c *transform.Choice) (transform.Params, bool) {
		var at []int
		for i, e := range c.Base {
			if b := e.Output.Breakpoint; e.Action.Kind == dap.Break && b != nil && (!b.Verified || b.Line != e.Action.Line && b.File == e.Action.File) {
				at = append(at, i)
			}
			if e.Action.Kind == dap.Resend {
				return nil, false // its order counts breakpoints
			}
		}
		if len(at) == 0 {
			return nil, false
		}
		return transform.Params{"at": strconv.Itoa(transform.Pick(c.R, at))}, true
	},
	Run: func(d *transform.Driver, p transform.Params) error {
		at, err := p.Num("at")
		if err != nil {
			return err
		}
		if at >= len(d.Base) || d.Base[at].Output.Breakpoint == nil {
			return transform.NotMadef("action %d sets no breakpoint", at)
		}
		asked, told := d.Base[at].Action, d.Base[at].Output.Breakpoint
		if told.Verified && told.File != asked.File {
			return transform.NotMadef("action %d sets a breakpoint in another file", at) // or in code of the compiler's, which has none
		}
		for i, e := range d.Base {
			same := e.Action.File == asked.File && e.Action.Line == asked.Line && i >= at
			if !same || e.Action.Kind != dap.Break && e.Action.Kind != dap.Unbreak {
				if err := d.Play(i, dap.Lens{NoReason: told.Verified}); err != nil {
					return err
				}
				continue
			}
			if !told.Verified {
				continue
			}
			a := e.Action
			a.Line = told.Line
			out, err := d.Do(a)
			if err != nil {
				return err
			}
			if err := d.Match(i, out, dap.Lens{}); err != nil {
				return err
			}
		}
		return nil
	},
}
