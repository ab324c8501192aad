package action

import (
	"strconv"
	"strings"

	"misstep/dap"
	"misstep/gen"
	"misstep/transform"
)

// evaluatePure evaluates an expression twice: the answers agree, and nothing
// changes. Guard: a call needs a program that no breakpoint stops on the way.
var evaluatePure = transform.Transformation{
	Name: "evaluate-pure",
	Doc:  "Evaluates a pure expression twice: both answers agree, and there is no other difference.",
	Choose: func(c *transform.Choice) (transform.Params, bool) {
		at := c.Pauses()
		if len(at) == 0 {
			return nil, false
		}
		i := transform.Pick(c.R, at)
		p := c.Base[i].Output.Pause
		frame := 0
		for f := range p.Stack {
			if c.Source.Own(p.Stack[f].File) && c.R.IntN(3) == 0 {
				frame = f
				break
			}
		}
		e, ok := gen.Expression(c.R, c.Source, p, frame)
		if !ok || strings.HasPrefix(e, "call ") && len(settled(c.Base, i)) > 0 {
			return nil, false
		}
		return transform.Params{"at": strconv.Itoa(i + 1), "frame": strconv.Itoa(frame), "expr": e}, true
	},
	Run: func(d *transform.Driver, p transform.Params) error {
		frame, err := p.Num("frame")
		if err != nil {
			return err
		}
		return d.Insert(p, dap.Lens{}, func() error {
			a := dap.Action{Kind: dap.Evaluate, Frame: frame, Name: p["expr"]}
			first, err := d.Do(a)
			if err != nil {
				return err
			}
			second, err := d.Do(a)
			if err != nil {
				return err
			}
			return d.Equal(len(d.Events)-1, first, second, dap.Lens{})
		})
	},
}
