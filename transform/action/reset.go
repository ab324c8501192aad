package action

import (
	"slices"
	"strconv"

	"misstep/dap"
	"misstep/transform"
)

// resetBreakpoint removes a breakpoint and sets it again at once. Guard: one
// with a hit condition counts from zero again, which is documented, so it is
// left alone.
var resetBreakpoint = transform.Transformation{
	Name: "reset-breakpoint",
	Doc:  "Removes a breakpoint and sets it again before the program runs on: no difference.",
	Choose: func(c *transform.Choice) (transform.Params, bool) {
		type chance struct{ at, set int }
		var can []chance
		quiet := c.Quiet()
		for _, at := range quiet {
			for _, set := range settled(c.Base, at) {
				if c.Base[set].Action.Hit == "" && c.Base[set].Output.Breakpoint.Verified {
					can = append(can, chance{at, set})
				}
			}
		}
		if len(can) == 0 {
			return nil, false
		}
		ch := transform.Pick(c.R, can)
		return transform.Params{"at": strconv.Itoa(ch.at), "set": strconv.Itoa(ch.set)}, true
	},
	Run: func(d *transform.Driver, p transform.Params) error {
		set, err := p.Num("set")
		if err != nil {
			return err
		}
		if set < 0 || set >= len(d.Base) || d.Base[set].Action.Kind != dap.Break {
			return transform.NotMadef("action %d sets no breakpoint", set)
		}
		return d.Insert(p, dap.Lens{}, func() error {
			a := d.Base[set].Action
			if _, err := d.Want(dap.Removed, dap.Action{Kind: dap.Unbreak, File: a.File, Line: a.Line}); err != nil {
				return err
			}
			out, err := d.Do(a)
			if err != nil {
				return err
			}
			return d.Match(set, out, dap.Lens{NoLogs: true})
		})
	},
}

// settled lists the line breakpoints that are set just before the action at i,
// as the indices of the actions that set them.
func settled(base []dap.Event, i int) []int {
	var set []int
	drop := func(a dap.Action) {
		set = slices.DeleteFunc(set, func(j int) bool { return base[j].Action.File == a.File && base[j].Action.Line == a.Line })
	}
	for j := range i {
		switch e := base[j]; {
		case e.Action.Kind == dap.Break && e.Output.Kind == dap.Set:
			drop(e.Action)
			set = append(set, j)
		case e.Action.Kind == dap.Unbreak && e.Output.Kind == dap.Removed:
			drop(e.Action)
		}
	}
	return set
}
