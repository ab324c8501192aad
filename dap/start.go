package dap

import "strings"

// plus stands between the ways in which a target is changed, see [Target.As].
const plus = "+"

// Starts are the ways in which a target was changed, of [Target.As]: each a name, and parameters after commas.
func Starts(as string) []string {
	if as == "" {
		return nil
	}
	return strings.Split(as, plus)
}

// JoinStarts is what [Target.As] says of several ways at once.
func JoinStarts(ways []string) string { return strings.Join(ways, plus) }
