package action

import (
	"context"
	"strconv"

	"misstep/dap"
	"misstep/transform"
)

// anotherClient has a server with the program, which its client leaves at a pause, by saying so or by losing its connection. Another client
// connects, sets the same breakpoints, finds the program paused where it was, and goes on. Guards: those of attach; no data breakpoints,
// which name what the first client was shown; the base goes on after the pause.
var anotherClient = transform.Transformation{
	Name: "another-client",
	Last: true,
	Ways: len(dap.RejoinWays),
	Doc:  "Leaves a server that has the program at a pause, and goes on as another client of it: it is paused where it was, and everything is shown the same.",
	Choose: func(c *transform.Choice) (transform.Params, bool) {
		if !without(dap.Restart, dap.Misuse, dap.Disconnect, dap.DataBreak, dap.DataUnset)(c) || asksItsName(c) {
			return nil, false
		}
		var at []int
		for _, i := range c.Pauses() {
			if i+1 < len(c.Base) && !c.Base[i].Output.Pause.Exception() {
				at = append(at, i)
			}
		}
		if len(at) == 0 {
			return nil, false
		}
		return transform.Params{"at": strconv.Itoa(transform.Pick(c.R, at)), "way": transform.Deal(c, dap.RejoinWays)}, true
	},
	Target: func(t *dap.Target, p transform.Params) { t.Attach = dap.AttachServer },
	Run: func(d *transform.Driver, p transform.Params) error {
		if !d.Session.Attached() {
			return transform.NotMadef("how %s serves several clients misstep does not know", d.Session.Adapter().Name)
		}
		at, err := p.Num("at")
		if err != nil {
			return err
		}
		return d.PlayAll(dap.Lens{}, func(i int) error {
			if i != at+1 {
				return nil
			}
			out, err := d.Wait(func(ctx context.Context) dap.Output { return d.Session.Rejoin(ctx, p["way"]) })
			if err != nil {
				return err
			}
			if out.Kind != dap.Paused {
				return d.Granted(d.Base[at].Action, out, dap.Paused, "what another client finds")
			}
			return d.Match(at, out, dap.Lens{NoReason: true, NoLogs: true})
		})
	},
}
