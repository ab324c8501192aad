package dap

import (
	"fmt"
	"slices"
	"strings"
)

// OutputKind says what came back for an action.
type OutputKind string

// The outputs. The last four end a session.
const (
	Set         OutputKind = "set"         // Breakpoint
	Removed     OutputKind = "removed"     // Text, when the adapter complains
	Paused      OutputKind = "paused"      // Pause
	Answered    OutputKind = "answered"    // Value, Stack, Scopes, Threads
	Done        OutputKind = "done"        // nothing to show
	Refused     OutputKind = "refused"     // Text: the adapter's reason
	Unsupported OutputKind = "unsupported" // Text: the capability that the adapter lacks
	Ended       OutputKind = "ended"       // Exit
	Timeout     OutputKind = "timeout"     // the program ran too long; the adapter lives
	Hang        OutputKind = "hang"        // the adapter does not answer
	Death       OutputKind = "death"       // the adapter's process or connection is gone
)

// Fatal reports whether nothing more can be asked in this session.
func (k OutputKind) Fatal() bool { return k == Timeout || k == Hang || k == Death }

// An Output is what one action gave.
type Output struct {
	Kind OutputKind `json:"kind"`
	Text string     `json:"text,omitempty"`

	Breakpoint *Breakpoint `json:"breakpoint,omitempty"`
	Pause      *Pause      `json:"pause,omitempty"`
	Exit       *Exit       `json:"exit,omitempty"`
	Value      *Variable   `json:"value,omitempty"`
	Stack      []Frame     `json:"stack,omitempty"`
	// Traced is the stack that an adapter tells with an exception, as text. It is not compared.
	Traced []Frame `json:"traced,omitempty"`
	Scopes []Scope `json:"scopes,omitempty"`
	// Foreign is what is shown of a frame outside of the program. It is not compared.
	Foreign []Scope  `json:"foreign,omitempty"`
	Threads []string `json:"threads,omitempty"`
	// Bytes are those of the instructions that Threads lists, in hexadecimal. They are not compared.
	Bytes []string `json:"bytes,omitempty"`
	// Lines are those that the instructions are of, as file:line; empty where none is shown. They are not compared.
	Lines []string `json:"lines,omitempty"`
	// Thread is the thread that an action has named by its number in the list, as pauses number it; Stack is then its stack.
	Thread int `json:"of,omitempty"`

	// Logs are the messages of log points that came during the action.
	Logs []string `json:"logs,omitempty"`
	// Speakers are the goroutines that the messages came from, as far as the
	// adapter tells.
	Speakers []string `json:"speakers,omitempty"`
	// Moved says that the program has paused elsewhere meanwhile, as a function that was called met a breakpoint. It is not compared.
	Moved bool `json:"moved,omitempty"`
	// Passed are the pauses that the last action of a session has passed, by what they were for.
	Passed []string `json:"passed,omitempty"`
	// Interrupted says that nothing paused the program, which does not end, and it was asked to: where that is depends on time.
	Interrupted bool `json:"interrupted,omitempty"`
	// Changed lists other breakpoints whose state changed with this one.
	Changed []string `json:"changed,omitempty"`
}

// String is the output in a few words.
func (o Output) String() string {
	switch {
	case o.Pause != nil:
		return o.Pause.String()
	case o.Breakpoint != nil:
		return o.Breakpoint.String()
	case o.Exit != nil:
		return o.Exit.String()
	case o.Value != nil:
		return fmt.Sprintf("%s %s", o.Value.Type, o.Value.Value)
	case o.Text != "":
		return fmt.Sprintf("%s: %s", o.Kind, o.Text)
	}
	return string(o.Kind)
}

// Then is a later output with the messages of this one before its own: the two stand for one.
func (o Output) Then(later *Output) Output {
	out := *later
	out.Logs = slices.Concat(o.Logs, later.Logs)
	out.Speakers = slices.Concat(o.Speakers, later.Speakers)
	return out
}

