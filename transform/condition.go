package transform

import "misstep/dap"

// conditionTrue: a condition that always holds is none. Guard: programs that
// give true or false another meaning, as $GOROOT/test has some.
var conditionTrue = Action{
	Name: "condition-true",
	Doc:  "Gives a breakpoint the condition true: no difference.",
	Choose: func(c *Choice) (Params, bool) {
		p, ok := amend(c, func(a dap.Action) bool { return a.Condition == "" })
		if ok {
			p["condition"] = "1 == 1"
			if !c.Source.Declares("true") && !c.Source.Declares("false") {
				p["condition"] = pick(c.R, []string{"true", "1 == 1", "!false"})
			}
		}
		return p, ok
	},
	Run: func(d *Driver, p Params) error {
		return d.amend(p, dap.Lens{}, func(a dap.Action) dap.Action {
			if a.Kind == dap.Break && a.Condition == "" {
				a.Condition = p["condition"]
			}
			return a
		})
	},
}

// conditionFalse: a breakpoint whose condition never holds is none.
var conditionFalse = Action{
	Name: "condition-false",
	Doc:  "Adds a breakpoint with the condition false: no difference.",
	Choose: func(c *Choice) (Params, bool) {
		p, ok := c.place()
		if !ok {
			return nil, false
		}
		p["condition"] = "1 == 2"
		if !c.Source.Declares("false") {
			p["condition"] = pick(c.R, []string{"false", "1 == 2"})
		}
		return p, true
	},
	Run: func(d *Driver, p Params) error {
		line, err := p.place("line")
		if err != nil {
			return err
		}
		return d.insert(p, dap.Lens{}, func() error {
			_, err := d.want(dap.Set, dap.Action{Kind: dap.Break, File: line.File, Line: line.Line, Condition: p["condition"]})
			return err
		})
	},
}
