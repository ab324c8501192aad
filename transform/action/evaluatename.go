package action

import (
	"fmt"
	"strconv"
	"strings"

	"misstep/dap"
	"misstep/transform"
)

// namesAsked is how many of the variables of a pause are evaluated by the expressions that they come with.
const namesAsked = 16

// evaluateNames evaluates the expressions that the adapter itself gives for what it shows, which clients put into their lists of
// watched expressions. Guards: what a limit has cut off may be shown in full by itself, so that texts are compared of what has no
// parts, and of the rest its type and its parts; what is inside of channels the session names itself. What could not be read by its place in
// the list may not be readable by its expression either, and has no value then.
var evaluateNames = transform.Transformation{
	Name: "evaluate-names",
	Doc:  "Evaluates the expressions that variables and their parts come with: each gives what was shown, what could not be read has no value, and there is no other difference.",
	Choose: func(c *transform.Choice) (transform.Params, bool) {
		var at []int
		for _, i := range c.Pauses() {
			if p := c.Base[i].Output.Pause; c.Source.Own(p.Top().File) && len(p.Scopes) > 0 && !p.Exception() {
				at = append(at, i)
			}
		}
		if len(at) == 0 {
			return nil, false
		}
		return transform.Params{"at": strconv.Itoa(transform.Pick(c.R, at) + 1), "from": strconv.Itoa(c.R.IntN(1000))}, true
	},
	Run: func(d *transform.Driver, p transform.Params) error {
		from, err := p.Num("from")
		if err != nil {
			return err
		}
		return d.AtPause(p, func(pause *dap.Pause) error {
			var all []named
			for i := range pause.Scopes {
				for k := range pause.Scopes[i].Vars {
					all = nameable(all, &pause.Scopes[i].Vars[k], pause.Scopes[i].Vars[k].Name)
				}
			}
			if len(all) == 0 {
				return transform.NotMadef("no variable comes with an expression")
			}
			for n := range min(namesAsked, len(all)) {
				v := all[(from+n*max(1, len(all)/namesAsked))%len(all)]
				out, err := d.Do(dap.Action{Kind: dap.Evaluate, Name: v.of.EvaluateName()})
				if err != nil {
					return err
				}
				d.Checks++
				if what, want, got := reshown(v.path, v.of, out); what != "" {
					return &transform.Mismatch{Index: len(d.Events) - 1, Action: d.Events[len(d.Events)-1].Action, Diff: &dap.Difference{Kind: dap.DiffVariables, What: what, A: want, B: got}}
				}
			}
			return nil
		})
	},
}

// named is a variable that comes with an expression, and how it is reached.
type named struct {
	path string
	of   *dap.Variable
}

// unreadable begins what is shown in the place of a value that could not be read.
const unreadable = "(unreadable "

// nameable adds a variable and its parts, as far as they come with an expression and have a value that stays, or could not be read.
func nameable(all []named, v *dap.Variable, path string) []named {
	if strings.HasPrefix(v.Type, "chan ") || strings.HasPrefix(v.Value, "(") && !strings.HasPrefix(v.Value, unreadable) || strings.ContainsAny(v.Name, "~") {
		return all
	}
	if v.EvaluateName() != "" {
		all = append(all, named{path, v})
	}
	for i := range v.Children {
		all = nameable(all, &v.Children[i], path+"."+v.Children[i].Name)
	}
	return all
}

// reshown holds the answer to a variable's expression against what was shown of it.
func reshown(path string, v *dap.Variable, out *dap.Output) (what, want, got string) {
	switch {
	case strings.HasPrefix(v.Value, unreadable):
		if out.Kind == dap.Answered && out.Value != nil && !strings.Contains(out.Value.Value, "unreadable") {
			return path, v.Value, out.Value.Value
		}
		return "", "", ""
	case out.Kind != dap.Answered || out.Value == nil:
		return path, "evaluated, by " + v.EvaluateName(), out.String()
	// The protocol leaves it open whether an answer has a type, and some versions of Delve give none.
	case v.Type != out.Value.Type && out.Value.Type != "" && !strings.HasSuffix(v.Type, ": "+out.Value.Type): // an entry of a map has its key's as well
		return path + ", its type", v.Type, out.Value.Type
	}
	if strings.Contains(v.Value, unreadable) && !strings.Contains(out.Value.Value, unreadable) && !hides(out.Value.Value) {
		return path, v.Value, out.Value.Value // parts may lie deeper than what is shown of them
	}
	return samePartsAs(path, v, out.Value)
}

// hides reports whether a text leaves something out of what it is about: parts that lie deep are shown as where they are.
func hides(text string) bool { return strings.Contains(text, "...") || strings.Contains(text, "(*") }

// samePartsAs compares the texts of what has no parts, as far as both show them.
func samePartsAs(path string, v, w *dap.Variable) (what, want, got string) {
	if len(v.Children) == 0 && len(w.Children) == 0 && v.Cut == "" && w.Cut == "" && !strings.Contains(v.Value, "...") {
		if v.Value != w.Value {
			return path, v.Value, w.Value
		}
		return "", "", ""
	}
	for i := range min(len(v.Children), len(w.Children)) {
		a, b := &v.Children[i], &w.Children[i]
		if a.Name != b.Name {
			return path, fmt.Sprintf("the part %d is %s", i, a.Name), b.Name
		}
		if what, want, got = samePartsAs(path+"."+a.Name, a, b); what != "" {
			return what, want, got
		}
	}
	return "", "", ""
}
