package oracle

import (
	"slices"
	"strings"

	"misstep/dap"
)

// Assigns reports whether a session changes what the program has, and so what that does.
func Assigns(events []dap.Event) bool {
	for i, e := range events {
		if e.Action.Kind.Meaning().Effect == dap.Assigns && !Rewrites(events, i) {
			return true
		}
	}
	return false
}

// Rewrites reports whether the event at i writes into memory what the one before it has read there.
func Rewrites(events []dap.Event, i int) bool {
	if i == 0 || events[i].Action.Kind != dap.WriteMem {
		return false
	}
	w, r, value := events[i].Action, events[i-1].Action, events[i-1].Output.Value
	if r.Kind != dap.Memory || r.Name != w.Name || r.Frame != w.Frame || r.Thread != w.Thread || value == nil || w.Offset < 0 {
		return false
	}
	read, written := strings.Fields(value.Value), strings.Fields(w.Value)
	return len(written) > 0 && w.Offset+len(written) <= len(read) && slices.Equal(read[w.Offset:w.Offset+len(written)], written)
}
