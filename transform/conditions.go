package transform

import (
	"strconv"
	"strings"

	"misstep/dap"
)

func splitComma(s string) []string { return strings.Split(s, ",") }

// amend is the common part of transformations that ask for a breakpoint of the
// base in another way, each time that the base asks for it.
func amend(c *Choice, ok func(dap.Action) bool) (Params, bool) {
	var at []int
	for i, e := range c.Base {
		if e.Action.Kind == dap.Break && e.Output.Breakpoint != nil && e.Output.Breakpoint.Verified && ok(e.Action) {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return nil, false
	}
	a := c.Base[pick(c.R, at)].Action
	return Params{"line": a.File + ":" + strconv.Itoa(a.Line)}, true
}

func (d *Driver) amend(p Params, lens dap.Lens, change func(dap.Action) dap.Action) error {
	line, err := p.place("line")
	if err != nil {
		return err
	}
	for i, e := range d.Base {
		if e.Action.File != line.File || e.Action.Line != line.Line {
			if err := d.Play(i, lens); err != nil {
				return err
			}
			continue
		}
		out, err := d.Do(change(e.Action))
		if err != nil {
			return err
		}
		if err := d.Match(i, out, lens); err != nil {
			return err
		}
	}
	return nil
}

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

// conditionFalse: a breakpoint whose condition never holds is none.
var conditionFalse = Action{
	Name: "condition-false",
	Doc:  "Adds a breakpoint with the condition false: no difference.",
	Choose: func(c *Choice) (Params, bool) {
		at := c.quiet()
		line, ok := c.freeLine()
		if !ok || len(at) == 0 {
			return nil, false
		}
		p := Params{"at": strconv.Itoa(pick(c.R, at)), "line": line.String(), "condition": "1 == 2"}
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

// ownLog marks the messages of log points that the transformation added.
const ownLog = "added by misstep"

// logPoint: a log point prints and does not pause. The messages that it prints
// are its own and are not compared; all others are.
var logPoint = Action{
	Name: "log-point",
	Doc:  "Adds a log point: it prints its message, and there is no other difference.",
	Choose: func(c *Choice) (Params, bool) {
		at := c.quiet()
		line, ok := c.freeLine()
		if !ok || len(at) == 0 {
			return nil, false
		}
		return Params{"at": strconv.Itoa(pick(c.R, at)), "line": line.String()}, true
	},
	Run: func(d *Driver, p Params) error {
		line, err := p.place("line")
		if err != nil {
			return err
		}
		return d.insert(p, dap.Lens{OwnLogs: ownLog}, func() error {
			_, err := d.want(dap.Set, dap.Action{Kind: dap.Break, File: line.File, Line: line.Line, Log: ownLog})
			return err
		})
	},
}
