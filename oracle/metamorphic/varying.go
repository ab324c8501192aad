package metamorphic

import (
	"slices"
	"strings"

	"misstep/dap"
	"misstep/transform"
)

// Varying is what runs of a program that were done in the same way were seen to differ in: the values of variables, such as of a time or of
// a random number, of expressions, and what the program prints. It is not compared (tolerance varying-values); all else is. The zero value
// is that nothing varies.
type Varying struct {
	names  []string // of variables, each with the function that shows it, and the names of what it is a part of
	asked  []string // expressions
	output bool
}

// varies bounds how much of a program may vary: of one in which more does, there is little left to compare.
const varies = 12

// Learn notes how a run differed from one with that trace which was done in the same way. It reports whether that can be left out of what is compared: not where they
// went different ways, and not again what has been left out.
func (v *Varying) Learn(was []dap.Event, m *transform.Mismatch) bool {
	if len(v.names)+len(v.asked) >= varies {
		return false
	}
	once := func(list *[]string, name string) bool {
		if slices.Contains(*list, name) {
			return false
		}
		*list = append(*list, name)
		return true
	}
	d := m.Diff
	switch {
	case d.A == d.B, d.A == "not shown", d.B == "not shown", strings.HasSuffix(d.What, ", its type"):
		return false
	case d.Kind == dap.DiffOutput:
		was := v.output
		v.output = true
		return !was
	case d.Kind == dap.DiffValue && m.Action.Kind == dap.Evaluate:
		return once(&v.asked, m.Action.Name)
	case d.Kind == dap.DiffVariables && d.What != "scopes" && d.What != "scope" && d.What != "names" && !strings.HasSuffix(d.What, ".names"):
		return once(&v.names, function(was, m.Index)+" "+d.What)
	}
	return false
}

// Mask is a trace in which what varies says so.
func (v *Varying) Mask(events []dap.Event) []dap.Event {
	if len(v.names)+len(v.asked) == 0 && !v.output {
		return events
	}
	masked := slices.Clone(events)
	for i := range masked {
		out := &masked[i].Output
		in := function(events, i) + " "
		out.Scopes = v.scopes(in, out.Scopes)
		if out.Pause != nil {
			p := *out.Pause
			p.Scopes = v.scopes(in, p.Scopes)
			out.Pause = &p
		}
		if out.Value != nil && slices.Contains(v.asked, masked[i].Action.Name) {
			value := *out.Value
			value.Varies = true
			out.Value = &value
		}
		if out.Exit != nil && v.output {
			exit := *out.Exit
			exit.Varies = true
			out.Exit = &exit
		}
	}
	return masked
}

// function is the one whose variables an event shows: that of the pause it leads to, or of the frame that it asks about.
func function(events []dap.Event, i int) string {
	if i >= len(events) {
		return ""
	}
	a, out := events[i].Action, events[i].Output
	switch {
	case out.Pause != nil:
		return out.Pause.Top().Func
	case a.Thread > 0 && a.Frame < len(out.Stack):
		return out.Stack[a.Frame].Func
	}
	for ; i >= 0; i-- {
		if p := events[i].Output.Pause; p != nil && a.Frame < len(p.Stack) {
			return p.Stack[a.Frame].Func
		}
	}
	return ""
}

func (v *Varying) scopes(in string, scopes []dap.Scope) []dap.Scope {
	scopes = slices.Clone(scopes)
	for i := range scopes {
		scopes[i].Vars = v.vars(in, scopes[i].Vars)
	}
	return scopes
}

// vars are variables below a path, those of them that vary marked.
func (v *Varying) vars(path string, vars []dap.Variable) []dap.Variable {
	if !slices.ContainsFunc(v.names, func(name string) bool { return strings.HasPrefix(name, path) }) {
		return vars
	}
	vars = slices.Clone(vars)
	for i := range vars {
		at := path + vars[i].Name
		vars[i].Varies = vars[i].Varies || slices.Contains(v.names, at)
		vars[i].Children = v.vars(at+".", vars[i].Children)
	}
	return vars
}
