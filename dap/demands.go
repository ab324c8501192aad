package dap

import "slices"

// A Demand is what any adapter has to answer to a misuse.
type Demand string

// The demands. What may be answered in several ways has none.
const (
	// MustRefuse is of what cannot be done.
	MustRefuse Demand = "refused"
	// MustNotSet is of breakpoints that cannot be: the request is refused, or none of them is verified.
	MustNotSet Demand = "not set"
	// MustNotWatch is of a variable that there is not: the request is refused, or there is no identifier to watch it by.
	MustNotWatch Demand = "no identifier"
)

// demands are the misuses that ask for what is not there, or say it in a way that has no meaning in any language.
var demands = map[Demand][]string{
	MustRefuse: {
		"unknown-request", "unknown-frame", "unknown-reference", "unknown-reference-set", "negative-frame", "negative-reference", "set-unknown-name", "set-no-name", "set-part-of-nothing", "launch-twice", "attach-twice",
		"bad-expression", "bad-disassemble", "source-nothing", "exception-info", "bad-memory", "write-nowhere", "write-no-data", "write-bad-memory",
		"unknown-command", "unknown-setting", "bad-setting", "bad-switch", "bad-paths", "no-target", "switch-nothing", "follow-badly", "bad-target",
		"bad-sources", "bad-types", "unknown-topic",
	},
	MustNotSet:   {"no-such-file", "no-file", "no-such-function", "bad-function", "bad-instruction", "bad-condition", "bad-data"},
	MustNotWatch: {"unknown-data", "no-such-data"},
}

// Demanded is what has to be answered to a misuse; empty if there are several answers.
func Demanded(name string) Demand {
	for d, names := range demands {
		if slices.Contains(names, name) {
			return d
		}
	}
	return ""
}
