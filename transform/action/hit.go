package action

import (
	"misstep/dap"
	"misstep/transform"
)

// hitAlways: from the first hit on is always.
var hitAlways = transform.Transformation{
	Name: "hit-always",
	Doc:  "Gives a breakpoint the hit condition >=1, or >0: no difference.",
	Choose: func(c *transform.Choice) (transform.Params, bool) {
		p, ok := transform.Amendable(c, func(a dap.Action) bool { return a.Hit == "" })
		if ok {
			p["hit"] = transform.Pick(c.R, []string{">=1", ">0", "!=0"})
		}
		return p, ok
	},
	Run: func(d *transform.Driver, p transform.Params) error {
		return d.Amend(p, dap.Lens{}, func(a dap.Action) dap.Action {
			if a.Kind == dap.Break && a.Hit == "" {
				a.Hit = p["hit"]
			}
			return a
		})
	},
}
