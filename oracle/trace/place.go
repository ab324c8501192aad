package trace

import (
	"fmt"
	"go/parser"
	"path"
	"regexp"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/internal/debuggee"
	"misstep/internal/gobuild"
	"misstep/internal/machine"
	"misstep/internal/source"
)

// misplaced looks for a frame that is shown in another function, or at another line, than the binary has at its
// instruction: that at which it is, as of what a fault interrupted, or of a caller the call before it. What is inlined is at the instruction of the
// function that it was inlined into, which is named last; the first of them has the line. It returns how many frames it has
// looked at.
func misplaced(d *debuggee.Debuggee, p *dap.Pause) (what, want, got string, looked int) {
	if d == nil || d.Build == nil || d.Build.Symbols == nil {
		return "", "", "", 0
	}
	for i, f := range p.Stack {
		addr, _, ok := inCode(d.Build, f.Place)
		if !ok || f.Func == "" {
			continue
		}
		at := interrupted(p.Stack, i)
		if at && (i == 0 || p.Stack[i-1].Func != "runtime.sigpanic" || !faulted(d.Build, f.Place)) {
			continue
		}
		if last := i+1 == len(p.Stack) || p.Stack[i+1].Place != f.Place; last && i+1 < dap.MaxFrames {
			looked++
			symbol, offset, _ := strings.Cut(f.Place, "+0x")
			if i > 0 && offset == "0" {
				// The call before it was the last instruction of another function.
				symbol, _, _ = strings.Cut(d.Build.Symbols.PlaceAt(addr-1), "+0x")
			}
			if symbol = symbolName(symbol); symbol != "" && symbol != symbolName(f.Func) {
				return fmt.Sprintf("the function of frame %d", i), symbol, f.Func, looked
			}
		}
		if i > 0 && p.Stack[i-1].Place == f.Place {
			continue // it has inlined what is there
		}
		if i > 0 && !at {
			addr-- // the call's
		}
		file, line, ok := lineAt(d.Build, addr)
		if !ok {
			continue
		}
		looked++
		if line != f.Line || path.Base(file) != path.Base(f.File) {
			what, got := fmt.Sprintf("the line of frame %d, in %s", i, f.Func), fmt.Sprintf("%s:%d", path.Base(f.File), f.Line)
			if f.File == "" { // as of a function of the compiler's
				what, got = what+dap.Sourceless, fmt.Sprintf("line %d of no source", f.Line)
			}
			return what, fmt.Sprintf("%s:%d", path.Base(file), line), got, looked
		}
	}
	return "", "", "", looked
}

// roots are the functions in which goroutines and the threads of the runtime begin.
var roots = []string{"runtime.goexit", "runtime.mstart", "runtime.mstart0", "runtime.rt0_go", "_rt0_amd64", "_rt0_arm64"}

// bottom is the last function of a pause's stack, if that is shown whole and of a goroutine that was paused in code of the program, or
// in C that Go has called. What lies below C of libraries the debug information need not tell, and debuggers that do not know Go need not
// find the stack of the goroutine that is below C.
func bottom(d *debuggee.Debuggee, p *dap.Pause) (last string, able bool) {
	if len(p.Stack) == 0 || len(p.Stack) >= dap.MaxFrames {
		return "", false
	}
	last = symbolName(p.Stack[len(p.Stack)-1].Func)
	inGo := strings.Contains(last, ".") || strings.HasPrefix(last, "_rt0")
	if !p.Top().InC() {
		return last, inGo && !p.Top().Foreign()
	}
	if d == nil || d.Build == nil || d.Build.Engine.Adapter != "dlv" {
		return last, false
	}
	return last, inGo || calledC(d, p.Stack)
}

// bottomOfListed is the last function of the stack of a goroutine that waits somewhere, if that is shown whole and none of it is in C.
func bottomOfListed(p *dap.Pause) (last string, able bool) {
	if len(p.Stack) == 0 || len(p.Stack) >= dap.MaxFrames || p.Top().Func != "runtime.gopark" {
		return "", false
	}
	return symbolName(p.Stack[len(p.Stack)-1].Func), !slices.ContainsFunc(p.Stack, dap.Frame.InC)
}

// calledC reports whether a stack is of the program's own functions in C, which run on no thread but Go's.
func calledC(d *debuggee.Debuggee, stack []dap.Frame) bool {
	if d.Source == nil || d.Source.ThreadsInC() {
		return false
	}
	return !slices.ContainsFunc(stack, func(f dap.Frame) bool {
		return !f.InC() || f.Foreign() && !strings.HasPrefix(symbolName(f.Func), "_cgo_")
	})
}