// A Breakpoint is what the adapter says of one that was asked for.
type Breakpoint struct {
	Verified bool   `json:"verified"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Message  string `json:"message,omitempty"`
}

func (b *Breakpoint) String() string {
	if !b.Verified {
		return "not verified: " + b.Message
	}
	return fmt.Sprintf("set at %s:%d", b.File, b.Line)
}

// A Pause is what the debugger shows when stopped.
type Pause struct {
	Reason      string   `json:"reason"`
	Description string   `json:"description,omitempty"`
	Text        string   `json:"text,omitempty"`
	Thread      int      `json:"thread"`        // numbered in the order of appearance
	Hit         []string `json:"hit,omitempty"` // the breakpoints it names, as they were asked for
	Stack       []Frame  `json:"stack"`         // innermost first
	Scopes      []Scope  `json:"scopes"`        // of the innermost frame
}

// Top is the innermost frame; the zero Frame if there is none.
func (p *Pause) Top() Frame {
	if len(p.Stack) == 0 {
		return Frame{}
	}
	return p.Stack[0]
}

// Exception reports whether the program is paused by something that went wrong.
func (p *Pause) Exception() bool { return p.Reason == "exception" }

// Carried reports whether functions are on the stack that were not called where the
// source says: bodies of loops over functions, which run inside the iterator,
// deferred functions during a panic or a return, and what the debugger was asked
// to call, if a breakpoint stopped that.
func (p *Pause) Carried() bool {
	for _, f := range p.Stack {
		switch f.Func {
		case "runtime.gopanic", "runtime.panicmem", "runtime.sigpanic", "runtime.deferreturn", "runtime.Goexit":
			return true
		}
		if strings.Contains(f.Func, "-range") || strings.HasPrefix(f.Func, "runtime.debugCall") {
			return true
		}
	}
	return false
}

func (p *Pause) String() string {
	f := p.Top()
	return fmt.Sprintf("paused at %s:%d %s (%s)", f.File, f.Line, f.Func, p.Reason)
}

// Var finds a variable of the innermost frame by name.
func (p *Pause) Var(name string) *Variable { return findVar(p.Scopes, name) }

func findVar(scopes []Scope, name string) *Variable {
	for _, s := range scopes {
		for i := range s.Vars {
			if s.Vars[i].Name == name {
				return &s.Vars[i]
			}
		}
	}
	return nil
}

// A Frame is one function on the stack.
type Frame struct {
	Func  string `json:"func"`
	File  string `json:"file,omitempty"`
	Line  int    `json:"line"`
	Place string `json:"place,omitempty"` // the instruction, as function+0xoffset

	id int
}

// A Scope is a named group of variables.
type Scope struct {
	Name string     `json:"name"`
	Vars []Variable `json:"vars"`

	ref int
}

// A Variable is a name with a value, and what it was expanded to.
type Variable struct {
	Name     string     `json:"name,omitempty"`
	Type     string     `json:"type,omitempty"`
	Value    string     `json:"value"`
	Raw      string     `json:"raw,omitempty"` // the adapter's text, where Value is another
	Children []Variable `json:"children,omitempty"`
	// Cut says why there may be more children than these: depth or count.
	Cut string `json:"cut,omitempty"`
	// Varies says that runs of the program differ in its value, which is not compared.
	Varies bool `json:"varies,omitempty"`

	ref, indexed, named int
	memory              string // the adapter's reference for it
	evaluated           string // the expression that the adapter gives for it
}

// EvaluateName is the expression that the adapter has given for a variable of a live session, empty if there is none.
func (v *Variable) EvaluateName() string { return v.evaluated }

// Unreadable reports whether a variable could not be read, as one whose memory is gone, and through how many pointers it is shown to lead to what could
// not: of `**(unreadable …)` two. Stars before other values may be those of their types.
func (v *Variable) Unreadable() (pointers int, ok bool) {
	to := strings.TrimLeft(v.Value, "*")
	return len(v.Value) - len(to), strings.HasPrefix(to, "(unreadable ")
}

// Indexed is how many elements the adapter says that a variable of a live session has.
func (v *Variable) Indexed() int { return v.indexed }

// Element is the child that is an element of an array or a slice; nil if it is not shown.
func (v *Variable) Element(i int) *Variable {
	name := fmt.Sprintf("[%d]", i)
	for k := range v.Children {
		if v.Children[k].Name == name {
			return &v.Children[k]
		}
	}
	return nil
}

// An Exit is how the program ended, as the adapter told it.
type Exit struct {
	Code   *int   `json:"code,omitempty"` // nil if the adapter did not tell
	Stdout string `json:"stdout"`
	Stderr string `json:"stderr,omitempty"`
	// Beside says that the program printed where the adapter does: its standard error may have more in it.
	Beside bool `json:"beside,omitempty"`
	// Earlier says that a run before this one was ended while it ran: what it printed may come among the rest, so that
	// outputs are not compared.
	Earlier bool `json:"earlier,omitempty"`
	// Varies says that runs of the program differ in what they print, which is not compared.
	Varies bool `json:"varies,omitempty"`
}

func (e *Exit) String() string {
	if e.Code == nil {
		return "ended, exit code not told"
	}
	return fmt.Sprintf("ended with exit code %d", *e.Code)
}
