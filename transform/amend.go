package transform

import (
	"strconv"

	"misstep/dap"
)

// Amendable is the common part of transformations that ask for a breakpoint of the
// base in another way, each time that the base asks for it.
func Amendable(c *Choice, ok func(dap.Action) bool) (Params, bool) {
	var at []int
	for i, e := range c.Base {
		if e.Action.Kind == dap.Break && e.Output.Breakpoint != nil && e.Output.Breakpoint.Verified && ok(e.Action) {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return nil, false
	}
	a := c.Base[Pick(c.R, at)].Action
	return Params{"line": a.File + ":" + strconv.Itoa(a.Line)}, true
}

func (d *Driver) Amend(p Params, lens dap.Lens, change func(dap.Action) dap.Action) error {
	line, err := p.Place("line")
	if err != nil {
		return err
	}
	for i, e := range d.Base {
		if e.Action.File != line.File || e.Action.Line != line.Line {
			if err := d.Play(i, lens); err != nil {
				return err
			}
			continue
		}
		out, err := d.Do(change(e.Action))
		if err != nil {
			return err
		}
		if err := d.Match(i, out, lens); err != nil {
			return err
		}
	}
	return nil
}
