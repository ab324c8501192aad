package action

import (
	"misstep/dap"
	"misstep/transform"
)

// ownLog marks the messages of log points that the transformation added.
const ownLog = "added by misstep"

// logPoint: a log point prints and does not pause. The messages that it prints
// are its own and are not compared; all others are.
var logPoint = transform.Transformation{
	Name:   "log-point",
	Doc:    "Adds a log point: it prints its message, and there is no other difference.",
	Choose: (*transform.Choice).Place,
	Run: func(d *transform.Driver, p transform.Params) error {
		line, err := p.Place("line")
		if err != nil {
			return err
		}
		return d.Insert(p, dap.Lens{OwnLogs: ownLog}, func() error {
			_, err := d.Want(dap.Set, dap.Action{Kind: dap.Break, File: line.File, Line: line.Line, Log: ownLog})
			return err
		})
	},
}
