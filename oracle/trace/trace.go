// Package trace holds the outputs of one session against each other: what must hold
// within a trace whatever the program does, see [Rules].
//
// Not covered: steps that were interrupted, panics on the way, and frames that the source
// does not call, such as the bodies of loops over functions.
package trace

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"misstep/dap"
	"misstep/finding"
	"misstep/oracle"
)

// Oracle is the oracle's name.
const Oracle = "trace"

// Rules say what must hold within one trace.
var Rules = finding.Registry{
	{ID: "next-depth", Oracle: Oracle, Sentence: "A step over does not pause deeper in the stack than it began.", Source: "DAP, Next Request"},
	{ID: "stepout-depth", Oracle: Oracle, Sentence: "A step out pauses in a caller.", Source: "DAP, StepOut Request"},
	{ID: "go-stepin", Oracle: Oracle, Sentence: "A step into a go statement pauses in the function that is started, in its goroutine.", Source: "Delve, dlv help step; since v1.23"},
	{ID: "hit-place", Oracle: Oracle, Sentence: "A pause at a line breakpoint is at the line where the adapter says that it stands.", Source: "DAP, Breakpoint.line"},
	{ID: "hit-named", Oracle: Oracle, Sentence: "A pause that is said to be at a breakpoint names it, and one for a kind of breakpoint names one of that kind.", Source: "DAP, Stopped Event, reason and hitBreakpointIds"},
	{ID: "stack-pages", Oracle: Oracle, Sentence: "A stack asked for in pages is the stack of the pause.", Source: "DAP, StackTrace Request"},
	{ID: "assigned", Oracle: Oracle, Sentence: "A variable that was assigned to is shown with that value, until the program runs on.", Source: "DAP, SetVariable Request"},
	{ID: "settable", Oracle: Oracle, Sentence: "A variable of a basic type that is shown can be given a value of that type, in every frame.", Source: "DAP, SetVariable Request"},
	{ID: "exception-info", Oracle: Oracle, Sentence: "What an exception is about is told as at its pause, and only there.", Source: "DAP, ExceptionInfo Request"},
	{ID: "memory", Oracle: Oracle, Sentence: "The memory of a string or of bytes has what is shown of them.", Source: "DAP, ReadMemory Request"},
	{ID: "prompt", Oracle: Oracle, Sentence: "What Delve's own commands say of a number's memory, of a setting and of the program's files is what else is known of them.", Source: "Delve, dlv help, in the debug console"},
	{ID: "text", Oracle: Oracle, Sentence: "What is shown of a value agrees with itself: a number in two bases, a slice's length and its elements, a struct and its fields, a variable and the expression that names it.", Source: "DAP, Variable.value"},
	{ID: "its-name", Oracle: Oracle, Sentence: "The expression that a variable comes with is answered there, with its type; what it points to, and cannot be read, not as if it were nil.", Source: "DAP, Variable.evaluateName"},
	{ID: "readable", Oracle: Oracle, Sentence: "A variable that cannot be read has no value there, or one that makes no sense: the debug information itself can be followed.", Source: "DWARF, sections 2.5 and 2.6; DAP, Variable.value"},
	{ID: "meanwhile", Oracle: Oracle, Sentence: "Breakpoints that are set again while the program runs stay as they are, and the program runs on.", Source: "DAP, SetBreakpoints Request"},
	{ID: "unverified", Oracle: Oracle, Sentence: "No pause is for a breakpoint that is said not to be set.", Source: "DAP, Breakpoint.verified"},
	{ID: "stack-again", Oracle: Oracle, Sentence: "A stack asked for once more is the stack of the pause.", Source: "DAP, StackTrace Request"},
	{ID: "step-source", Oracle: Oracle, Sentence: "A step ends where there is source, not in a function that only the compiler and the runtime know.", Source: "DAP, StackFrame.source; DWARF, DW_AT_trampoline; Delve, which steps through such functions"},
	{ID: "step-way", Oracle: Oracle, Sentence: "A step passes by no statement of another line, by the binary, in its function or in the caller that it returns to.", Source: "DAP, Next Request; DWARF, section 6.2"},
	{ID: "stood", Oracle: Oracle, Sentence: "A program that was let run is not paused where it was, unless its code leads back there.", Source: "DAP, Continue, Next, StepIn and StepOut Request; the binary"},
	{ID: "armed", Oracle: Oracle, Sentence: "A line at which a statement begins, by the binary, takes a breakpoint, whatever language it is in and however it was built.", Source: "DWARF, section 6.2; DAP, SetBreakpoints Request"},
	{ID: "function-source", Oracle: Oracle, Once: true, Sentence: "A breakpoint at a function that has source stands in source, not in what the compiler has put in front of it.", Source: "DAP, SetFunctionBreakpoints Request; Go's internal ABI specification, wrappers"},
	{ID: "stack-whole", Oracle: Oracle, Sentence: "The stack of a pause goes down to where its goroutine, or its thread, begins.", Source: "DAP, StackTrace Request; Go's runtime"},
	{ID: "placeless", Oracle: Oracle, Sentence: "A variable that has no place at an instruction, by the binary, is not shown with a value.", Source: "DWARF, section 2.6"},
	{ID: "declared", Oracle: Oracle, Sentence: "Of each frame, whoever's it is, the variables are shown that its function declares there by the binary, and no others.", Source: "DWARF, sections 3.3 and 4.1; DAP, Scopes Request"},
	{ID: "shown", Oracle: Oracle, Sentence: "The stack of a pause, and the variables of the program's function that it is in, are not refused.", Source: "DAP, StackTrace and Scopes Request"},
	{ID: "frame-place", Oracle: Oracle, Sentence: "Each frame is in the function and at the line that the binary has at its instruction.", Source: "DWARF, section 6.2; DAP, StackFrame.instructionPointerReference"},
	{ID: "instruction", Oracle: Oracle, Sentence: "A step of one instruction ends after it, or where it leads.", Source: "DAP, SteppingGranularity; the binary"},
	{ID: "instruction-over", Oracle: Oracle, Sentence: "A step over one instruction does not pause deeper in the stack than it began.", Source: "DAP, Next Request and SteppingGranularity"},
	{ID: "disassembly", Oracle: Oracle, Sentence: "Disassembled are the binary's own instructions, one after the other, each with its line.", Source: "DAP, Disassemble Request; the binary"},
	{ID: "interrupted", Oracle: Oracle, Sentence: "A program that pauses because it was asked to says so, unless it is at a breakpoint or went wrong.", Source: "DAP, Stopped Event, reason"},
	{ID: "thread-stack", Oracle: Oracle, Sentence: "Each thread of the list has a stack, which is the pause's own if it is that thread which has paused, and stays as it is.", Source: "DAP, StackTrace Request"},
	{ID: "thread-step", Oracle: Oracle, Once: true, Sentence: "A step ends in the thread that it was asked for.", Source: "DAP, NextArguments.threadId"},
}

