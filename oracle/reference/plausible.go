package reference

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/history"
	"misstep/history/timeline"
	"misstep/internal/source"
)

// An impossibility is what no moment of the recorded run allows of a pause.
type impossibility struct {
	kind      dap.DiffKind
	what      string
	want, got string
}

// impossible is what cannot be of the pause that an action led to, wherever the session is: why it
// came about, or where the frames of its stack are in the source. It is nil if all of it can be.
func (j *judge) impossible(i int, a dap.Action, p *dap.Pause) *impossibility {
	switch {
	case j.invented(a, p):
		return &impossibility{dap.DiffReason, "why it paused", "no panic, as the recorded run ends without one", strings.TrimSpace(p.Reason + " " + p.Text)}
	case a.Kind == dap.Continue && p.Reason == "step" && !j.stepping(i) && !j.m.Concurrent():
		return &impossibility{dap.DiffReason, "why it paused", "a breakpoint, as the program was let run", p.Reason}
	}
	for n, f := range p.Stack {
		if what, want, got := j.misplaced(p, n); want != "" {
			return &impossibility{dap.DiffStack, fmt.Sprintf("%s of frame %d, %s", what, n, f.Func), want, got}
		}
	}
	return nil
}

// stepping reports whether a step was interrupted before an event, which some debuggers complete when the
// program is let run.
func (j *judge) stepping(i int) bool {
	for _, e := range slices.Backward(j.events[:i]) {
		switch p := e.Output.Pause; {
		case p == nil || !e.Action.Kind.Resumes():
		case p.Reason == "step":
			return false
		case e.Action.Kind != dap.Continue:
			return true
		}
	}
	return false
}

// invented reports whether a pause says that the program has failed, which it does not: the
// recorded run ended well, and there is no condition whose evaluation could have failed. A step that
// cannot be made is told in the same way, as a runtime error.
func (j *judge) invented(a dap.Action, p *dap.Pause) bool {
	if !p.Exception() || a.Kind != dap.Continue && p.Description != "panic" && p.Description != "fatal error" || j.m.Exit == nil || j.m.Exit.Code != 0 || j.assigned != "" || inserted(p) {
		return false
	}
	if j.conditional && p.Description != "panic" && p.Description != "fatal error" {
		return false
	}
	for _, b := range j.points {
		// One that was amended in vain may stay as it was, with a condition.
		if (b.condition != "" || b.was != "") && (b.function || b.file == p.Top().File && b.line == p.Top().Line) {
			return false
		}
	}
	return true
}

// happens reports whether the functions on a stack call each other so at some moment of the goroutine,
// whatever their lines.
func (j *judge) happens(stack []frame) bool {
	if slices.ContainsFunc(stack, func(f frame) bool { return len(f.funs) == 0 }) {
		return true // variables of packages are initialised by none
	}
	var last *timeline.Activation
	for n := j.t.Lo; n < j.t.Hi; n++ {
		x := j.m.Moments[n].Activation
		if x != last && calls(x, stack) {
			return true
		}
		last = x
	}
	return len(stack) == 0
}

// calls reports whether an activation and those that have called it have the functions of a stack.
func calls(x *timeline.Activation, stack []frame) bool {
	for n, f := range stack {
		if f.panicked && n > 0 {
			// Between the deferred function and what deferred it is what has panicked.
			for k := n; k < len(stack); k++ {
				rest := slices.Clone(stack[k:])
				rest[0].panicked = false
				if calls(x, rest) {
					return true
				}
			}
			return x == nil
		}
		if !f.is(x) {
			return false
		}
		x = x.Parent
	}
	return x == nil
}

// misplaced says what is wrong with where a frame is, by the name of its function alone: the
// file is that of the function, and the line is within it. Names of literals are told by that of
// the declared function around them.
func (j *judge) misplaced(p *dap.Pause, n int) (what, want, got string) {
	f := p.Stack[n]
	if f.File == "" || f.Line == 0 || strings.HasPrefix(f.File, "<") || j.m.wrapper(p, n) {
		return "", "", ""
	}
	in := j.declared()[literalSuffix.ReplaceAllString(plainName(f.Func), "")]
	if in == nil || elsewhereDeclared(in.Name, f) {
		return "", "", ""
	}
	if file := j.m.Plan.Files[in.File].Name; f.File != file {
		return "the file", file, f.File
	}
	if f.Line < in.Line || f.Line > in.EndLine {
		return "the line", fmt.Sprintf("one from %d to %d", in.Line, in.EndLine), fmt.Sprint(f.Line)
	}
	return "", "", ""
}

// elsewhereDeclared reports whether a frame may be of another package of the same last name as a
// function's: one that is not recorded.
func elsewhereDeclared(name string, f dap.Frame) bool {
	folder := func(s string) string { return s[:strings.LastIndexByte(s, '/')+1] }
	if in := folder(source.WithoutTypes(f.Func)); in != "" {
		return in != folder(source.WithoutTypes(name))
	}
	return strings.HasPrefix(f.File, "$") || filepath.IsAbs(f.File)
}

// declared are the declared functions by their plain names. Nil are those that share one, as packages
// of one name do; those of files whose directives say that they are others; and those that are
// called as the compiler's own initialisation is.
func (j *judge) declared() map[string]*history.Func {
	if j.functions != nil {
		return j.functions
	}
	j.functions = map[string]*history.Func{}
	for k := range j.m.Plan.Funcs {
		fn := &j.m.Plan.Funcs[k]
		if fn.Literal {
			continue
		}
		name := literalSuffix.ReplaceAllString(plainName(fn.Name), "")
		text := j.m.Plan.Files[fn.File].Text
		if _, twice := j.functions[name]; twice || strings.HasSuffix(name, ".init") || strings.Contains(text, "//line ") || strings.Contains(text, "/*line ") {
			fn = nil
		}
		j.functions[name] = fn
	}
	return j.functions
}

// literalSuffix is what the compiler puts after the name of a function for literals in it, bodies of
// its loops, and what go and defer statements start.
var literalSuffix = regexp.MustCompile(`(\.(func|gowrap|deferwrap)?\d+|-range\d+|-fm)+$`)
