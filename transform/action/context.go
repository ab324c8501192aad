package action

import (
	"strconv"
	"strings"

	"misstep/dap"
	"misstep/gen"
	"misstep/transform"
)

// otherContext evaluates an expression for another purpose than watching it: to show it where the cursor
// is, to copy it, or at a prompt. Guards: calls are made once; of strings, more may be shown, and of
// values that are made of parts, the text may be longer.
var otherContext = transform.Transformation{
	Name: "other-context",
	Doc:  "Evaluates an expression for a watch, and for a hover, the prompt, the clipboard or the list of variables: the same value, and no other difference.",
	Choose: func(c *transform.Choice) (transform.Params, bool) {
		at := c.Pauses()
		if len(at) == 0 {
			return nil, false
		}
		i := transform.Pick(c.R, at)
		e, ok := gen.Expression(c.R, c.Source, c.Base[i].Output.Pause, 0)
		if odd := gen.Unreadable(c.Base[i].Output.Pause); len(odd) > 0 {
			e, ok = transform.Pick(c.R, odd), true
		}
		if !ok || strings.HasPrefix(e, "call ") {
			return nil, false
		}
		return transform.Params{"at": strconv.Itoa(i + 1), "expr": e}, true
	},
	Run: func(d *transform.Driver, p transform.Params) error {
		return d.Insert(p, dap.Lens{}, func() error {
			watched, err := d.Do(dap.Action{Kind: dap.Evaluate, Name: p["expr"]})
			if err != nil {
				return err
			}
			a := mapped(*watched, func(v *dap.Variable) { shortStrings(v, false) })
			for _, context := range dap.Contexts {
				shown, err := d.Do(dap.Action{Kind: dap.Evaluate, Name: p["expr"], Context: context})
				if err != nil {
					return err
				}
				b := mapped(*shown, func(v *dap.Variable) { shortStrings(v, true) })
				if err := d.Equal(len(d.Events)-1, &a, &b, dap.Lens{}); err != nil {
					return err
				}
			}
			return nil
		})
	},
}
