package action

import (
	"misstep/dap"
	"misstep/transform"
)

// conditionTrue: a condition that always holds is none. Guard: programs that
// give true or false another meaning, as $GOROOT/test has some.
var conditionTrue = transform.Transformation{
	Name: "condition-true",
	Doc:  "Gives a breakpoint the condition true: no difference.",
	Choose: func(c *transform.Choice) (transform.Params, bool) {
		p, ok := transform.Amendable(c, func(a dap.Action) bool { return a.Condition == "" })
		if ok {
			p["condition"] = "1 == 1"
			if !c.Source.Declares("true") && !c.Source.Declares("false") {
				p["condition"] = transform.Pick(c.R, []string{"true", "1 == 1", "!false"})
			}
		}
		return p, ok
	},
	Run: func(d *transform.Driver, p transform.Params) error {
		return d.Amend(p, dap.Lens{}, func(a dap.Action) dap.Action {
			if a.Kind == dap.Break && a.Condition == "" {
				a.Condition = p["condition"]
			}
			return a
		})
	},
}

// conditionFalse: a breakpoint whose condition never holds is none.
var conditionFalse = transform.Transformation{
	Name: "condition-false",
	Doc:  "Adds a breakpoint with the condition false: no difference.",
	Choose: func(c *transform.Choice) (transform.Params, bool) {
		p, ok := c.Place()
		if !ok {
			return nil, false
		}
		p["condition"] = "1 == 2"
		if !c.Source.Declares("false") {
			p["condition"] = transform.Pick(c.R, []string{"false", "1 == 2"})
		}
		return p, true
	},
	Run: func(d *transform.Driver, p transform.Params) error {
		line, err := p.Place("line")
		if err != nil {
			return err
		}
		return d.Insert(p, dap.Lens{}, func() error {
			_, err := d.Want(dap.Set, dap.Action{Kind: dap.Break, File: line.File, Line: line.Line, Condition: p["condition"]})
			return err
		})
	},
}
