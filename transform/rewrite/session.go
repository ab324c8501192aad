package rewrite

import (
	"slices"
	"strings"

	"misstep/dap"
)

// assigns reports whether the base gives a variable another value, or has a function do so. The compiler
// may have used the old one already, and whether it has depends on the code
// around, so the changes that touch code are not made then.
func (s *session) assigns() bool {
	return s.does(dap.SetVar) || s.does(dap.Call) || s.does(dap.WriteMem)
}

func (s *session) does(k dap.Kind) bool {
	return slices.ContainsFunc(s.Base, func(e dap.Event) bool { return e.Action.Kind == k })
}

// calls reports whether the base evaluates calls.
func (s *session) calls() bool {
	return slices.ContainsFunc(s.Base, func(e dap.Event) bool {
		return e.Action.Kind == dap.Call || e.Action.Kind == dap.Evaluate && strings.HasPrefix(e.Action.Name, "call ")
	})
}

// saysMain reports whether an expression of the base's names the package main.
func (s *session) saysMain() bool {
	return slices.ContainsFunc(s.Base, func(e dap.Event) bool {
		a := e.Action
		return a.Kind != dap.FuncBreak && strings.Contains(a.Name+" "+a.Condition+" "+a.Log+" "+a.Value, "main.")
	})
}

// breaksFunc reports whether the base has a breakpoint at a function, which may be named without its package.
func (s *session) breaksFunc(name string) bool {
	pkg, bare, _ := strings.Cut(name, ".")
	within := bare + "."
	if bare == pkg {
		within += "func" // not each function of package main is within main.main
	}
	return slices.ContainsFunc(s.Base, func(e dap.Event) bool {
		at := e.Action.Name
		return e.Action.Kind == dap.FuncBreak && (at == name || strings.HasPrefix(at, name+".") || at == bare || strings.HasPrefix(at, within))
	})
}
