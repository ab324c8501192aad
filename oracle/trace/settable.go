package trace

import (
	"math"
	"strconv"

	"misstep/dap"
	"misstep/oracle"
)

// integers are the types of whole numbers that a debugger shows, with their sizes in bits; those without a
// sign are negative.
var integers = map[string]int{
	"int": 64, "int8": 8, "int16": 16, "int32": 32, "int64": 64,
	"uint": -64, "uint8": -8, "uint16": -16, "uint32": -32, "uint64": -64, "uintptr": -64,
}

// fits reports whether a number or truth value, as it is written, is one that a variable of a type may have.
func fits(typ, value string) bool {
	switch bits := integers[typ]; {
	case typ == "bool":
		return value == "true" || value == "false"
	case typ == "float64" || typ == "float32":
		x, err := strconv.ParseFloat(value, 64)
		return err == nil && (typ == "float64" || math.Abs(x) <= math.MaxFloat32)
	case bits > 0:
		_, err := strconv.ParseInt(value, 10, bits)
		return err == nil
	case bits < 0:
		_, err := strconv.ParseUint(value, 10, -bits)
		return err == nil
	}
	return false
}

// settable reports whether a session's debugger surely can do an assignment: to a variable of a basic type that
// is shown, by its own name, in a build that keeps variables in memory, of a value of that type.
func settable(seen *oracle.Seen, scopes []dap.Scope, a dap.Action) bool {
	if d := seen.Debuggee; d == nil || d.Build == nil || d.Build.Engine.Optimises(d.Build.Program) {
		return false
	}
	v := shownOnce(scopes, a.Name)
	return v != nil && v.Name == a.Name && fits(v.Type, a.Value) && fits(v.Type, first(v.Value))
}
