package transform

import "misstep/dap"

// hitAlways: from the first hit on is always.
var hitAlways = Action{
	Name: "hit-always",
	Doc:  "Gives a breakpoint the hit condition >=1, or >0: no difference.",
	Choose: func(c *Choice) (Params, bool) {
		p, ok := amend(c, func(a dap.Action) bool { return a.Hit == "" })
		if ok {
			p["hit"] = pick(c.R, []string{">=1", ">0", "!=0"})
		}
		return p, ok
	},
	Run: func(d *Driver, p Params) error {
		return d.amend(p, dap.Lens{}, func(a dap.Action) dap.Action {
			if a.Kind == dap.Break && a.Hit == "" {
				a.Hit = p["hit"]
			}
			return a
		})
	},
}
