package transform

import (
	"slices"
	"strconv"
	"strings"

	"misstep/dap"
	"misstep/gen"
	"misstep/internal/source"
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
			if c.Source.File(p.Stack[f].File) != nil && c.R.IntN(3) == 0 {
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

// shown is a pause as an answer to asking once more.
func shown(p *dap.Pause, stack bool) *dap.Output {
	if stack {
		return &dap.Output{Kind: dap.Answered, Stack: p.Stack}
	}
	return &dap.Output{Kind: dap.Answered, Scopes: p.Scopes}
}

func chooseAsk(c *Choice, pages []int) (Params, bool) {
	at := c.pauses()
	if len(at) == 0 {
		return nil, false
	}
	what := pick(c.R, []string{"stack", "vars"})
	if what == "vars" {
		// Elsewhere the variables are not asked for in the first place.
		at = slices.DeleteFunc(at, func(i int) bool { return c.Source.File(c.Base[i].Output.Pause.Top().File) == nil })
		if len(at) == 0 {
			return nil, false
		}
	}
	return Params{"at": strconv.Itoa(pick(c.R, at) + 1), "what": what, "page": strconv.Itoa(pick(c.R, pages))}, true
}

func runAsk(d *Driver, p Params) error {
	page, err := p.num("page")
	if err != nil {
		return err
	}
	return d.insert(p, dap.Lens{}, func() error {
		pause := d.Session.Pause()
		if pause == nil {
			return notMade("the program is not paused")
		}
		out, err := d.Do(dap.Action{Kind: dap.Kind(p["what"]), Page: page})
		if err != nil {
			return err
		}
		return d.Equal(len(d.Events)-1, shown(pause, p["what"] == "stack"), out, dap.Lens{})
	})
}

// askTwice asks for the stack or the variables once more.
var askTwice = Action{
	Name:   "ask-twice",
	Doc:    "Asks for the stack or the variables once more: the same answer, and no other difference.",
	Choose: func(c *Choice) (Params, bool) { return chooseAsk(c, []int{0}) },
	Run:    runAsk,
}

// askInPages asks in pages. Guard: what a variable's limit cut off in one of
// the two is not compared.
var askInPages = Action{
	Name:   "ask-in-pages",
	Doc:    "Asks for the stack or the variables in pages: together they are the whole, and there is no other difference.",
	Choose: func(c *Choice) (Params, bool) { return chooseAsk(c, []int{1, 2, 3, 5}) },
	Run:    runAsk,
}

// setSame gives a variable the value that it has. Guards: only variables of
// basic types whose whole value is shown, not shadowed, not captured.
var setSame = Action{
	Name: "set-same",
	Doc:  "Sets a variable to the value that it has: that is granted, and there is no other difference.",
	Choose: func(c *Choice) (Params, bool) {
		type chance struct {
			at          int
			name, value string
		}
		var can []chance
		for _, i := range c.pauses() {
			p := c.Base[i].Output.Pause
			if len(p.Scopes) == 0 || c.Source.File(p.Top().File) == nil {
				continue
			}
			for _, v := range p.Scopes[0].Vars {
				if value, ok := literal(v); ok && c.Source.Settled(source.Place{File: p.Top().File, Line: p.Top().Line}, p.Top().Func, v.Name) {
					can = append(can, chance{i, v.Name, value})
				}
			}
		}
		if len(can) == 0 {
			return nil, false
		}
		ch := pick(c.R, can)
		return Params{"at": strconv.Itoa(ch.at + 1), "name": ch.name, "value": ch.value}, true
	},
	Run: func(d *Driver, p Params) error {
		return d.insert(p, dap.Lens{}, func() error {
			pause := d.Session.Pause()
			if pause == nil {
				return notMade("the program is not paused")
			}
			out, err := d.Do(dap.Action{Kind: dap.SetVar, Name: p["name"], Value: p["value"]})
			if err != nil {
				return err
			}
			if out.Kind == dap.Unsupported {
				return notMade("%s", out)
			}
			if out.Kind != dap.Answered {
				return d.Equal(len(d.Events)-1, &dap.Output{Kind: dap.Answered}, out, dap.Lens{})
			}
			again, err := d.Do(dap.Action{Kind: dap.Vars})
			if err != nil {
				return err
			}
			return d.Equal(len(d.Events)-1, shown(pause, false), again, dap.Lens{})
		})
	},
}

// literal is a variable's value as a Go literal, where that is the whole value.
func literal(v dap.Variable) (string, bool) {
	if strings.ContainsAny(v.Name, "()~&. ") || v.Raw != "" {
		return "", false
	}
	switch v.Type {
	case "int", "int8", "int16", "int32", "int64", "bool":
		return v.Value, !strings.Contains(v.Value, " ")
	case "uint", "uint8", "uint16", "uint32", "uint64":
		n, _, _ := strings.Cut(v.Value, " ")
		return n, true
	case "float64":
		_, err := strconv.ParseFloat(v.Value, 64)
		return v.Value, err == nil && !strings.ContainsAny(v.Value, "NI")
	case "string":
		return v.Value, len(v.Value) < 60 && strings.HasSuffix(v.Value, `"`) && !strings.Contains(v.Value, "...")
	}
	return "", false
}