// armed says whether a breakpoint can be set at a line that the recorded run does not judge, of another language or in an
// optimised build: a statement begins there in a unit of the program's own packages, or of C in front of one of their imports. It
// is not able to say so of other lines, nor where the adapter gives another reason.
func armed(d *debuggee.Debuggee, a dap.Action, out *dap.Output) (able bool) {
	if d == nil || d.Build == nil || d.Build.Symbols == nil || a.Kind != dap.Break || out.Kind == dap.Unsupported || strings.Contains(out.String(), "exists") {
		return false
	}
	if _, err := parser.ParseExpr(a.Condition); a.Condition != "" && err != nil || a.Hit != "" || a.Log != "" {
		return false // it may be refused for that
	}
	units := d.Build.Own()
	switch {
	case d.Source != nil && d.Source.Preamble(source.Place{File: a.File, Line: a.Line}):
		units = slices.Concat(units, d.Build.Symbols.C())
	case path.Ext(a.File) == ".go" && !d.Build.Engine.Optimises(d.Build.Program):
		return false
	}
	table, err := d.Build.Lines()
	return err == nil && table.Begins(units, a.File, a.Line)
}

// generated says whether a breakpoint at a function stands where there is no source. It is not able to say so of functions that have
// none, by the binary.
func generated(d *debuggee.Debuggee, a dap.Action, out *dap.Output) (is, able bool) {
	if d == nil || d.Build == nil || d.Build.Symbols == nil || a.Kind != dap.FuncBreak || out.Breakpoint == nil || !out.Breakpoint.Verified {
		return false, false
	}
	addr, err := d.Build.Symbols.AddressOf(a.Name + "+0x0")
	if err != nil {
		return false, false
	}
	if _, _, ok := lineAt(d.Build, addr); !ok {
		return false, false
	}
	return out.Breakpoint.File == "" && out.Breakpoint.Line > 0, true // outputs do not name what is generated
}

// interrupted reports whether a frame is of a function that did not call what is above it, so that its line is that of the
// instruction at which it is.
func interrupted(stack []dap.Frame, i int) bool {
	switch stack[i].Func {
	case "runtime.mstart", "runtime.mcall", "runtime.systemstack", "runtime.systemstack_switch":
		return true // where one stack ends and another begins
	}
	return i > 0 && (stack[i-1].Func == "runtime.sigpanic" || strings.HasPrefix(stack[i-1].Func, "runtime.sigtramp") || stack[i-1].Func == "runtime.asyncPreempt")
}

// faulted reports whether an instruction that a frame is at below the runtime's panic for a fault is the one that has failed. Where a call went to
// where there is no code, it is the one after the call.
func faulted(b *gobuild.Build, place string) bool {
	before, ok := b.Before(place)
	return ok && before.Kind != machine.Call
}

// cloned is what compilers of C put behind the names of functions that they have made of others.
var cloned = regexp.MustCompile(`(\.(isra|constprop|part|cold|lto_priv)(\.\d+)?)+$`)

// numbered is a function of C's by its name alone: those of Go have a package, and no numbers behind such a word.
var numbered = regexp.MustCompile(`^[^.]+(\.(isra|constprop|part|lto_priv)\.\d+)+(\.cold)?$`)

// symbolName is a function's name without what only some show: the path of its package but for the last part, its convention
// for calls, that it is C's, and types.
func symbolName(name string) string {
	if c, ok := strings.CutPrefix(name, "C."); ok || numbered.MatchString(name) {
		name = cloned.ReplaceAllString(c, "")
	}
	for _, suffix := range []string{".abi0", ".abiinternal"} {
		name = strings.TrimSuffix(name, suffix)
	}
	name = dap.BareFunc(dap.WrapperName(name))
	receiver := strings.IndexByte(name, '(')
	if receiver < 0 {
		receiver = len(name)
	}
	return name[strings.LastIndexByte(name[:receiver], '/')+1:]
}

// lineAt is the line of an instruction, where it is one of a file.
func lineAt(b *gobuild.Build, addr uint64) (file string, line int, ok bool) {
	table, err := b.Lines()
	if err != nil {
		return "", 0, false
	}
	file, line, ok = table.At(addr)
	return file, line, ok && file != "<autogenerated>" && !strings.HasPrefix(path.Base(file), "_cgo")
}
