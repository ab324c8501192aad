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
	var v *dap.Variable
	for _, s := range scopes {
		if v = came(s.Vars, a.Name); v != nil {
			break
		}
	}
	if v == nil {
		return "", "", false
	}
	switch {
	case out.Kind == dap.Refused:
		return "answered, as " + v.Name + " came with it", out.Text, true
	// The protocol leaves it open whether an answer has a type, and some versions of Delve give none. An entry of a map has its key's as well.
	case out.Value != nil && out.Value.Type != "" && v.Type != "" && v.Type != out.Value.Type && !strings.HasSuffix(v.Type, ": "+out.Value.Type):
		return "of type " + v.Type + ", as " + v.Name + " came with it", "of type " + out.Value.Type, true
	}
	return "", "", true
}

// came is the variable that came with an expression, among some and their parts; nil if there is none, it could not be read, or it is what the session itself
// names: a part of a channel, or what another hides.
func came(list []dap.Variable, name string) *dap.Variable {
	for i := range list {
		v := &list[i]
		if strings.HasPrefix(v.Type, "chan ") || strings.HasPrefix(v.Value, "(unreadable ") || strings.ContainsAny(v.Name, "~(") {
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
