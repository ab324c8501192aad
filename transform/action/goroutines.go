package action

import (
	"math/rand/v2"
	"strconv"

	"misstep/dap"
	"misstep/transform"
)

// stepsAbout is how many steps it takes.
const stepsAbout = 24

// goroutineSteps takes a base in which log points print and nothing else
// happens, and steps through one goroutine while they do. A step in one
// goroutine must lose no log line of another, nor of its own. The messages are
// compared goroutine by goroutine, as who runs first is the scheduler's choice.
var goroutineSteps = transform.Transformation{
	Name: "goroutine-steps",
	Doc:  "Pauses once and steps about while log points print, in all goroutines: each goroutine prints the same lines in the same order.",
	Choose: func(c *transform.Choice) (transform.Params, bool) {
		if !transform.Counting(c.Base) {
			return nil, false
		}
		line, ok := c.FreeLine(c.Source.DynamicCalls()...)
		if !ok {
			return nil, false
		}
		return transform.Params{"line": line.String(), "seed": strconv.Itoa(c.R.IntN(1000))}, true
	},
	Run: func(d *transform.Driver, p transform.Params) error {
		line, err := p.Place("line")
		if err != nil {
			return err
		}
		seed, err := p.Num("seed")
		if err != nil {
			return err
		}
		if !transform.Counting(d.Base) {
			return transform.NotMadef("the base does more than let log points print")
		}
		r := rand.New(rand.NewPCG(uint64(seed), 0x676f))
		var all dap.Output
		do := func(a dap.Action) (*dap.Output, error) {
			out, err := d.Do(a)
			if err == nil {
				all = all.Then(out)
			}
			return out, err
		}
		for i, e := range d.Base {
			switch e.Action.Kind {
			case dap.Break:
				if err := d.Play(i, dap.Lens{}); err != nil {
					return err
				}
				continue
			case dap.Finish:
				continue
			}
			if _, err := d.Want(dap.Set, dap.Action{Kind: dap.Break, File: line.File, Line: line.Line}); err != nil {
				return err
			}
			out, err := do(e.Action)
			if err != nil {
				return err
			}
			for n := 0; n < stepsAbout && out.Pause != nil && !out.Pause.Exception(); n++ {
				if out, err = do(dap.Action{Kind: transform.Pick(r, []dap.Kind{dap.Next, dap.Next, dap.StepIn, dap.StepIn, dap.StepIn, dap.StepOut})}); err != nil {
					return err
				}
			}
			if out.Kind == dap.Paused {
				if _, err := d.Do(dap.Action{Kind: dap.Unbreak, File: line.File, Line: line.Line}); err != nil {
					return err
				}
			}
			for n := 0; out.Kind == dap.Paused; n++ {
				if n == transform.MaxInserted {
					return transform.NotMadef("more than %d pauses of the interrupted step", transform.MaxInserted)
				}
				if out, err = do(dap.Action{Kind: dap.Continue}); err != nil {
					return err
				}
			}
			if err := d.Match(i, &all, dap.Lens{NoReason: true}); err != nil {
				return err
			}
		}
		return nil
	},
	Last: true,
}
