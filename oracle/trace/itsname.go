package trace

import (
	"strings"

	"misstep/dap"
)

// itsOwn holds an expression that a variable of the frame came with against the answer to it: clients put such expressions into their lists of what is
// watched. Able says that it is one, of a variable that has a value which stays; an empty want says that it holds.
func itsOwn(scopes []dap.Scope, a dap.Action, out *dap.Output) (want, got string, able bool) {
	if a.Kind != dap.Evaluate || strings.HasPrefix(out.Text, "misstep: ") || out.Kind != dap.Answered && out.Kind != dap.Refused {
		return "", "", false
	}
	named := func(name string) (v *dap.Variable) {
		for _, s := range scopes {
			if v = came(s.Vars, name); v != nil {
				break
			}
		}
		return v
	}
	v := named(a.Name)
	if v == nil {
		// What is shown to point where nothing can be read is not nil.
		name := strings.TrimLeft(a.Name, "*")
		v = named(name)
		through := len(a.Name) - len(name)
		if through == 0 || v == nil {
			return "", "", false
		}
		if pointers, is := v.Unreadable(); !is || through > pointers {
			return "", "", false
		}
		if out.Kind == dap.Refused && strings.Contains(out.Text, isNil) {
			return "not nil, as " + v.Name + " is shown as " + v.Value, out.Text, true
		}
		return "", "", true
	}
	pointers, is := v.Unreadable()
	gone := is && pointers == 0
	switch {
	case gone && (out.Kind != dap.Refused || !strings.Contains(out.Text, isNil)):
		return "", "", false // only that it is nothing would be another reason
	case gone:
		return v.Value + ", as " + v.Name + " was shown", out.Text, true
	case out.Kind == dap.Refused:
		return "answered, as " + v.Name + " came with it", out.Text, true
	// The protocol leaves it open whether an answer has a type, and some versions of Delve give none. An entry of a map has its key's as well.
	case out.Value != nil && out.Value.Type != "" && v.Type != "" && v.Type != out.Value.Type && !strings.HasSuffix(v.Type, ": "+out.Value.Type):
		return "of type " + v.Type + ", as " + v.Name + " came with it", "of type " + out.Value.Type, true
	}
	return "", "", true
}

// isNil is how an expression is refused that leads through a pointer which is nil.
const isNil = "nil pointer dereference"

// came is the variable that came with an expression, among some and their parts; nil if there is none, or it is what the session itself
// names: a part of a channel, or what another hides.
func came(list []dap.Variable, name string) *dap.Variable {
	for i := range list {
		v := &list[i]
		if strings.HasPrefix(v.Type, "chan ") || strings.ContainsAny(v.Name, "~(") {
			continue
		}
		if v.EvaluateName() == name {
			return v
		}
		if part := came(v.Children, name); part != nil {
			return part
		}
	}
	return nil
}