// Check judges one trace by itself.
type Check struct{}

// Judge implements [oracle.Check].
func (Check) Judge(_ context.Context, seen *oracle.Seen) ([]*finding.Finding, *finding.Tally, error) {
	events := seen.Events
	var found []*finding.Finding
	tally := &finding.Tally{}
	check := func(i int, id string, ok bool, kind dap.DiffKind, what, want, got string) {
		tally.Add(Oracle+"/"+id, 1)
		if !ok {
			rule, _ := Rules.Lookup(id)
			d := &dap.Difference{Kind: kind, What: what, A: want, B: got}
			found = append(found, finding.OfSession(rule, seen.Debuggee, seen.Session(i), d, "the rest of the session", finding.Debugger))
		}
	}
	of := seen.Debuggee // whose binary says where instructions and lines are
	if seen.Rebuilt {
		of = nil
	}
	// Without debug information a stack is what frame pointers lead to, from which functions are missing now and then.
	deep := of == nil || !of.Build.Engine.Stripped(of.Build.Program)
	unset := map[string]bool{}    // what is said not to be set
	places := map[string]string{} // where breakpoints stand, by what they were asked as
	var before *dap.Pause
	var set *dap.Action // the last assignment at this pause that was granted
	asked := -1         // the event of the last, until it is known what that frame shows
	touched := false    // something was assigned or called at this pause
	mapped := false     // a command has other paths shown
	rearmed := false    // breakpoints may have been set at this pause
	// shortened says that stacks may be asked for of which nothing is left but the runtime's frames.
	shortened := strings.Contains(seen.As, "stackTraceDepth") || strings.Contains(seen.As, "short-stacks") ||
		slices.ContainsFunc(events, func(e dap.Event) bool { return strings.Contains(e.Action.Name, "stackTraceDepth") })
	mangled := false           // a breakpoint was put into the middle of an instruction
	names := map[string]bool{} // the reasons for which the adapter has named a breakpoint
	var now threads            // what the others are shown with, at this pause
	for i, e := range events {
		a, out := e.Action, e.Output
		mapped = a.MapsPaths(mapped)
		if (a.Kind == dap.Request || a.Kind == dap.Evaluate) && out.Kind == dap.Answered && strings.Contains(a.Name+a.Value, dap.Prompt+"target switch") {
			before, now = nil, threads{} // which thread is shown from here on, no pause tells
			continue
		}
		mangled = mangled || of != nil && oracle.Mangles(of.Build, e)
		rearmed = rearmed || rearms(a)
		if out.Kind == dap.Unsupported {
			continue // the adapter does not offer it, and was not asked
		}
		if d, able := now.stack(before, a, out); able && !mapped {
			check(i, "thread-stack", d.Kind == "", dap.DiffStack, cmp.Or(d.What, "the stack of a listed thread"), d.A, d.B)
		}
		if a.Kind == dap.Stack && a.Thread > 0 && out.Kind == dap.Answered && len(out.Stack) > 0 && before != nil && out.Thread != before.Thread {
			listed := &dap.Pause{Thread: out.Thread, Stack: out.Stack}
			if what, want, got, looked := misplaced(of, listed); looked > 0 && !mapped {
				check(i, "frame-place", what == "", dap.DiffStack, what, want, got)
			}
			if last, able := bottomOfListed(listed); able && deep {
				check(i, "stack-whole", slices.Contains(roots, last), dap.DiffStack, "the last frame of the stack of a listed thread", "one of "+strings.Join(roots, ", "), last)
			}
		}
		if set != nil && a.Frame == set.Frame && a.Thread == set.Thread {
			if got, ok := shownAs(a, out, set.Name); ok {
				check(i, "assigned", equals(got, set.Value), dap.DiffVariables, fmt.Sprintf("%s in frame %d, after %s", set.Name, set.Frame, set), set.Value, got)
			}
		}
		scopes := out.Scopes // of a caller's frame; they are asked for after the assignment
		if a.Kind == dap.SetVar {
			asked = -1
			if !strings.HasPrefix(out.Text, "misstep: ") {
				asked = i
			}
			if a.Frame == 0 && a.Thread == 0 && before != nil {
				scopes = before.Scopes
			}
		}
		if asked >= 0 && a.Frame == events[asked].Action.Frame && a.Thread == events[asked].Action.Thread && len(scopes) > 0 {
			if was := events[asked]; settable(seen, scopes, was.Action) {
				check(i, "settable", was.Output.Kind == dap.Answered, dap.DiffAnswer, was.Action.String(), "done, as that variable is shown", was.Output.Text)
			}
			asked = -1
		}
		switch {
		case a.Kind == dap.SetVar && out.Kind == dap.Answered:
			set = nil
			touched = true
			if plain(a.Value) {
				set = &events[i].Action
				if out.Value != nil && out.Value.Value != "" {
					check(i, "assigned", equals(out.Value.Value, a.Value), dap.DiffVariables, "the answer to "+a.String(), a.Value, out.Value.Value)
				}
			}
		case a.Kind == dap.WriteMem, a.Kind == dap.Call, a.Kind == dap.Misuse && out.Kind == dap.Done: // a restart may have been granted
			set, touched, now = nil, true, threads{} // others may have run on
		case a.Kind.Resumes() || a.Kind == dap.Restart || strings.HasPrefix(a.Name, "call "):
			set, touched, asked, now = nil, !a.Kind.Resumes(), -1, threads{}
		}
		shows := out
		if a.Kind == dap.SetVar {
			shows.Value = nil // which may be said again as it was given
		}
		if vars := shownBy(shows); len(vars) > 0 {
			if looked, what, why := unread("", vars, early(of, before, a, &out)); looked > 0 && !asksC(before, a) {
				check(i, "readable", what == "", dap.DiffVariables, what, "readable, or without a value there", why)
			}
			held, c := texts("", vars)
			tally.Add(Oracle+"/text", held)
			if c != nil {
				what := c.what
				if a.Kind == dap.Evaluate {
					what = a.Name + what
				}
				check(i, "text", false, dap.DiffVariables, what, c.want, c.got)
			}
		}
		if a.Kind == dap.Evaluate && before != nil && !touched && a.Context != "clipboard" {
			if want, got, able := itsOwn(now.shown(before, a), a, &out); able {
				check(i, "its-name", want == "", dap.DiffAnswer, "the answer to "+a.Name, want, got)
			}
		}
		if a.Kind == dap.Evaluate && before != nil && !touched {
			if able, c := sameAs(now.shown(before, a), a, out); c != nil {
				check(i, "text", false, dap.DiffAnswer, c.what, c.want, c.got)
			} else if able {
				tally.Add(Oracle+"/text", 1)
			}
		}
		switch {
		case a.Kind == dap.Exception && before != nil && !deep && out.Kind == dap.Refused: // tolerance bare-exceptions
		case a.Kind == dap.Exception && before != nil:
			d := exceptionInfo(before, out)
			if d == nil && of != nil && of.Build.Engine.Adapter == "dlv" && !shortened && untraced(before, out) {
				d = []string{"with the stack of where it came", "without a stack"}
			}
			check(i, "exception-info", d == nil, dap.DiffAnswer, "what the pause is about", says(d, 0), says(d, 1))
		case a.Kind == dap.Evaluate && before != nil && !touched && a.Thread == 0:
			if want, got, ok := prompted(before, a, out); ok {
				check(i, "prompt", got == want, dap.DiffAnswer, "the answer to "+a.Name, want, got)
			}
		case a.Kind == dap.Memory && before != nil && a.Frame == 0 && !touched:
			if want, ok := inMemory(before.Var(a.Name)); ok && !strings.HasPrefix(out.Text, "misstep: ") {
				got := out.Text
				if out.Value != nil {
					got = out.Value.Value
				}
				check(i, "memory", got == want, dap.DiffAnswer, "the memory of "+a.Name, want, got)
			}
		case a.Kind == dap.Disas && before != nil && a.Frame < len(before.Stack) && of != nil:
			if what, want, got, able := disassembled(of.Build, before.Stack[a.Frame], a, &out); able && !mangled {
				check(i, "disassembly", what == "", dap.DiffAnswer, what, want, got)
			}
		case a.Meanwhile == "breakpoints" && out.Kind != dap.Ended:
			check(i, "meanwhile", len(out.Changed) == 0, dap.DiffBreakpoint, "the breakpoints that were set again while the program ran", "as they were", strings.Join(out.Changed, "; "))
		}
		if a.Kind == dap.Restart {
			clear(unset) // all breakpoints are set anew
		}
		for _, changed := range out.Changed {
			at, _, _ := strings.Cut(changed, ": was ")
			delete(unset, at)
		}
		if a.Kind == dap.Break && armed(of, a, &out) {
			set := out.Breakpoint != nil && out.Breakpoint.Verified
			check(i, "armed", set, dap.DiffBreakpoint, fmt.Sprintf("a breakpoint at %s:%d", a.File, a.Line), "set, as a statement begins there", out.String())
		}
		if is, able := generated(of, a, &out); able {
			check(i, "function-source", !is, dap.DiffBreakpoint, "a breakpoint at "+a.Name, "set in its source", out.String())
		}
		if a.Kind == dap.Break {
			unset[fmt.Sprintf("%s:%d", a.File, a.Line)] = out.Kind == dap.Set && !out.Breakpoint.Verified
		}
		switch {
		case a.Kind == dap.Break && out.Breakpoint != nil && out.Breakpoint.Verified:
			places[fmt.Sprintf("%s:%d", a.File, a.Line)] = fmt.Sprintf("%s:%d", out.Breakpoint.File, out.Breakpoint.Line)
		case a.Kind == dap.Stack && a.Thread == 0 && out.Kind == dap.Answered && before != nil && !mapped:
			rule := "stack-again"
			if a.Page > 0 {
				rule = "stack-pages"
			}
			d := dap.Diff(&dap.Output{Kind: dap.Answered, Stack: begun(before.Stack)}, &dap.Output{Kind: dap.Answered, Stack: begun(out.Stack)}, dap.Lens{})
			if d == nil {
				d = &dap.Difference{}
			}
			check(i, rule, d.Kind == "", dap.DiffStack, d.What, d.A, d.B)
		}
		if a.Meanwhile != "" && out.Pause != nil && !out.Interrupted {
			check(i, "meanwhile", out.Pause.Reason != "pause", dap.DiffReason, "the reason of a pause that nobody asked for", "another", out.Pause.Reason)
		}
		if out.Moved {
			before, now = nil, threads{} // what is shown from here on is of another pause, which no output has
			continue
		}
		now.ask(a, out)
		p := out.Pause
		into := now.mayStart(of, before, a, out)
		if a.Kind == dap.Vars && a.Thread == 0 && before != nil && out.Kind == dap.Answered {
			if what, want, got, looked := misdeclared(of, before, a.Frame, slices.Concat(out.Scopes, out.Foreign)); looked > 0 {
				check(i, "declared", what == "", dap.DiffVariables, what, want, got)
			}
		}
		if a.Kind.Resumes() && (p != nil || out.Kind == dap.Refused) {
			unseen := p == nil && (strings.HasPrefix(out.Text, "scopes: ") || strings.HasPrefix(out.Text, "stackTrace: ")) && !of.OutOfSight(out.Text)
			check(i, "shown", !unseen, dap.DiffAnswer, "what is shown of the pause after "+string(a.Kind), "a stack with variables", out.Text)
		}
		if p == nil {
			if a.Kind.Resumes() || a.Kind == dap.Restart {
				before, now = nil, threads{}
			}
			continue
		}
		now = threads{}
		if want, got, able := hitNamed(seen, p, names); able {
			check(i, "hit-named", got == "", dap.DiffReason, "the number with a pause for a "+p.Reason, want, got)
		}
		names[p.Reason] = names[p.Reason] || len(p.Hit) > 0
		for _, hit := range p.Hit {
			check(i, "unverified", !unset[hit], dap.DiffBreakpoint, "a pause at the breakpoint "+hit, "none, as it is not verified", "a pause")
		}
		if len(p.Hit) == 1 && places[p.Hit[0]] != "" && !strings.HasPrefix(places[p.Hit[0]], severalPlaces) {
			at := fmt.Sprintf("%s:%d", p.Top().File, p.Top().Line)
			check(i, "hit-place", at == places[p.Hit[0]], dap.DiffLocation, "pause at the breakpoint "+p.Hit[0], places[p.Hit[0]], at)
		}
		if fn := started(seen.Debuggee, before, a); fn != nil && p.Reason == "step" && len(p.Hit) == 0 {
			check(i, "go-stepin", goesInto(p, fn), dap.DiffLocation, "a step into a go statement", "a pause in "+fn.Name(), fmt.Sprintf("%s:%d %s", p.Top().File, p.Top().Line, p.Top().Func))
		}
		if what, want, got, looked := misplaced(of, p); looked > 0 && !mapped {
			check(i, "frame-place", what == "", dap.DiffStack, what, want, got)
		}
		if what, want, got, looked := misdeclared(of, p, 0, p.Scopes); looked > 0 {
			check(i, "declared", what == "", dap.DiffVariables, what, want, got)
		}
		if what, got, looked := placeless(of, p); looked > 0 {
			check(i, "placeless", what == "", dap.DiffVariables, what, "no value, as it has no place there", got)
		}
		if last, able := bottom(of, p); able && deep {
			check(i, "stack-whole", slices.Contains(roots, last), dap.DiffStack, "the last frame of the stack", "one of "+strings.Join(roots, ", "), last)
		}
		if want, able := steppedTo(of, before, p, a); able {
			check(i, "instruction", slices.Contains(want, p.Top().Place), dap.DiffLocation, "a step from the instruction at "+before.Top().Place, strings.Join(want, " or "), p.Top().Place)
		}
		if a.Kind == dap.Interrupt && len(p.Hit) == 0 && !p.Exception() {
			check(i, "interrupted", p.Reason == "pause", dap.DiffReason, "the reason of a pause that was asked for", "pause", p.Reason)
		}
		if a.Kind.Steps() && !a.Instruction && p.Reason == "step" && len(p.Stack) > 0 {
			top := p.Top()
			what := unwritten(of, before, top)
			check(i, "step-source", what == "", dap.DiffLocation, "where "+string(a.Kind)+" ends", "a line of a file, in a function that somebody has written", fmt.Sprintf("%s:%d in %s%s", top.File, top.Line, top.Func, what))
		}
		if from, able := strayed(of, before, p, a); able && !shortened && !mangled {
			top := p.Top()
			check(i, "step-way", from == "", dap.DiffLocation, "where "+string(a.Kind)+" ends", "where the code comes to another line first, from "+from, fmt.Sprintf("%s:%d in %s", top.File, top.Line, top.Func))
		}
		if is, able := stood(of, before, p, a, rearmed); able && !mangled && !shortened {
			check(i, "stood", !is, dap.DiffLocation, "where "+string(a.Kind)+" ends", "elsewhere, as the code does not lead back there", "where it was, "+cmp.Or(p.Top().Place, fmt.Sprintf("%s:%d", p.Top().File, p.Top().Line)))
		}
		// An interrupted step, a panic on the way and another goroutine leave
		// nothing to compare.
		if out.Thread > 0 && a.Kind.Steps() && p.Reason == "step" && len(p.Hit) == 0 && !into {
			check(i, "thread-step", p.Thread == out.Thread, dap.DiffLocation, fmt.Sprintf("the thread that paused after %s, by the order of appearance", a.Kind), fmt.Sprint(out.Thread), fmt.Sprintf("%d, in %s", p.Thread, p.Top().Func))
		}
		if a.Kind == dap.Misuse && strings.HasPrefix(a.Name, "step-unknown") {
			check(i, "thread-step", p.Reason != "step", dap.DiffReason, "the reason of the pause after a step of a thread that there is not", "another than step", p.Reason)
		}
		if before != nil && p.Reason == "step" && p.Thread == before.Thread && a.Thread == 0 && deep {
			was := len(before.Stack)
			got := fmt.Sprintf("%d frames, in %s", len(p.Stack), p.Top().Func)
			switch a.Kind {
			case dap.Next:
				if !p.Carried() && !before.Carried() {
					rule := "next-depth"
					if a.Instruction {
						rule = "instruction-over"
					}
					check(i, rule, called(p, was) <= was, dap.DiffStack, "depth after next", fmt.Sprintf("at most %d frames, in %s", was, before.Top().Func), got)
				}
			case dap.StepOut:
				if !a.Instruction && !p.Carried() && !before.Carried() && was < dap.MaxFrames {
					check(i, "stepout-depth", called(p, was-1) < was, dap.DiffStack, "depth after stepout", fmt.Sprintf("fewer than %d frames, in %s", was, before.Top().Func), got)
				}
			}
		}
		before, rearmed = p, false
	}
	return found, tally, nil
}

