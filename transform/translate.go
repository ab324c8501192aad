package transform

import (
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/internal/source"
)

// raw turns the number of a frame as the old program has it into the number in
// the new one's stack.
func (r *Relation) raw(was, p *dap.Pause, frame int) int {
	if p == nil {
		return frame
	}
	if was != nil {
		for i := range min(frame, len(was.Stack)) {
			if i > 0 && panicking(was.Stack[i]) {
				frame--
			}
		}
	}
	n := 0
	for i := range p.Stack {
		if r.dropped(p.Stack, i) {
			continue
		}
		if n == frame {
			return i
		}
		n++
	}
	return frame + len(p.Stack) - n
}

// dropped reports whether a frame of the new program has no counterpart.
func (r *Relation) dropped(stack []dap.Frame, i int) bool {
	if r.ownFunc(stack[i]) || i > 0 && (r.owned(stack[i]) || panicking(stack[i])) {
		return true
	}
	if i > 1 && r.ownFunc(stack[i-1]) {
		_, line, _ := r.back(placeOf(stack[i]))
		for _, loop := range r.RangeFunc {
			if loop.Has(line) {
				return true
			}
		}
	}
	return false
}

// action is what to do with the new program for an action of the base, which
// was done at the pause was, while the new one is paused at now. It is not ok if
// there is nothing to do.
func (r *Relation) action(a dap.Action, was, now *dap.Pause) (dap.Action, bool) {
	at := source.Place{File: a.File, Line: a.Line}
	if a.Thread > 0 {
		return a, false // the new program's goroutines may be others, or elsewhere
	}
	switch a.Kind {
	case dap.Break, dap.Unbreak:
		to, ok := r.forward(at)
		if !ok || r.Hardcoded[r.physical(at)] {
			return a, false
		}
		a.File, a.Line = to.File, to.Line
		a.Condition = r.rename(a.Condition, at)
		a.Log = r.renameLog(a.Log, at)
	case dap.Resend:
		// Its breakpoints may be in several files now; sending them once more in
		// their order is all that is left of it.
		if a.File != "" {
			to, ok := r.forward(source.Place{File: a.File, Line: 1})
			if !ok || to.File != a.File {
				return a, false
			}
		}
	case dap.FuncBreak, dap.FuncUnset:
		if _, _, err := dap.ParsePlace(a.Name); err == nil {
			return a, false // lines are others
		}
		if name, ok := strings.CutPrefix(a.Name, "main."); ok && r.Package != "" {
			a.Name = r.Package + "." + name
		}
	case dap.Disas, dap.Request, dap.InstBreak, dap.InstUnset, dap.DataBreak, dap.DataUnset:
		return a, false // instructions and addresses are others
	case dap.Stack:
		if r.vagueAt(was) {
			return a, false
		}
		a.Page = 0 // pages hold other frames where some are left out
	case dap.Evaluate, dap.SetVar, dap.Call, dap.Vars, dap.Memory, dap.WriteMem:
		if r.vagueAt(was) || strings.HasPrefix(a.Name, dap.Prompt) || r.beneath(was, a.Frame) {
			return a, false
		}
		if was != nil && a.Frame < len(was.Stack) {
			if a.Frame > 0 && panicking(was.Stack[a.Frame]) {
				return a, false // which frame of the other program it is, if any, is not known (tolerance panic-frames)
			}
			at = placeOf(was.Stack[a.Frame])
			if r.special(at) && (a.Kind != dap.Vars || a.Frame > 0) {
				return a, false
			}
		}
		if a.Kind != dap.Vars {
			a.Name = r.rename(a.Name, at)
		}
		if a.Kind != dap.WriteMem { // whose value is bytes
			a.Value = r.rename(a.Value, at)
		}
		a.Frame = r.raw(was, now, a.Frame)
	case dap.Continue, dap.Next, dap.StepIn, dap.StepOut, dap.Misuse, dap.Catch, dap.Restart, dap.Disconnect, dap.Detach:
		// What they say is nothing of the program.
	default:
		// One that says nothing means the same in another program; what one means that says
		// something nobody knows.
		return a, a.Kind.Meaning().Kind != "" && len(a.Kind.Meaning().Fields) == 0
	}
	return a, true
}

// beneath reports whether a frame of the base is one of those that are not compared.
func (r *Relation) beneath(was *dap.Pause, frame int) bool {
	if r.Bottom == "" || was == nil {
		return false
	}
	bottom := slices.IndexFunc(was.Stack, func(f dap.Frame) bool { return f.Func == r.Bottom })
	return bottom >= 0 && frame > bottom
}

// rename puts new names into an expression that stands at an old place.
func (r *Relation) rename(expr string, at source.Place) string {
	l := r.physical(at)
	for _, v := range r.Renamed {
		if expr != "" && v.In.Has(l) {
			expr = renameIn(expr, v.Old, v.New)
		}
	}
	if r.Package != "" {
		expr = mainPart.ReplaceAllString(expr, path.Base(r.Package)+".")
	}
	return expr
}

var mainPart = regexp.MustCompile(`\bmain\.`)

var logPart = regexp.MustCompile(`\{[^{}]*\}`)

// renameLog puts new names into the expressions of a log message.
func (r *Relation) renameLog(message string, at source.Place) string {
	return logPart.ReplaceAllStringFunc(message, func(s string) string {
		return "{" + r.rename(s[1:len(s)-1], at) + "}"
	})
}

// renameIn renames the identifiers of an expression that are neither fields nor
// keys. What is no Go expression is left as it is.
func renameIn(expr, old, name string) string {
	prefix := ""
	if rest, ok := strings.CutPrefix(expr, "call "); ok {
		prefix, expr = "call ", rest
	}
	x, err := parser.ParseExpr(expr)
	if err != nil {
		return prefix + expr
	}
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			ast.Inspect(n.X, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && id.Name == old {
					id.Name = name
				}
				_, sel := n.(*ast.SelectorExpr)
				return !sel
			})
			if _, ok := n.X.(*ast.SelectorExpr); ok {
				return true
			}
			return false
		case *ast.Ident:
			if n.Name == old {
				n.Name = name
			}
		}
		return true
	})
	var b strings.Builder
	if err := printer.Fprint(&b, token.NewFileSet(), x); err != nil {
		return prefix + expr
	}
	return prefix + b.String()
}
