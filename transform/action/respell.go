package action

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"

	"misstep/dap"
	"misstep/gen"
	"misstep/transform"
)

// respellings is how many expressions are evaluated in two ways.
const respellings = 6

// respell evaluates an expression, and the same written in another way. Guards: of what is refused it is compared that both
// are, and adapters other than Delve are asked for Go's own expressions alone.
var respell = transform.Transformation{
	Name: "respell",
	Doc:  "Evaluates expressions in two ways to write them that mean the same, such as p.f and (*p).f, or a caller's variable and runtime.frame(1).x: the same value, and no other difference.",
	Choose: func(c *transform.Choice) (transform.Params, bool) {
		at := c.Pauses()
		if len(at) == 0 {
			return nil, false
		}
		i := transform.Pick(c.R, at)
		return transform.Params{"at": strconv.Itoa(i + 1), "seed": strconv.Itoa(c.R.IntN(1_000_000))}, true
	},
	Run: func(d *transform.Driver, p transform.Params) error {
		seed, err := p.Num("seed")
		if err != nil {
			return err
		}
		return d.AtPause(p, func(pause *dap.Pause) error {
			r := rand.New(rand.NewPCG(uint64(seed), 0x7370656c))
			made := false
			for range respellings {
				frame := 0
				for f := range pause.Stack {
					if d.Source.Own(pause.Stack[f].File) && r.IntN(3) == 0 {
						frame = f
						break
					}
				}
				one, other, name, ok := gen.Respelled(r, d.Source, pause, frame, d.Session.Adapter().Name != "dlv")
				if !ok {
					continue
				}
				a, err := d.Do(one)
				if err != nil {
					return err
				}
				b, err := d.Do(other)
				if err != nil {
					return err
				}
				if a.Kind != b.Kind && (a.Kind == dap.Unsupported || b.Kind == dap.Unsupported) || a.Kind == dap.Refused && b.Kind == dap.Refused {
					continue
				}
				made = true
				if err := d.Equal(len(d.Events)-1, a, b, dap.Lens{}); err != nil {
					var m *transform.Mismatch
					if errors.As(err, &m) {
						m.Diff.What = fmt.Sprintf("%s for %s (%s), %s", other.Name, one.Name, name, m.Diff.What)
					}
					return err
				}
			}
			if !made {
				return transform.NotMadef("nothing there has two spellings")
			}
			return nil
		})
	},
}
