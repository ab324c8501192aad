package rewrite

import (
	"slices"
	"strings"

	"misstep/dap"
)

// assigns reports whether the base gives a variable another value. The compiler
// may have used the old one already, and whether it has depends on the code
// around, so the changes that touch code are not made then.
func (s *session) assigns() bool { return s.does(dap.SetVar) }

func (s *session) does(k dap.Kind) bool {
	return slices.ContainsFunc(s.Base, func(e dap.Event) bool { return e.Action.Kind == k })
}

// calls reports whether the base evaluates calls.
func (s *session) calls() bool {
	return slices.ContainsFunc(s.Base, func(e dap.Event) bool {
		return e.Action.Kind == dap.Evaluate && strings.HasPrefix(e.Action.Name, "call ")
	})
}

// breaksFunc reports whether the base has a breakpoint at a function.
func (s *session) breaksFunc(name string) bool {
	return slices.ContainsFunc(s.Base, func(e dap.Event) bool {
		return e.Action.Kind == dap.FuncBreak && (e.Action.Name == name || strings.HasPrefix(e.Action.Name, name+"."))
	})
}
