package action

import (
	"misstep/dap"
	"misstep/transform"
)

// addBreakpoint is the paper's first (section 3.2.1, figures 6 and 7). The new
// breakpoint may consume a step of the base: then a temporary breakpoint at
// the very instruction where the base's step went brings the two runs back in
// step. Guards: the new line has no other breakpoint, and no function or
// instruction breakpoint in the same function, as an adapter keeps one
// breakpoint an address; the reason of a pause reached by the temporary
// breakpoint is not compared.
var addBreakpoint = transform.Transformation{
	Name: "add-breakpoint",
	Doc:  "Adds a breakpoint and continues from it: there are more pauses at its line, and no other difference.",
	Choose: func(c *transform.Choice) (transform.Params, bool) {
		for _, e := range c.Base {
			if e.Action.Kind == dap.Continue && e.Output.Pause != nil && e.Output.Pause.Reason == "step" {
				return nil, false
			}
		}
		return c.Place()
	},
	Run: func(d *transform.Driver, p transform.Params) error {
		at, err := p.Num("at")
		if err != nil {
			return err
		}
		line, err := p.Place("line")
		if err != nil {
			return err
		}
		for i, e := range d.Base {
			if i == at {
				a := dap.Action{Kind: dap.Break, File: line.File, Line: line.Line}
				if _, err := d.Want(dap.Set, a); err != nil {
					return err
				}
			}
			if k := e.Action.Kind; i < at || !k.Resumes() || k == dap.Finish || k == dap.Interrupt {
				if err := d.Play(i, dap.Lens{}); err != nil {
					return err
				}
				continue
			}
			out, err := d.Do(e.Action)
			if err != nil {
				return err
			}
			if out, err = d.Resync(i, out); err != nil {
				return err
			}
			if err := d.Match(i, out, dap.Lens{NoReason: true}); err != nil {
				return err
			}
		}
		return nil
	},
}
