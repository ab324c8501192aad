package dap

import (
	"fmt"
	"strconv"
	"strings"
)

// Kind names what a debugger's user does. Its text is the name of the script
// command as well.
type Kind string

// The actions. The comments say which fields of an Action each reads.
const (
	Break      Kind = "break"      // File, Line, Condition, Hit, Log
	Unbreak    Kind = "unbreak"    // File, Line
	FuncBreak  Kind = "fbreak"     // Name, Condition, Hit
	FuncUnset  Kind = "unfbreak"   // Name
	InstBreak  Kind = "ibreak"     // Name, a place such as main.f+0x1f; Condition, Hit
	InstUnset  Kind = "unibreak"   // Name
	Resend     Kind = "resend"     // File, Order: the same breakpoints once more, maybe in another order
	Continue   Kind = "continue"   // starts the program, too
	Next       Kind = "next"       // Instruction
	StepIn     Kind = "stepin"     // Instruction
	StepOut    Kind = "stepout"    // Instruction
	Finish     Kind = "finish"     // removes every breakpoint and continues to the end
	Stack      Kind = "stack"      // Page, the frames asked for at a time; 0 for all
	Vars       Kind = "vars"       // Frame, Page
	Threads    Kind = "threads"    //
	Evaluate   Kind = "eval"       // Frame, Name
	SetVar     Kind = "setvar"     // Frame, Name, Value
	Disas      Kind = "disas"      // Frame
	Restart    Kind = "restart"    //
	Interrupt  Kind = "interrupt"  // runs the program and asks it to pause while it runs
	Misuse     Kind = "misuse"     // Name, a request that comes when it should not; see Misuses
	Disconnect Kind = "disconnect" //
)

// Resumes tells whether the action lets the program run.
func (k Kind) Resumes() bool {
	switch k {
	case Continue, Next, StepIn, StepOut, Finish, Interrupt:
		return true
	}
	return false
}

// Steps tells whether the action is a step.
func (k Kind) Steps() bool { return k == Next || k == StepIn || k == StepOut }

// Sets tells whether the action sets or removes breakpoints.
func (k Kind) Sets() bool {
	switch k {
	case Break, Unbreak, FuncBreak, FuncUnset, InstBreak, InstUnset, Resend:
		return true
	}
	return false
}

// An Action is one thing that a debugger's user does.
type Action struct {
	Kind Kind `json:"do"`

	File string `json:"file,omitempty"` // relative to the program's folder
	Line int    `json:"line,omitempty"`

	Condition string `json:"condition,omitempty"`
	Hit       string `json:"hit,omitempty"`
	Log       string `json:"log,omitempty"`

	Name  string `json:"name,omitempty"` // function, instruction place, expression or variable
	Value string `json:"value,omitempty"`
	Frame int    `json:"frame,omitempty"` // 0 is the innermost
	Page  int    `json:"page,omitempty"`
	Order []int  `json:"order,omitempty"`

	Instruction bool `json:"instruction,omitempty"` // step by machine instructions
}

// String is the action as a line of a script.
func (a Action) String() string {
	words := []string{string(a.Kind)}
	flag := func(name, value string) {
		if value != "" {
			words = append(words, "-"+name, Quote(value))
		}
	}
	if a.Instruction {
		words = append(words, "-instruction")
	}
	flag("if", a.Condition)
	flag("hit", a.Hit)
	flag("log", a.Log)
	if a.Frame != 0 {
		flag("frame", strconv.Itoa(a.Frame))
	}
	if a.Page != 0 {
		flag("page", strconv.Itoa(a.Page))
	}
	if len(a.Order) > 0 {
		flag("order", strings.Trim(strings.ReplaceAll(fmt.Sprint(a.Order), " ", ","), "[]"))
	}
	switch {
	case a.Line != 0:
		words = append(words, Quote(fmt.Sprintf("%s:%d", a.File, a.Line)))
	case a.File != "":
		words = append(words, Quote(a.File))
	}
	if a.Name != "" {
		words = append(words, Quote(a.Name))
	}
	if a.Value != "" {
		words = append(words, Quote(a.Value))
	}
	return strings.Join(words, " ")
}

// Quote makes one word of a testscript line: in single quotes where it needs
// them, with a quote inside doubled.
func Quote(s string) string {
	if s != "" && !strings.ContainsAny(s, " \t\n'#$\"\\*?;&|<>()[]{}!") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}
