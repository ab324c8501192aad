package dap

import (
	"go/types"
	"runtime"
	"slices"
	"strings"
)

// Prompt is what an expression begins with that is a command of Delve's own.
const Prompt = "dlv "

// Prompts reports whether an action asks Delve by one of some commands of its own.
func (a Action) Prompts(commands ...string) bool {
	text, ok := strings.CutPrefix(a.Name, Prompt)
	name, _, _ := strings.Cut(text, " ")
	return a.Kind == Evaluate && ok && slices.Contains(commands, name)
}

// MapsPaths reports whether paths are shown other than they are after an action, as a command at Delve's prompt has said,
// given whether they were before it.
func (a Action) MapsPaths(before bool) bool {
	rules, ok := strings.CutPrefix(a.Name, Prompt+"config substitutePath ")
	if a.Kind != Evaluate || !ok {
		return before
	}
	return strings.TrimSpace(rules) != "-clear"
}

// NumberBytes is how many bytes an integer or a truth value of a basic type has here; 0 for other types, and
// for addresses.
func NumberBytes(typ string) int64 {
	name, ok := types.Universe.Lookup(typ).(*types.TypeName)
	if !ok || typ == "uintptr" {
		return 0
	}
	b, ok := name.Type().(*types.Basic)
	if !ok || b.Info()&(types.IsInteger|types.IsBoolean) == 0 {
		return 0
	}
	return types.SizesFor("gc", runtime.GOARCH).Sizeof(b)
}
