package trace

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/internal/debuggee"
	"misstep/internal/lines"
)

// misdeclared holds the names of the variables that are shown of a frame against those that its function declares in the binary's
// debug information: each parameter is shown, of builds that are not optimised each variable that is declared before the frame's
// line in a block around its instruction, and none that the function has not. What the values are, and
// what was inlined there, it does not say. Bodies of loops over functions are left out, as they show what the functions around
// them declare, too. It returns how many names it has looked at.
func misdeclared(d *debuggee.Debuggee, p *dap.Pause, frame int, scopes []dap.Scope) (what, want, got string, looked int) {
	fn, ok := declaring(d, p, frame, scopes)
	if !ok {
		return "", "", "", 0
	}
	f := p.Stack[frame]
	var shown []string
	for name := range variables(scopes) {
		shown = append(shown, name)
	}
	needed := fn.Parameters
	if !d.Build.Engine.Optimises(d.Build.Program) {
		needed = slices.Concat(needed, fn.Visible)
	}
	for _, name := range needed {
		looked++
		if !slices.Contains(shown, name) {
			return fmt.Sprintf("%s in frame %d, %s", name, frame, f.Func), "shown, as the function declares it", "not shown", looked
		}
	}
	for _, name := range shown {
		if name == "" || strings.ContainsAny(name[:1], ".~") || name == "_" {
			continue
		}
		looked++
		if !slices.Contains(fn.Names, name) {
			return fmt.Sprintf("%s in frame %d, %s", name, frame, f.Func), "not shown, as the function has no such variable", "shown", looked
		}
	}
	return "", "", "", looked
}

// variables yields the variables of a function that scopes show, by the names that the source has for them.
func variables(scopes []dap.Scope) iter.Seq2[string, *dap.Variable] {
	return func(yield func(string, *dap.Variable) bool) {
		for _, s := range scopes {
			if s.Name == "Registers" || strings.HasPrefix(s.Name, "Globals") {
				continue
			}
			for i := range s.Vars {
				if !yield(strings.TrimPrefix(strings.Trim(s.Vars[i].Name, "()"), "&"), &s.Vars[i]) {
					return
				}
			}
		}
	}
}

// declaring is the function that declares what scopes show of a frame, by the binary; it is not ok where another one is shown than that which has
// the frame's instruction.
func declaring(d *debuggee.Debuggee, p *dap.Pause, frame int, scopes []dap.Scope) (fn lines.Function, ok bool) {
	if d == nil || d.Build == nil || d.Build.Symbols == nil || frame >= len(p.Stack) || len(scopes) == 0 {
		return fn, false
	}
	f := p.Stack[frame]
	addr, _, ok := inCode(d.Build, f.Place)
	if !ok || frame+1 < len(p.Stack) && p.Stack[frame+1].Place == f.Place || frame > 0 && p.Stack[frame-1].Place == f.Place {
		return fn, false
	}
	if frame > 0 && !interrupted(p.Stack, frame) {
		addr-- // the call's
	}
	table, err := d.Build.Lines()
	if err != nil {
		return fn, false
	}
	fn, ok = table.Declared(addr, f.Line)
	// Another function is what rule frame-place judges.
	return fn, ok && symbolName(fn.Name) == symbolName(f.Func) && !strings.Contains(f.Func, "-range")
}
