package transform

import (
	"misstep/dap"
)

// Resync passes over the pauses that the base did not have, until the
// follow-up is where the base was after i or somewhere that it should not be.
func (d *Driver) Resync(i int, out *dap.Output) (*dap.Output, error) {
	base := d.Base[i].Output
	extra := func(out *dap.Output) bool {
		return out.Pause != nil && !Here(base.Pause, out.Pause) && len(out.Pause.Hit) > 0
	}
	if !extra(out) {
		return out, nil
	}
	temporary := dap.Action{}
	if d.Base[i].Action.Kind.Steps() && base.Pause != nil && len(base.Pause.Hit) == 0 {
		place := base.Pause.Top().Place
		if place == "" {
			return nil, NotMadef("the adapter does not tell the instruction where the base's step went")
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
					return nil, NotMadef("no temporary breakpoint beside %s", b)
				}
			}
			if _, err := d.Do(dap.Action{Kind: dap.InstUnset, Name: place}); err != nil {
				return nil, err
			}
		default:
			return nil, NotMadef("no temporary breakpoint: %s", set)
		}
	}
	// What log points printed on the way belongs to the one action of the base.
	heard := *out
	var err error
	for n := 0; extra(out); n++ {
		if n == MaxInserted {
			return nil, NotMadef("more than %d pauses at the new breakpoint", MaxInserted)
		}
		if out, err = d.Do(dap.Action{Kind: dap.Continue}); err != nil {
			return nil, err
		}
		heard = heard.Then(out)
	}
	out.Logs, out.Speakers = heard.Logs, heard.Speakers
	if temporary.Kind != "" && out.Kind == dap.Paused {
		if _, err := d.Do(temporary); err != nil {
			return nil, err
		}
	}
	return out, nil
}
