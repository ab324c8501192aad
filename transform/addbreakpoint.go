package transform

import "misstep/dap"

// addBreakpoint is the paper's first (section 3.2.1, figures 6 and 7). The new
// breakpoint may consume a step of the base: then a temporary breakpoint at
// the very instruction where the base's step went brings the two runs back in
// step. Guards: the new line has no other breakpoint, and no function or
// instruction breakpoint in the same function, as an adapter keeps one
// breakpoint an address; the reason of a pause reached by the temporary
// breakpoint is not compared.
var addBreakpoint = Action{
	Name: "add-breakpoint",
	Doc:  "Adds a breakpoint and continues from it: there are more pauses at its line, and no other difference.",
	Choose: func(c *Choice) (Params, bool) {
		for _, e := range c.Base {
			if e.Action.Kind == dap.Continue && e.Output.Pause != nil && e.Output.Pause.Reason == "step" {
				return nil, false
			}
		}
		return c.place()
	},
	Run: func(d *Driver, p Params) error {
		at, err := p.num("at")
		if err != nil {
			return err
		}
		line, err := p.place("line")
		if err != nil {
			return err
		}
		for i, e := range d.Base {
			if i == at {
				a := dap.Action{Kind: dap.Break, File: line.File, Line: line.Line}
				if _, err := d.want(dap.Set, a); err != nil {
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
			if out, err = d.resync(i, out); err != nil {
				return err
			}
			if err := d.Match(i, out, dap.Lens{NoReason: true}); err != nil {
				return err
			}
		}
		return nil
	},
}

// resync passes over the pauses that the base did not have, until the
// follow-up is where the base was after i or somewhere that it should not be.
func (d *Driver) resync(i int, out *dap.Output) (*dap.Output, error) {
	base := d.Base[i].Output
	extra := func(out *dap.Output) bool {
		return out.Pause != nil && !here(base.Pause, out.Pause) && len(out.Pause.Hit) > 0
	}
	if !extra(out) {
		return out, nil
	}
	temporary := dap.Action{}
	if d.Base[i].Action.Kind.Steps() && base.Pause != nil && len(base.Pause.Hit) == 0 {
		place := base.Pause.Top().Place
		if place == "" {
			return nil, notMade("the adapter does not tell the instruction where the base's step went")
		}
		set, err := d.Do(dap.Action{Kind: dap.InstBreak, Name: place})
		if err != nil {
			return nil, err
		}
		switch {
		case set.Kind == dap.Set && set.Breakpoint.Verified:
			temporary = dap.Action{Kind: dap.InstUnset, Name: place}
		case set.Kind == dap.Set:
			// Refused, as there is one at that address already. That will do if it
			// pauses each time; but the refused request must go from the list.
			for _, b := range d.Session.Breakpoints() {
				top := base.Pause.Top()
				if b.File == top.File && b.Line == top.Line && (b.Log != "" || b.Condition != "" || b.Hit != "") {
					return nil, notMade("no temporary breakpoint beside %s", b)
				}
			}
			if _, err := d.Do(dap.Action{Kind: dap.InstUnset, Name: place}); err != nil {
				return nil, err
			}
		default:
			return nil, notMade("no temporary breakpoint: %s", set)
		}
	}
	// What log points printed on the way belongs to the one action of the base.
	logs := out.Logs
	var err error
	for n := 0; extra(out); n++ {
		if n == maxInserted {
			return nil, notMade("more than %d pauses at the new breakpoint", maxInserted)
		}
		if out, err = d.Do(dap.Action{Kind: dap.Continue}); err != nil {
			return nil, err
		}
		logs = append(logs, out.Logs...)
	}
	out.Logs = logs
	if temporary.Kind != "" && out.Kind == dap.Paused {
		if _, err := d.Do(temporary); err != nil {
			return nil, err
		}
	}
	return out, nil
}
