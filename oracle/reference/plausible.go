package reference

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/history"
	"misstep/history/timeline"
)

// possible judges what holds of a pause wherever the session is: why it came about, and that the
// frames of its stack are in the source where their functions are. It reports whether all of it
// can be.
func (j *judge) possible(i int, a dap.Action, p *dap.Pause) bool {
	const rule = "R1-pause"
	switch {
	case j.invented(a, p):
		j.check(i, rule, false, dap.DiffReason, "why it paused", "no panic, as the recorded run ends without one", strings.TrimSpace(p.Reason+" "+p.Text))
		return false
	case a.Kind == dap.Continue && p.Reason == "step" && !j.stepping && !j.m.Concurrent():
		j.check(i, rule, false, dap.DiffReason, "why it paused", "a breakpoint, as the program was let run", p.Reason)
		return false
	}
	for n, f := range p.Stack {
		if what, want, got := j.misplaced(p, n); want != "" {
			j.check(i, rule, false, dap.DiffStack, fmt.Sprintf("%s of frame %d, %s", what, n, f.Func), want, got)
			return false
		}
	}
	return true
}

// invented reports whether a pause says that the program has failed, which it does not: the
// recorded run ended well, and there is no condition whose evaluation could have failed. A step that
// cannot be made is told in the same way, as a runtime error.
func (j *judge) invented(a dap.Action, p *dap.Pause) bool {
	if !p.Exception() || a.Kind != dap.Continue && p.Description != "panic" && p.Description != "fatal error" || j.m.Exit == nil || j.m.Exit.Code != 0 || len(j.sets) > 0 || j.assigned != "" || inserted(p) {
		return false
	}
	for _, b := range j.points {
		if b.condition != "" && (b.function || b.file == p.Top().File && b.line == p.Top().Line) {
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
		if x == nil || !slices.Contains(f.funs, x.Func) {
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
	if in == nil {
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

// declared are the declared functions by their plain names; those that share one, as packages of
// one name do, are nil, and so are those of files whose directives say that they are others.
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
		if _, twice := j.functions[name]; twice || strings.Contains(text, "//line ") || strings.Contains(text, "/*line ") {
			fn = nil
		}
		j.functions[name] = fn
	}
	return j.functions
}

// literalSuffix is what the compiler puts after the name of a function for literals in it, bodies of
// its loops, and what go and defer statements start.
var literalSuffix = regexp.MustCompile(`(\.(func|gowrap|deferwrap)?\d+|-range\d+|-fm)+$`)
