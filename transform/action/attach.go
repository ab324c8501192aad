package action

import (
	"slices"
	"strconv"
	"strings"

	"misstep/dap"
	"misstep/transform"
)

// attach gets the program in another way than by launching it: it is started by itself, held before its first
// instruction, and named to the adapter; or the adapter is started with it and waits for a client. At a pause
// the session may be left; the program then runs to its end. Guards: the base runs the program once, and if it
// is to be left, to its end, which no later action changes.
var attach = transform.Transformation{
	Name: "attach",
	Last: true,
	Ways: len(dap.Attaches),
	Doc:  "Attaches to the program in place of launching it: everything is shown the same, and where it is left, or the client or the debugger is lost, it runs to the same end, or on if it has none.",
	Choose: func(c *transform.Choice) (transform.Params, bool) {
		if len(c.Base) == 0 || !without(dap.Restart, dap.Misuse, dap.Disconnect)(c) {
			return nil, false
		}
		ways := dap.Attaches
		if !imports("os/signal")(c) {
			ways = []string{dap.AttachServer} // it would hear of the signal that ends the wait
		} else if asksItsName(c) {
			ways = slices.DeleteFunc(slices.Clone(ways), func(way string) bool { return way == dap.AttachName })
		}
		p := transform.Params{"to": transform.Deal(c, ways)}
		if p["to"] == dap.AttachServer {
			return p, true // it would keep the program
		}
		if at := leaves(c); len(at) > 0 {
			how := transform.Deal(c, append([]string{"", "plain", "stay"}, dap.Ways...))
			if how != "stay" {
				p["at"] = strconv.Itoa(transform.Pick(c.R, at))
			}
			if how != "" && how != "stay" {
				p["leave"] = how
			}
		}
		return p, true
	},
	Target: func(t *dap.Target, p transform.Params) { t.Attach = p["to"] },
	Run: func(d *transform.Driver, p transform.Params) error {
		if !d.Session.Attached() {
			return transform.NotMadef("how %s attaches to a %s misstep does not know", d.Session.Adapter().Name, p["to"])
		}
		if p["at"] == "" {
			return d.PlayAll(dap.Lens{}, func(int) error { return nil })
		}
		at, err := p.Num("at")
		if err != nil {
			return err
		}
		for i := range at {
			if err := d.Play(i, dap.Lens{}); err != nil {
				return err
			}
		}
		leave := dap.Action{Kind: dap.Detach, Plain: p["leave"] == "plain"}
		if slices.Contains(dap.Ways, p["leave"]) {
			leave.Way = p["leave"]
		}
		out, err := d.Do(leave)
		if err != nil {
			return err
		}
		return d.Match(len(d.Base)-1, out, dap.Lens{NoLogs: true})
	},
}

// leaves lists the actions before which the session can be left: the program is paused, and ends as in the base.
func leaves(c *transform.Choice) []int {
	last := len(c.Base) - 1
	if last < 0 || c.Source.Breaks() {
		return nil // it would end where it breaks
	}
	if end := c.Base[last]; end.Output.Kind != dap.Ended && (end.Action.Kind != dap.Finish || end.Output.Kind != dap.Done) {
		return nil
	}
	from := 0
	for i, e := range c.Base {
		if alters(e) {
			from = i + 1
		}
	}
	var at []int
	for _, i := range c.Pauses() {
		if i+1 >= from {
			at = append(at, i+1)
		}
	}
	return at
}

// alters reports whether an event may change how the program goes on.
func alters(e dap.Event) bool {
	return e.Action.Kind.Meaning().Effect == dap.Assigns || e.Action.Kind == dap.Evaluate && strings.HasPrefix(e.Action.Name, "call ")
}
