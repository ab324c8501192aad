package protocol

import (
	"slices"
	"strings"

	"misstep/dap"
	"misstep/oracle"
)

// A lack is a way to launch a program that came with some release of a debugger, and how one that is older refuses it. The
// words are those of the versions before, so that a debugger which refuses for another reason is still found.
type lack struct {
	way   string // of those in which a session is started; empty for what the build has
	words []string
}

// lacks are those of Delve: lists of flags came with v1.22.0, names of processes with v1.22.1, programs relative to the
// folder that it works in, and those whose debug information is missing or in another file, a few releases before.
var lacks = []lack{
	{"debug-mode", []string{"buildFlags", "not a string"}},
	{"debug-mode", []string{"cannot unmarshal array into", "buildFlags"}},
	{"attach", []string{"The 'processId' attribute is missing"}},
	{"relative-program", []string{"no such file or directory"}},
	{"", []string{"could not open debug info"}},
}

// lacking reports whether a program was not launched as a debugger whose version is not known is older than the way in
// which that was asked for.
func lacking(seen *oracle.Seen, refusal string) bool {
	if seen.Debuggee == nil || seen.Debuggee.Build == nil {
		return false
	}
	e := seen.Debuggee.Build.Engine
	if e.Adapter != "dlv" || e.Version == "" && e.Path == "" {
		return false
	}
	return slices.ContainsFunc(lacks, func(l lack) bool {
		for _, w := range l.words {
			if !strings.Contains(refusal, w) {
				return false
			}
		}
		if l.way == "" {
			return e.DebugInfo != "" || e.Stripped(seen.Debuggee.Build.Program)
		}
		return slices.ContainsFunc(dap.Starts(seen.As), func(as string) bool {
			way, _, _ := strings.Cut(as, ",")
			return way == l.way
		})
	})
}
