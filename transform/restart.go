package transform

import (
	"strconv"

	"misstep/dap"
)

// restart runs the program again from the start in the same session. Guards:
// the breakpoints of the first part are removed, as the base begins without;
// long bases are left alone, as the transformation doubles them.
var restart = Action{
	Name: "restart",
	Doc:  "Restarts the program somewhere and does all of the base again: the same trace.",
	Choose: func(c *Choice) (Params, bool) {
		at := c.pauses()
		if len(at) == 0 || len(c.Base) > 60 {
			return nil, false
		}
		return Params{"at": strconv.Itoa(pick(c.R, at) + 1)}, true
	},
	Run: func(d *Driver, p Params) error {
		at, err := p.num("at")
		if err != nil {
			return err
		}
		for i := 0; i < at && i < len(d.Base); i++ {
			if err := d.Play(i, dap.Lens{}); err != nil {
				return err
			}
		}
		for _, b := range d.Session.Breakpoints() {
			if _, err := d.want(dap.Removed, b.Removal()); err != nil {
				return err
			}
		}
		if _, err := d.want(dap.Done, dap.Action{Kind: dap.Restart}); err != nil {
			return err
		}
		return d.playAll(dap.Lens{}, func(int) error { return nil })
	},
}

// replay does the same once more, in a session of its own. What differs here
// differs for no reason at all.
var replay = Action{
	Name:   "replay",
	Doc:    "Does exactly the same in a second session: the same trace.",
	Choose: func(c *Choice) (Params, bool) { return Params{}, len(c.Base) > 0 },
	Run: func(d *Driver, p Params) error {
		return d.playAll(dap.Lens{}, func(int) error { return nil })
	},
}

// Replay is the transformation that changes nothing: the control of all
// others.
func Replay() Action { return replay }
