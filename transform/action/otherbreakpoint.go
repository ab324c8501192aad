package action

import (
	"strings"

	"misstep/dap"
	"misstep/internal/source"
	"misstep/transform"
)

// functionForLine asks for a function breakpoint instead of a line breakpoint
// at the func line: they stand at the same instruction. Guards: generic
// functions, init functions and those that are inlined have several; the reason of the pause names the
// kind of breakpoint and is not compared; the base must not ask for both.
var functionForLine = transform.Transformation{
	Name: "function-for-line",
	Doc:  "Sets a function breakpoint instead of a breakpoint at the function's first line: no difference but the reason of the pause.",
	Choose: func(c *transform.Choice) (transform.Params, bool) {
		funcs := map[source.Place]source.Func{}
		for _, fn := range c.Source.Funcs() {
			if !fn.Generic && fn.Decl.Name.Name != "init" {
				funcs[fn.Place] = fn
			}
		}
		for _, e := range c.Base {
			if k := e.Action.Kind; k == dap.FuncBreak || k == dap.Resend {
				return nil, false
			}
		}
		p, ok := transform.Amendable(c, func(a dap.Action) bool {
			fn, ok := funcs[source.Place{File: a.File, Line: a.Line}]
			// A function on one line has its body at the same line.
			return ok && a.Log == "" && fn.End > fn.Line
		})
		if ok {
			place, _ := p.Place("line")
			p["function"] = funcs[place].Name
		}
		return p, ok
	},
	Run: func(d *transform.Driver, p transform.Params) error {
		if d.Session.Target().Optimised() {
			return transform.NotMadef("the build is optimised: a function that is inlined has several places")
		}
		return d.Amend(p, dap.Lens{NoReason: true}, func(a dap.Action) dap.Action {
			switch a.Kind {
			case dap.Break:
				return dap.Action{Kind: dap.FuncBreak, Name: p["function"], Condition: a.Condition, Hit: a.Hit}
			case dap.Unbreak:
				return dap.Action{Kind: dap.FuncUnset, Name: p["function"]}
			}
			return a
		})
	},
}

// instructionForLine asks for an instruction breakpoint instead of a line
// breakpoint, at the one instruction where the line breakpoint paused the
// base. Guards: all its pauses were at that instruction; it has no condition,
// as a line with a closure on it has several instructions that count hits; no
// other breakpoint is in the function; the reason is not compared.
var instructionForLine = transform.Transformation{
	Name: "instruction-for-line",
	Doc:  "Sets an instruction breakpoint where a line breakpoint paused, instead of that: no difference but the reason of the pause.",
	Choose: func(c *transform.Choice) (transform.Params, bool) {
		places := map[string]map[string]bool{} // breakpoint to places
		for _, e := range c.Base {
			switch e.Action.Kind {
			case dap.Resend, dap.InstBreak, dap.FuncBreak:
				return nil, false
			}
			if p := e.Output.Pause; p != nil && len(p.Hit) == 1 && p.Top().Place != "" {
				if places[p.Hit[0]] == nil {
					places[p.Hit[0]] = map[string]bool{}
				}
				places[p.Hit[0]][p.Top().Place] = true
			}
		}
		p, ok := transform.Amendable(c, func(a dap.Action) bool {
			return a.Log == "" && a.Condition == "" && a.Hit == "" && len(places[source.Place{File: a.File, Line: a.Line}.String()]) == 1
		})
		if ok {
			for place := range places[p["line"]] {
				p["place"] = place
			}
		}
		return p, ok
	},
	Run: func(d *transform.Driver, p transform.Params) error {
		if !strings.Contains(p["place"], "+") {
			return transform.NotMadef("the base does not tell the instruction")
		}
		return d.Amend(p, dap.Lens{NoReason: true}, func(a dap.Action) dap.Action {
			switch a.Kind {
			case dap.Break:
				return dap.Action{Kind: dap.InstBreak, Name: p["place"], Condition: a.Condition, Hit: a.Hit}
			case dap.Unbreak:
				return dap.Action{Kind: dap.InstUnset, Name: p["place"]}
			}
			return a
		})
	},
}
