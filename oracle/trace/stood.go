package trace

import (
	"go/ast"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/internal/debuggee"
	"misstep/internal/source"
)

// stood reports whether a program that was let run is paused at the very instruction at which it was, in the same calls, though the code of none
// of its functions leads back to where it is in them: it was not let run, or was stopped again at once. It is not able to say so where code does
// lead back, where somebody asked for a pause meanwhile, where breakpoints were set that may be at this instruction, and where a stack is not
// whole, as calls of one function are told apart by it. Nothing comes back in the same goroutine, whose numbers are not given twice.
//
// Of debuggers that tell no instructions it is said of breakpoints: where it was for one, and is again, in a line that no loop is around.
func stood(d *debuggee.Debuggee, before, p *dap.Pause, a dap.Action, rearmed bool) (is, able bool) {
	if a.Kind != dap.Continue && !a.Kind.Steps() || a.Instruction || a.Thread > 0 || a.Meanwhile != "" || rearmed || before == nil || before.Exception() || p.Exception() ||
		p.Thread != before.Thread || len(p.Stack) == 0 || len(p.Stack) >= dap.MaxFrames || len(before.Stack) >= dap.MaxFrames || d == nil || d.Build == nil {
		return false, false
	}
	if _, err := d.Build.Lines(); err != nil {
		return false, false // without debug information a caller may be missing: that of a function which has only begun
	}
	at := p.Top().Place != ""
	if !at && len(before.Hit) == 0 || !once(d, before.Top()) {
		return false, false
	}
	if !at && !slices.Equal(p.Hit, before.Hit) || !slices.EqualFunc(before.Stack, p.Stack, func(f, g dap.Frame) bool {
		return f.Place == g.Place && (at || f.Func == g.Func && f.File == g.File && f.Line == g.Line)
	}) {
		return false, true
	}
	for _, f := range p.Stack {
		if begins(f) {
			return true, true
		}
		if !once(d, f) {
			return false, false
		}
	}
	return false, false // callers are missing
}

// begins reports whether a frame is the first of a goroutine.
func begins(f dap.Frame) bool {
	return strings.HasPrefix(f.Func, "runtime.goexit") || f.Func == "runtime.main" // which calls main, and ends
}

// once reports whether a frame's code does not lead back to where it is.
func once(d *debuggee.Debuggee, f dap.Frame) bool {
	if f.Place != "" {
		again, known := d.Build.Again(f.Place)
		return known && !again
	}
	if d.Source == nil {
		return false
	}
	file, line, ok := d.Source.Physical(source.Place{File: f.File, Line: f.Line})
	in := d.Source.File(file)
	if !ok || in == nil {
		return false
	}
	loops := false
	ast.Inspect(in.AST, func(n ast.Node) bool {
		if n == nil || d.Source.Line(n.Pos()) > line || d.Source.Line(n.End()) < line {
			return false
		}
		switch n := n.(type) {
		case *ast.FuncDecl:
			ast.Inspect(n, func(n ast.Node) bool {
				_, label := n.(*ast.LabeledStmt)
				loops = loops || label
				return true
			})
		case *ast.ForStmt, *ast.RangeStmt, *ast.FuncLit:
			loops = true
		}
		return !loops
	})
	return !loops
}

// rearms reports whether an action may set a breakpoint, or begin the program anew.
func rearms(a dap.Action) bool {
	return a.Kind.Meaning().Effect == dap.Sets || a.Kind == dap.Restart || a.Kind == dap.Request ||
		a.Kind == dap.Misuse && (strings.Contains(a.Name, "reak") || strings.Contains(a.Name, "restart") || strings.Contains(a.Name, "launch") || strings.Contains(a.Name, "attach"))
}