// called is how many functions are on a stack. Of those at the top that are more than a number, the
// ones that the compiler has put into the code of their callers are left out: they are at the same
// instruction as these.
func called(p *dap.Pause, number int) int {
	n := 0
	for len(p.Stack)-n > max(number, 1) && p.Stack[n].Place != "" && p.Stack[n].Place == p.Stack[n+1].Place {
		n++
	}
	return len(p.Stack) - n
}

// plain reports whether a value is written as a number or a truth value, which all show alike.
func plain(value string) bool {
	_, err := strconv.ParseFloat(value, 64)
	return err == nil || value == "true" || value == "false"
}

// shownAs is the value of a variable that the answer to an action shows, if it shows one of that
// name, and one alone.
func shownAs(a dap.Action, out dap.Output, name string) (string, bool) {
	var found []dap.Variable
	switch {
	case a.Kind == dap.Evaluate && a.Name == name && out.Value != nil:
		found = append(found, *out.Value)
	case a.Kind == dap.Vars:
		if v := shownOnce(out.Scopes, name); v != nil {
			found = append(found, *v)
		}
	}
	if len(found) != 1 {
		return "", false
	}
	return found[0].Value, true
}

// shownOnce is the variable of a name that is shown, hidden by another or not; nil if there are several.
func shownOnce(scopes []dap.Scope, name string) *dap.Variable {
	var found []*dap.Variable
	for _, s := range scopes {
		for i := range s.Vars {
			if strings.Trim(s.Vars[i].Name, "()") == name {
				found = append(found, &s.Vars[i])
			}
		}
	}
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

// first is a value without what it is in another base.
func first(value string) string {
	value, _, _ = strings.Cut(value, " = ")
	return value
}

// equals reports whether a value is shown as what was assigned: by itself, with another way to
// write it, or with the constant that it equals.
func equals(shown, set string) bool {
	one := first(shown)
	if one == set || strings.HasSuffix(one, " ("+set+")") {
		return true
	}
	x, err := strconv.ParseComplex(strings.ReplaceAll(one, " ", ""), 128)
	y, err2 := strconv.ParseComplex(set, 128)
	return err == nil && err2 == nil && x == y
}

// severalPlaces is where Delve says that a breakpoint stands which has several
// addresses in different lines.
const severalPlaces = "<multiple locations>"

// begun is a stack without what is said to be below the beginning of a thread that no goroutine runs on: what is read there is not the
// thread's (tolerance below-threads).
func begun(stack []dap.Frame) []dap.Frame {
	n := len(stack)
	for n > 0 && stack[n-1].Func == unknownFunction {
		n--
	}
	return stack[:n]
}

// unknownFunction is what Delve calls the function of an address that is in none.
const unknownFunction = "???"
