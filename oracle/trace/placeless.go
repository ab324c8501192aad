package trace

import (
	"fmt"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/internal/debuggee"
)

// placeless looks for a variable of the function that is executed which is shown with a value, and has no place at that instruction by the
// binary: what is shown lies somewhere else, or was there before. It is said of values that take up room, and of
// names that all variables have no place of which the function has several. It returns how many it has looked at that have no place.
func placeless(d *debuggee.Debuggee, p *dap.Pause) (what, got string, looked int) {
	fn, ok := declaring(d, p, 0, p.Scopes)
	if !ok || len(fn.Nowhere) == 0 {
		return "", "", 0
	}
	for _, s := range p.Scopes {
		if s.Name == "Registers" || strings.HasPrefix(s.Name, "Globals") {
			continue
		}
		for _, v := range s.Vars {
			name := strings.TrimPrefix(strings.Trim(v.Name, "()"), "&")
			if !slices.Contains(fn.Nowhere, name) || roomless(&v) {
				continue
			}
			looked++
			if what == "" && !strings.HasPrefix(v.Value, "(unreadable ") && !strings.Contains(v.Value, "optimized out") {
				what, got = fmt.Sprintf("%s in %s", v.Name, fn.Name), v.Value
			}
		}
	}
	return what, got, looked
}

// roomless reports whether a value of a type may take up no room, so that it needs no place.
func roomless(v *dap.Variable) bool {
	return v.Type == "" || strings.Contains(v.Type, "[0]") || strings.HasSuffix(v.Value, "{}") || strings.HasSuffix(v.Value, "[]")
}
