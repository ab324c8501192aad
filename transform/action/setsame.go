package action

import (
	"strconv"
	"strings"

	"misstep/dap"
	"misstep/internal/source"
	"misstep/transform"
)

// setSame gives a variable the value that it has. Guards: only variables of
// basic types whose whole value is shown, not shadowed, not captured. What variables lead to is not compared at once after a
// string was set (tolerance moved-away).
var setSame = transform.Transformation{
	Name: "set-same",
	Doc:  "Sets a variable to the value that it has: that is granted, and there is no other difference.",
	Choose: func(c *transform.Choice) (transform.Params, bool) {
		type chance struct {
			at          int
			name, value string
		}
		var can []chance
		for _, i := range c.Pauses() {
			p := c.Base[i].Output.Pause
			if len(p.Scopes) == 0 || !c.Source.Own(p.Top().File) {
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
		ch := transform.Pick(c.R, can)
		return transform.Params{"at": strconv.Itoa(ch.at + 1), "name": ch.name, "value": ch.value}, true
	},
	Run: func(d *transform.Driver, p transform.Params) error {
		return d.AtPause(p, func(pause *dap.Pause) error {
			out, err := d.Do(dap.Action{Kind: dap.SetVar, Name: p["name"], Value: p["value"]})
			if err != nil {
				return err
			}
			if out.Kind == dap.Unsupported || out.Kind == dap.Refused && strings.Contains(out.Text, "not at safe point") {
				// A string is put into the program's memory by a call, which the runtime does not allow everywhere.
				return transform.NotMadef("%s", out)
			}
			if out.Kind != dap.Answered {
				return d.Equal(len(d.Events)-1, &dap.Output{Kind: dap.Answered}, out, dap.Lens{})
			}
			again, err := d.Do(dap.Action{Kind: dap.Vars})
			if err != nil {
				return err
			}
			lens := dap.Lens{}
			if strings.HasPrefix(p["value"], `"`) {
				// The call may have the stack grow, which does not take along what nothing leads to any more that is used.
				lens.Settled = func(_ dap.Frame, name string) bool {
					v := pause.Var(name)
					return v != nil && len(v.Children) == 0
				}
			}
			return d.Equal(len(d.Events)-1, shown(pause, false), again, lens)
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
