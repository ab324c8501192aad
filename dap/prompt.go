package dap

import (
	"go/types"
	"runtime"
)

// Prompt is what an expression begins with that is a command of Delve's own.
const Prompt = "dlv "

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
