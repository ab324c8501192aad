package action

import (
	"strconv"

	"misstep/dap"
	"misstep/transform"
)

// wrongly are misuses that a paused debugger refuses, or grants without an effect, for each request one. Those that set breakpoints of a
// kind would clear the base's, and initialize, where it is granted, says anew what the client understands.
var wrongly = []string{
	"pause-paused", "launch-twice", "bad-expression", "unknown-thread", "attach-twice", "unknown-frame", "unknown-reference",
	"unknown-reference-set", "exception-info", "unknown-request", "cancel-nothing", "source-nothing", "unsupported-goto", "unsupported-restart-frame",
	"unsupported-terminate-threads", "no-memory", "write-nowhere", "no-such-data", "bad-disassemble", "bad-setting", "no-target", "examine-nowhere", "no-such-file",
}

// askWrongly asks for something that makes no sense where the program is paused. Guard: what the base does shows what comes of it.
var askWrongly = transform.Transformation{
	Name: "ask-wrongly",
	Last: true,
	Ways: 6,
	Doc:  "Asks for something that makes no sense while the program is paused, such as to pause it: all is as it was before, and there is no other difference.",
	Choose: func(c *transform.Choice) (transform.Params, bool) {
		at := c.Pauses()
		if len(at) == 0 || !without(dap.Misuse)(c) {
			return nil, false
		}
		return transform.Params{"at": strconv.Itoa(transform.Pick(c.R, at) + 1), "what": transform.Deal(c, wrongly)}, true
	},
	Run: func(d *transform.Driver, p transform.Params) error {
		return d.Insert(p, dap.Lens{}, func() error {
			out, err := d.Do(dap.Action{Kind: dap.Misuse, Name: p["what"]})
			if err != nil {
				return err
			}
			if out.Kind != dap.Refused && out.Kind != dap.Done {
				return transform.NotMadef("%s: %s", p["what"], out)
			}
			return nil
		})
	},
}
