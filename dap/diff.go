package dap

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Sourceless ends what a difference is about, if it is a frame that is shown without a source.
const Sourceless = ", which is shown without source"

// DiffKind is what two outputs differ in; the six kinds of Lehmann and Pradel
// (section 3.4), and what DAP has beyond them.
type DiffKind string

// The kinds of difference.
const (
	DiffBreakpoint  DiffKind = "breakpoint"  // set at different places
	DiffRemoval     DiffKind = "removal"     // removed in one, not in the other
	DiffTermination DiffKind = "termination" // paused in one, ended in the other
	DiffLocation    DiffKind = "location"    // paused at different lines
	DiffStack       DiffKind = "stack"       // another function or line below the top
	DiffVariables   DiffKind = "variables"   // names, types or values
	DiffValue       DiffKind = "value"       // an evaluation or assignment
	DiffReason      DiffKind = "reason"      // why it paused
	DiffLog         DiffKind = "log"         // log points
	DiffOutput      DiffKind = "output"      // what the program printed
	DiffExit        DiffKind = "exit"        // the exit code
	DiffAnswer      DiffKind = "answer"      // refused or supported in one only
	DiffFailure     DiffKind = "failure"     // a hang or a death
	DiffOrder       DiffKind = "order"       // what happened came in another order
	DiffMessage     DiffKind = "message"     // a value in a message, whatever it is
)

// A Difference is the first thing in which two outputs differ.
type Difference struct {
	Kind DiffKind `json:"kind"`
	What string   `json:"what"` // where in the output
	A    string   `json:"a"`
	B    string   `json:"b"`
}

// Says is the difference as a sentence: A is what one expects by someone's word, B what
// there is by another's.
func (d *Difference) Says(expectedBy, gotBy string) string {
	return fmt.Sprintf("%s: %s: expected %s (%s), got %s (%s)", d.Kind, d.What, d.A, expectedBy, d.B, gotBy)
}

// A Lens says what of two outputs is not compared, each for a reason that the
// relation gives.
type Lens struct {
	NoReason bool // why it paused, and which breakpoints it names
	NoLogs   bool // the messages of log points
	NoPlace  bool // the instruction within the line
	NoVars   bool // the variables shown at a pause
	// NoOthers is frames that are not the program's: runtimes and libraries differ from
	// toolchain to toolchain.
	NoOthers bool
	// NoWording is the reason of a refusal, and how threads are described.
	NoWording bool
	// NoOutput is what the program printed.
	NoOutput bool
	// NoThreads is the list of threads.
	NoThreads bool
	// NoTypeArgs is the type arguments in the names of functions.
	NoTypeArgs bool
	// OwnLogs is part of the messages that the transformation itself caused;
	// those are left out, all others are compared.
	OwnLogs string
	// ByGoroutine compares the messages of log points goroutine by goroutine, in
	// whatever order those run. Tolerance scheduling: which goroutine runs first
	// is the scheduler's choice.
	ByGoroutine bool
	// Settled reports whether a variable shown in a frame has been given its value
	// for sure; what is shown of others is compared by name and type only. With
	// none, all are. Tolerance undeclared: a debugger shows variables by line
	// numbers, whether their declaration has run or not.
	Settled func(f Frame, name string) bool
	// Frame is where an answer's variables belong to.
	Frame Frame
}

// logs are the messages that the lens leaves.
func (l Lens) logs(o *Output) []string {
	var left []string
	by := map[string]string{}
	for i, m := range o.Logs {
		if l.OwnLogs != "" && strings.Contains(m, l.OwnLogs) {
			continue
		}
		left = append(left, m)
		if i < len(o.Speakers) {
			by[o.Speakers[i]] += m + "; "
		}
	}
	if l.ByGoroutine {
		return slices.Sorted(maps.Values(by))
	}
	return left
}

// Diff compares two outputs of the same action and returns their first
// difference, or nil.
func Diff(a, b *Output, lens Lens) *Difference {
	if lens.NoTypeArgs {
		a, b = withoutTypeArgs(a), withoutTypeArgs(b)
	}
	diff := func(kind DiffKind, what, x, y string) *Difference {
		return &Difference{Kind: kind, What: what, A: x, B: y}
	}
	if a.Kind != b.Kind {
		kind := DiffAnswer
		switch {
		case a.Kind.Fatal() || b.Kind.Fatal():
			kind = DiffFailure
		case a.Kind == Ended || b.Kind == Ended:
			kind = DiffTermination
		case a.Kind == Removed || b.Kind == Removed:
			kind = DiffRemoval
		}
		return diff(kind, "output", a.String(), b.String())
	}
	if d := diffMain(a, b, lens); d != nil {
		return d
	}
	if d := diffStack(a.Stack, b.Stack, lens); d != nil {
		return d
	}
	if d := diffScopes(a.Scopes, b.Scopes, lens); d != nil {
		return d
	}
	if !lens.NoThreads && !slices.Equal(a.Threads, b.Threads) {
		return diff(DiffAnswer, "lines", strings.Join(a.Threads, "; "), strings.Join(b.Threads, "; "))
	}
	if a.Kind == Refused && a.Text != b.Text && !lens.NoWording {
		return diff(DiffAnswer, "reason of the refusal", a.Text, b.Text)
	}
	lens.ByGoroutine = lens.ByGoroutine && len(a.Speakers) == len(a.Logs) && len(b.Speakers) == len(b.Logs)
	if x, y := lens.logs(a), lens.logs(b); !lens.NoLogs && !slices.Equal(x, y) {
		return diff(DiffLog, "log", strings.Join(x, "; "), strings.Join(y, "; "))
	}
	if !slices.Equal(a.Changed, b.Changed) {
		return diff(DiffBreakpoint, "other breakpoints", strings.Join(a.Changed, "; "), strings.Join(b.Changed, "; "))
	}
	return nil
}

