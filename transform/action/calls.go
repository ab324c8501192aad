package action

import (
	"path"

	"misstep/dap"
	"misstep/gen"
	"misstep/internal/source"
	"misstep/transform"
)

// callPure calls a function that changes nothing wherever the program is paused in its own package, so that all that a call has to put back
// is put back: registers, flags, the stack, what a step was about to do. Guards: the program has no goroutines of its own, which would run on
// during a call; no breakpoint stands in what is called; nothing is watched, as what is watched on the stack may move. Where the program is
// paused for what went wrong nothing is called.
var callPure = transform.Transformation{
	Name: "call-pure",
	Doc:  "Calls a function that changes nothing at each pause in the program's own package: no difference.",
	Choose: func(c *transform.Choice) (transform.Params, bool) {
		at := c.Pauses()
		if len(at) == 0 || c.Source.Concurrent() || !without(dap.DataBreak, dap.Restart, dap.Misuse)(c) {
			return nil, false
		}
		place, ok := calledAt(c.Base[transform.Pick(c.R, at)].Output.Pause)
		if !ok {
			return nil, false
		}
		expr, ok := gen.CallAt(c.R, c.Source, place, nil) // of what is seen at each pause
		return transform.Params{"expr": expr}, ok
	},
	Run: func(d *transform.Driver, p transform.Params) error {
		called := 0
		err := d.PlayAll(dap.Lens{}, func(int) error {
			if _, ok := calledAt(d.Session.Pause()); !ok || d.Session.State() != dap.PausedState || gen.MayStopIn(p["expr"], d.Session.Breakpoints(), gen.DeclaredIn(d.Source)) {
				return nil
			}
			out, err := d.Do(dap.Action{Kind: dap.Evaluate, Name: p["expr"]})
			if err != nil {
				return err
			}
			if out.Kind == dap.Answered {
				called++
			}
			return nil
		})
		if err == nil && called == 0 {
			return transform.NotMadef("nowhere could %s be evaluated", p["expr"])
		}
		return err
	},
}

// calledAt is where a pause is, if a function can be called there by its bare name: in the program's main package, and not for what went wrong.
func calledAt(p *dap.Pause) (at source.Place, ok bool) {
	if p == nil || len(p.Stack) == 0 || p.Exception() {
		return source.Place{}, false
	}
	top := p.Top()
	return source.Place{File: top.File, Line: top.Line}, top.File != "" && path.Dir(top.File) == "."
}
