package transform

import (
	"strconv"
	"strings"

	"misstep/dap"
	"misstep/gen"
)

// evaluatePure evaluates an expression twice: the answers agree, and nothing
// changes. Guard: a call needs a program that no breakpoint stops on the way.
var evaluatePure = Action{
	Name: "evaluate-pure",
	Doc:  "Evaluates a pure expression twice: both answers agree, and there is no other difference.",
	Choose: func(c *Choice) (Params, bool) {
		at := c.pauses()
		if len(at) == 0 {
			return nil, false
		}
		i := pick(c.R, at)
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
		return Params{"at": strconv.Itoa(i + 1), "frame": strconv.Itoa(frame), "expr": e}, true
	},
	Run: func(d *Driver, p Params) error {
		frame, err := p.num("frame")
		if err != nil {
			return err
		}
		return d.insert(p, dap.Lens{}, func() error {
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