// diffMain compares what two outputs of one kind are about.
func diffMain(a, b *Output, lens Lens) *Difference {
	switch {
	case a.Breakpoint != nil && b.Breakpoint != nil:
		x, y := a.Breakpoint, b.Breakpoint
		if x.Verified != y.Verified || x.File != y.File || x.Line != y.Line {
			return &Difference{Kind: DiffBreakpoint, What: "breakpoint", A: x.String(), B: y.String()}
		}
	case a.Pause != nil && b.Pause != nil:
		if d := diffPause(a.Pause, b.Pause, lens); d != nil {
			return d
		}
	case a.Exit != nil && b.Exit != nil:
		if d := diffExit(a.Exit, b.Exit); d != nil && !(lens.NoOutput && d.Kind == DiffOutput) {
			return d
		}
	case a.Value != nil && b.Value != nil:
		if d := diffVar(DiffValue, "value", a.Value, b.Value); d != nil {
			return d
		}
	}
	return nil
}

// withoutTypeArgs is an output without the type arguments in its functions' names.
func withoutTypeArgs(o *Output) *Output {
	if o.Pause == nil && len(o.Stack) == 0 {
		return o
	}
	c := *o
	c.Stack = bareFrames(o.Stack)
	if o.Pause != nil {
		p := *o.Pause
		p.Stack = bareFrames(p.Stack)
		c.Pause = &p
	}
	return &c
}

func bareFrames(frames []Frame) []Frame {
	bare := slices.Clone(frames)
	for i := range bare {
		bare[i].Func = BareFunc(bare[i].Func)
	}
	return bare
}

// BareFunc is a function's name without its type arguments.
func BareFunc(name string) string {
	if i, j := strings.IndexByte(name, '['), strings.LastIndexByte(name, ']'); i >= 0 && j > i {
		return name[:i] + name[j+1:]
	}
	return name
}

// WrapperName is a function's name, as later toolchains write it that Go 1.17 wrote another way: main·dwrap·2 of what a go
// or a defer statement starts is main.gowrap2.
func WrapperName(name string) string { return strings.Replace(name, "·dwrap·", ".gowrap", 1) }

// A function literal has the name of the function around it, and an ending: unnumbered is that in recorded runs, and
// numbered that in the compiler's names, which count the literals.
var (
	unnumbered = regexp.MustCompile(`(\.func)+$`)
	numbered   = regexp.MustCompile(`(\.(func|gowrap|deferwrap)?\d+|-range\d+)+$`)
)

// sameFunc reports whether two names are one function's.
func sameFunc(a, b string) bool {
	if a == b {
		return true
	}
	if !unnumbered.MatchString(a) {
		a, b = b, a
	}
	return unnumbered.MatchString(a) && unnumbered.ReplaceAllString(a, "") == numbered.ReplaceAllString(b, "") && numbered.MatchString(b)
}

func diffPause(a, b *Pause, lens Lens) *Difference {
	if len(a.Stack) == 0 || len(b.Stack) == 0 {
		if len(a.Stack) != len(b.Stack) {
			return &Difference{DiffStack, "stack", fmt.Sprintf("%d frames", len(a.Stack)), fmt.Sprintf("%d frames", len(b.Stack))}
		}
	} else if x, y := a.Stack[0], b.Stack[0]; lens.NoOthers && x.Foreign() && y.Foreign() {
		// Both are somewhere else.
	} else if x.File != y.File || x.Line != y.Line || !sameFunc(x.Func, y.Func) ||
		!lens.NoPlace && x.Place != "" && y.Place != "" && x.Place != y.Place {
		return &Difference{DiffLocation, "location", where(x), where(y)}
	}
	if d := diffStack(a.Stack, b.Stack, lens); d != nil {
		return d
	}
	if !lens.NoReason {
		if a.Reason != b.Reason || a.Description != b.Description || a.Text != b.Text {
			return &Difference{DiffReason, "reason", a.Reason + " " + a.Description + " " + a.Text, b.Reason + " " + b.Description + " " + b.Text}
		}
		if !slices.Equal(a.Hit, b.Hit) {
			return &Difference{DiffReason, "breakpoints hit", strings.Join(a.Hit, ", "), strings.Join(b.Hit, ", ")}
		}
	}
	if lens.NoVars {
		return nil
	}
	lens.Frame = a.Top()
	return diffScopes(a.Scopes, b.Scopes, lens)
}

