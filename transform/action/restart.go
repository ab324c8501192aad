package action

import (
	"strconv"

	"misstep/dap"
	"misstep/transform"
)

// restart runs the program again from the start in the same session. Guards:
// the breakpoints of the first part are removed, as the base begins without;
// long bases are left alone, as the transformation doubles them.
var restart = transform.Transformation{
	Name: "restart",
	Doc:  "Restarts the program somewhere, or while it runs on from there, and does all of the base again: the same trace.",
	Choose: func(c *transform.Choice) (transform.Params, bool) {
		at := c.Pauses()
		if len(at) == 0 || len(c.Base) > 60 {
			return nil, false
		}
		p := transform.Params{"at": strconv.Itoa(transform.Pick(c.R, at) + 1)}
		if c.R.IntN(2) == 0 {
			p["running"] = "true"
		}
		return p, true
	},
	Run: func(d *transform.Driver, p transform.Params) error {
		at, err := p.Num("at")
		if err != nil {
			return err
		}
		for i := 0; i < at && i < len(d.Base); i++ {
			if err := d.Play(i, dap.Lens{}); err != nil {
				return err
			}
		}
		for _, b := range d.Session.Breakpoints() {
			if _, err := d.Want(dap.Removed, b.Removal()); err != nil {
				return err
			}
		}
		if _, err := d.Want(dap.Done, dap.Action{Kind: dap.Restart, Running: p["running"] == "true"}); err != nil {
			return err
		}
		return d.PlayAll(dap.Lens{}, func(int) error { return nil })
	},
}

// replay does the same once more, in a session of its own. What differs here
// differs for no reason at all.
var replay = transform.Transformation{
	Name:   "replay",
	Doc:    "Does exactly the same in a second session: the same trace.",
	Choose: func(c *transform.Choice) (transform.Params, bool) { return transform.Params{}, len(c.Base) > 0 },
	Run: func(d *transform.Driver, p transform.Params) error {
		return d.PlayAll(dap.Lens{}, func(int) error { return nil })
	},
}

// Replay is the transformation that changes nothing: the control of all
// others.
func Replay() transform.Transformation { return replay }
