package trace

import (
	"fmt"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/internal/debuggee"
)

// placeless looks for a variable of the function that is executed which is shown with a value, and has no place at that instruction by the
// binary: what is shown lies somewhere else, or was there before. Values that take up no room are left out, as they need none. It returns how many
// it has looked at.
func placeless(d *debuggee.Debuggee, p *dap.Pause) (what, got string, looked int) {
	fn, ok := declaring(d, p, 0, p.Scopes)
	if !ok || len(fn.Nowhere) == 0 {
		return "", "", 0
	}
	for name, v := range variables(p.Scopes) {
		if !slices.Contains(fn.Nowhere, name) || roomless(v) {
			continue
		}
		looked++
		if what == "" && !strings.HasPrefix(v.Value, "(unreadable ") && !strings.Contains(v.Value, "optimized out") {
			what, got = fmt.Sprintf("%s in %s", v.Name, fn.Name), v.Value
		}
	}
	return what, got, looked
}

// roomless reports whether a value may take up no room.
func roomless(v *dap.Variable) bool {
	return v.Type == "" || strings.Contains(v.Type, "[0]") || strings.HasSuffix(v.Value, "{}") || strings.HasSuffix(v.Value, "[]")
}