func where(f Frame) string {
	s := fmt.Sprintf("%s:%d %s", f.File, f.Line, f.Func)
	if f.Place != "" {
		s += " (" + f.Place + ")"
	}
	return s
}

// Foreign reports whether a frame is not the program's.
func (f Frame) Foreign() bool {
	return f.File == "" || filepath.IsAbs(f.File) || strings.HasPrefix(f.File, "$GOROOT")
}

// InC reports whether a frame is of a function that is none of Go's, or that the cgo command has made: these have no package, or one
// called C.
func (f Frame) InC() bool {
	return f.Func != "" && !strings.Contains(f.Func, ".") || strings.HasPrefix(f.Func, "C.")
}

func diffStack(a, b []Frame, lens Lens) *Difference {
	if lens.NoOthers {
		a, b = slices.DeleteFunc(slices.Clone(a), Frame.Foreign), slices.DeleteFunc(slices.Clone(b), Frame.Foreign)
	}
	for i := range max(len(a), len(b)) {
		if i < len(a) && i < len(b) && a[i].File == b[i].File && a[i].Line == b[i].Line && sameFunc(a[i].Func, b[i].Func) {
			continue
		}
		var x, y string
		if i < len(a) {
			x = fmt.Sprintf("%s:%d %s", a[i].File, a[i].Line, a[i].Func)
		}
		if i < len(b) {
			y = fmt.Sprintf("%s:%d %s", b[i].File, b[i].Line, b[i].Func)
		}
		return &Difference{DiffStack, fmt.Sprintf("frame %d", i), orNone(x), orNone(y)}
	}
	return nil
}

func orNone(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}

func diffScopes(a, b []Scope, lens Lens) *Difference {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) {
			return &Difference{DiffVariables, "scopes", fmt.Sprint(len(a)), fmt.Sprint(len(b))}
		}
		if a[i].Name != b[i].Name {
			return &Difference{DiffVariables, "scope", a[i].Name, b[i].Name}
		}
		if d := diffVars(DiffVariables, "", lens.vars(a[i].Vars), lens.vars(b[i].Vars)); d != nil {
			return d
		}
	}
	return nil
}

// vars are the variables of a scope as the lens shows them.
func (l Lens) vars(vs []Variable) []Variable {
	if l.Settled == nil {
		return vs
	}
	seen := make([]Variable, len(vs))
	for i, v := range vs {
		if !l.Settled(l.Frame, v.Name) {
			v = Variable{Name: v.Name, Value: "not settled"}
		}
		seen[i] = v
	}
	return seen
}

func diffVars(kind DiffKind, path string, a, b []Variable) *Difference {
	for i := range max(len(a), len(b)) {
		var x, y *Variable
		if i < len(a) {
			x = &a[i]
		}
		if i < len(b) {
			y = &b[i]
		}
		switch {
		case x == nil:
			return &Difference{kind, path + y.Name, "not shown", y.Type + " " + y.Value}
		case y == nil:
			return &Difference{kind, path + x.Name, x.Type + " " + x.Value, "not shown"}
		case x.Name != y.Name:
			return &Difference{kind, path + "names", x.Name, y.Name}
		}
		if d := diffVar(kind, path+x.Name, x, y); d != nil {
			return d
		}
	}
	return nil
}

func diffVar(kind DiffKind, path string, a, b *Variable) *Difference {
	if a.Varies || b.Varies {
		return nil
	}
	if a.Type != b.Type {
		return &Difference{kind, path + ", its type", a.Type, b.Type}
	}
	if a.Value != b.Value {
		return &Difference{kind, path, a.Value, b.Value}
	}
	if a.Cut != b.Cut {
		return nil // expanded differently; what one did not ask for cannot be compared
	}
	return diffVars(kind, path+".", a.Children, b.Children)
}

func diffExit(a, b *Exit) *Difference {
	code := func(e *Exit) string {
		if e.Code == nil {
			return "not told"
		}
		return fmt.Sprint(*e.Code)
	}
	if code(a) != code(b) && !(a.Code != nil && b.Code != nil && SameCode(*a.Code, *b.Code)) {
		return &Difference{DiffExit, "exit code", code(a), code(b)}
	}
	if a.Stdout != b.Stdout && !a.Earlier && !b.Earlier && !a.Varies && !b.Varies {
		return &Difference{DiffOutput, "standard output", firstDifference(a.Stdout, b.Stdout), firstDifference(b.Stdout, a.Stdout)}
	}
	return nil
}

// SameCode reports whether two exit codes are of the same end. The protocol does not say what the code is of a program that a signal
// ended: minus the signal's number, or 128 and that, as shells have it (tolerance signal-code).
func SameCode(a, b int) bool {
	return a == b || a < 0 && b == 128-a || b < 0 && a == 128-b
}

// firstDifference is the line of a where it departs from b.
func firstDifference(a, b string) string {
	la, lb := strings.SplitAfter(a, "\n"), strings.SplitAfter(b, "\n")
	for i, line := range la {
		if i >= len(lb) || line != lb[i] {
			return fmt.Sprintf("line %d %q", i+1, line)
		}
	}
	return "its end"
}
