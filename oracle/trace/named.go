package trace

import (
	"slices"
	"strings"

	"misstep/dap"
	"misstep/oracle"
)

// reasons are the reasons for which a program pauses at what users set, by the first word of what they set; that of a line
// is any.
var reasons = map[string]string{"function breakpoint": "func", "instruction breakpoint": "inst", "data breakpoint": "data", "breakpoint": ""}

// hitNamed holds the reason of a pause against the breakpoints that it names: one that is at a breakpoint names it, if the
// adapter does so for its reason at all, and a reason that is for one kind alone names one of that kind. A program may have a breakpoint in
// its own code, which has no number, and what the debugger calls may meet one.
func hitNamed(seen *oracle.Seen, p *dap.Pause, before map[string]bool) (want, got string, able bool) {
	kind, known := reasons[p.Reason]
	d := seen.Debuggee
	// Tolerance unnamed-data: Delve names no data breakpoint.
	// Some old ones name none at all.
	names := before[p.Reason] || d != nil && d.Build != nil && d.Build.Engine.Adapter == "dlv" && kind != "data" &&
		slices.ContainsFunc(seen.Events, func(e dap.Event) bool { return e.Output.Pause != nil && len(e.Output.Pause.Hit) > 0 })
	if len(p.Hit) == 0 && p.Reason == "breakpoint" && d != nil && d.Source != nil && d.Source.Breaks() {
		return "", "", false // it is the program's own, most likely
	}
	if !known || !names || p.Description != "" && p.Description != p.Reason || slices.ContainsFunc(p.Stack, own) {
		return "", "", false
	}
	switch {
	case len(p.Hit) == 0:
		return "the breakpoint's", "none", true
	case kind != "" && !slices.ContainsFunc(p.Hit, func(hit string) bool { return strings.HasPrefix(hit, kind+" ") }):
		return "that of a " + p.Reason, strings.Join(p.Hit, ", "), true
	}
	return "", "", true
}

// own reports whether a frame is where a program pauses itself, or is called by the debugger.
func own(f dap.Frame) bool {
	return f.Func == "runtime.breakpoint" || f.Func == "runtime.Breakpoint" || strings.HasPrefix(f.Func, "runtime.debugCall")
}
