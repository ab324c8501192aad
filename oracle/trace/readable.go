package trace

import (
	"regexp"
	"strings"

	"misstep/dap"
	"misstep/internal/debuggee"
	"misstep/internal/source"
)

// lost is how a debugger says that it could not follow the debug information, or the runtime's own types, to a value. That
// there is none at an instruction ("could not find loclist entry", or "empty OP stack" where the compiler has written none at
// all), that its memory is not there, or that what is there makes no sense is no such text: the
// variable may not have got its value yet.
var lost = regexp.MustCompile(`DWARF stack|invalid instruction|[Uu]nknown opcode|could not retrieve CFA|register \d+ not available|` +
	`malformed map type|wrong real type|lacks some required fields|does not have some required fields|bad table field|unknown type: |no address for escaped`)

// asksC reports whether an action asks for the variables of a caller in C, which the compiler of C may have put into registers that
// nobody saves where it calls.
func asksC(p *dap.Pause, a dap.Action) bool {
	return p != nil && a.Frame > 0 && a.Frame < len(p.Stack) && p.Stack[a.Frame].InC()
}

// unplaced is how Delve says that a variable on the heap has no place there yet. Where functions are inlined, the compiler declares such a variable
// in the function that it was inlined into, which shows it before the inlined code is come to.
const unplaced = "no address for escaped"

// early says which variables of what an action shows may not have a place yet: all where functions may be inlined, and those that
// have not been given a value, such as what a function literal captures where it begins (tolerance undeclared).
func early(d *debuggee.Debuggee, before *dap.Pause, a dap.Action, out *dap.Output) func(name string) bool {
	p, frame := before, a.Frame
	if out.Pause != nil {
		p, frame = out.Pause, 0
	}
	if d == nil || d.Build.Engine.Optimises(d.Build.Program) || d.Source == nil || p == nil || a.Thread > 0 || frame >= len(p.Stack) {
		// Another thread's goroutine may not have begun.
		return func(string) bool { return d == nil || d.Build.Engine.Optimises(d.Build.Program) || a.Thread > 0 }
	}
	f := p.Stack[frame]
	return func(name string) bool {
		return !d.Source.Settled(source.Place{File: f.File, Line: f.Line}, f.Func, name)
	}
}

// unread looks for a variable that cannot be read for such a reason; early says which may not have a place. It returns how many it has looked at
// that cannot be read.
func unread(path string, vars []dap.Variable, early func(name string) bool) (looked int, what, why string) {
	for i := range vars {
		v := &vars[i]
		name := v.Name
		if path != "" {
			name = path + "." + name
		}
		if text, ok := strings.CutPrefix(v.Value, "(unreadable "); ok {
			looked++
			if what == "" && lost.MatchString(text) && !(strings.Contains(text, unplaced) && early(v.Name)) {
				what, why = name, v.Value
			}
		}
		n, inner, because := unread(name, v.Children, early)
		looked += n
		if what == "" {
			what, why = inner, because
		}
	}
	return looked, what, why
}
