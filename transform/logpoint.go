package transform

import "misstep/dap"

// ownLog marks the messages of log points that the transformation added.
const ownLog = "added by misstep"

// logPoint: a log point prints and does not pause. The messages that it prints
// are its own and are not compared; all others are.
var logPoint = Action{
	Name:   "log-point",
	Doc:    "Adds a log point: it prints its message, and there is no other difference.",
	Choose: (*Choice).place,
	Run: func(d *Driver, p Params) error {
		line, err := p.place("line")
		if err != nil {
			return err
		}
		return d.insert(p, dap.Lens{OwnLogs: ownLog}, func() error {
			_, err := d.want(dap.Set, dap.Action{Kind: dap.Break, File: line.File, Line: line.Line, Log: ownLog})
			return err
		})
	},
}
