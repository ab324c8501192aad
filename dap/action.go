package dap

// Kind names what a debugger's user does. Its text is the name of the script
// command as well.
type Kind string

// The actions; see actions for what each means.
const (
	Break      Kind = "break"
	Unbreak    Kind = "unbreak"
	FuncBreak  Kind = "fbreak"
	FuncUnset  Kind = "unfbreak"
	InstBreak  Kind = "ibreak"
	InstUnset  Kind = "unibreak"
	DataBreak  Kind = "dbreak"
	DataUnset  Kind = "undbreak"
	Resend     Kind = "resend"
	Continue   Kind = "continue"
	Next       Kind = "next"
	StepIn     Kind = "stepin"
	StepOut    Kind = "stepout"
	Finish     Kind = "finish"
	Interrupt  Kind = "interrupt"
	Stack      Kind = "stack"
	Vars       Kind = "vars"
	Threads    Kind = "threads"
	Evaluate   Kind = "eval"
	SetVar     Kind = "setvar"
	Call       Kind = "call"
	Disas      Kind = "disas"
	Memory     Kind = "memory"
	WriteMem   Kind = "writemem"
	Exception  Kind = "exception"
	Request    Kind = "request"
	Catch      Kind = "catch"
	Restart    Kind = "restart"
	Misuse     Kind = "misuse"
	Disconnect Kind = "disconnect"
	Detach     Kind = "detach"
)

// An Effect is what a kind of action does to the session.
type Effect int

// The effects.
const (
	Asks    Effect = iota // about a paused program, which stays as it is
	Sets                  // breakpoints
	Steps                 // lets the program run, a little
	Runs                  // lets the program run
	Assigns               // to a variable, or has a function called that may
	Begins                // the program anew
	Ends                  // the session
	Errs                  // is a request that comes when it should not
)

// A Meaning is what misstep knows of a kind of action.
type Meaning struct {
	Kind   Kind
	Doc    string // a sentence for the user of scripts
	Effect Effect
	// Requests are the requests of DAP that carry the action out, the decisive one first.
	Requests []string
	// Capability is what an adapter has to offer for it, by its name in DAP; empty if
	// each adapter must have it.
	Capability string
	// Undo is the kind that takes a breakpoint back that this one sets.
	Undo Kind
	// Fields are the fields of an Action that it reads, in the order in which a script
	// has them: options first.
	Fields []Field
	// Answer is the output that says that the action was granted; empty if it is
	// any but a refusal.
	Answer OutputKind
}

// actions is the table of all actions. A new one is an entry here, and its meaning: how a
// session carries it out (do.go), how the reference model judges it (what it does not
// know it counts as not judged), and when it is generated.
var actions = []Meaning{
	{
		Kind: Break, Effect: Sets, Requests: []string{"setBreakpoints"}, Undo: Unbreak, Answer: Set,
		Fields: []Field{ConditionField, HitField, LogField, PlaceField},
		Doc:    "Sets a breakpoint, which must be verified. ! demands that it is not.",
	},
	{
		Kind: Unbreak, Effect: Sets, Requests: []string{"setBreakpoints"}, Answer: Removed,
		Fields: []Field{PlaceField},
		Doc:    "Removes a breakpoint.",
	},
	{
		Kind: FuncBreak, Effect: Sets, Requests: []string{"setFunctionBreakpoints"}, Capability: "supportsFunctionBreakpoints", Undo: FuncUnset, Answer: Set,
		Fields: []Field{ConditionField, HitField, FunctionField},
		Doc:    "Sets a function breakpoint. ! demands that it is not verified.",
	},
	{
		Kind: FuncUnset, Effect: Sets, Requests: []string{"setFunctionBreakpoints"}, Capability: "supportsFunctionBreakpoints", Answer: Removed,
		Fields: []Field{FunctionField},
		Doc:    "Removes a function breakpoint.",
	},
	{
		Kind: InstBreak, Effect: Sets, Requests: []string{"setInstructionBreakpoints"}, Capability: "supportsInstructionBreakpoints", Undo: InstUnset, Answer: Set,
		Fields: []Field{ConditionField, HitField, InstructionPlaceField},
		Doc:    "Sets an instruction breakpoint. ! demands that it is not verified.",
	},
	{
		Kind: InstUnset, Effect: Sets, Requests: []string{"setInstructionBreakpoints"}, Capability: "supportsInstructionBreakpoints", Answer: Removed,
		Fields: []Field{InstructionPlaceField},
		Doc:    "Removes an instruction breakpoint.",
	},
	{
		Kind: DataBreak, Effect: Sets, Requests: []string{"setDataBreakpoints", "dataBreakpointInfo"}, Capability: "supportsDataBreakpoints", Undo: DataUnset, Answer: Set,
		Fields: []Field{ConditionField, HitField, AccessField, AsField, FrameField, DataField},
		Doc:    "Sets a data breakpoint on a variable, or another operand: it pauses the program where that is written, as long as it is in scope. ! demands that it is not verified.",
	},
	{
		Kind: DataUnset, Effect: Sets, Requests: []string{"setDataBreakpoints"}, Capability: "supportsDataBreakpoints", Answer: Removed,
		Fields: []Field{DataField},
		Doc:    "Removes a data breakpoint.",
	},
	{
		Kind: Resend, Effect: Sets, Requests: []string{"setBreakpoints"}, Answer: Done,
		Fields: []Field{OrderField, FileField},
		Doc:    "Sends a file's breakpoints once more, maybe in another order.",
	},
	{
		Kind: Continue, Effect: Runs, Requests: []string{"continue", "configurationDone"}, Fields: []Field{MeanwhileField},
		Doc: "Starts the program, or lets it run on. ! demands that this is refused.",
	},
	{
		Kind: Next, Effect: Steps, Requests: []string{"next"}, Fields: []Field{InstructionField, ThreadField},
		Doc: "Steps over. ! demands that this is refused.",
	},
	{
		Kind: StepIn, Effect: Steps, Requests: []string{"stepIn"}, Fields: []Field{InstructionField, ThreadField},
		Doc: "Steps into. ! demands that this is refused.",
	},
	{
		Kind: StepOut, Effect: Steps, Requests: []string{"stepOut"}, Fields: []Field{InstructionField, ThreadField},
		Doc: "Steps out. ! demands that this is refused.",
	},
	{
		Kind: Finish, Effect: Runs, Requests: []string{"continue"},
		Doc: "Removes all breakpoints and runs the program to its end; one that has none is left when it has run on. ! demands that this is refused.",
	},
	{
		Kind: Interrupt, Effect: Runs, Requests: []string{"pause"},
		Doc: "Lets the program run on, and asks it to pause at once. ! demands that this is refused.",
	},
	{
		Kind: Stack, Effect: Asks, Requests: []string{"stackTrace"}, Fields: []Field{PageField, ThreadField}, Answer: Answered,
		Doc: "Demands that the stack begins so, innermost first; with -thread, that of another thread, by its number in the list of threads. ! demands that it does not, or that asking is refused.",
	},
	{
		Kind: Vars, Effect: Asks, Requests: []string{"scopes", "variables"}, Capability: Variables, Fields: []Field{ThreadField, FrameField, PageField}, Answer: Answered,
		Doc: "Asks for a frame's variables. ! demands that this is refused.",
	},
	{
		Kind: Threads, Effect: Asks, Requests: []string{"threads"}, Answer: Answered,
		Doc: "Asks for the threads. ! demands that this is refused.",
	},
	{
		Kind: Evaluate, Effect: Asks, Requests: []string{"evaluate"}, Capability: Variables, Fields: []Field{ThreadField, FrameField, ContextField, ExpressionField}, Answer: Answered,
		Doc: "Evaluates an expression, which must give that value. ! demands that it is refused, with a reason that matches VALUE.",
	},
	{
		Kind: SetVar, Effect: Assigns, Requests: []string{"setVariable"}, Capability: "supportsSetVariable", Fields: []Field{ThreadField, FrameField, VariableField, ValueField}, Answer: Answered,
		Doc: "Sets a variable. ! demands that this is refused.",
	},
	{
		Kind: Call, Effect: Assigns, Requests: []string{"evaluate"}, Capability: Variables, Fields: []Field{CallField}, Answer: Answered,
		Doc: "Calls a function for what it does, which may be to change variables or to print. ! demands that this is refused.",
	},
	{
		Kind: Disas, Effect: Asks, Requests: []string{"disassemble"}, Capability: "supportsDisassembleRequest", Fields: []Field{FrameField, BeforeField}, Answer: Answered,
		Doc: "Disassembles eight instructions from where a frame is, or from so many instructions before that. ! demands that this is refused.",
	},
	{
		Kind: Memory, Effect: Asks, Requests: []string{"readMemory", "scopes", "variables"}, Capability: "supportsReadMemoryRequest", Fields: []Field{FrameField, VariableField}, Answer: Answered,
		Doc: "Reads the memory of a variable that the adapter has a reference for, such as a string: the first 64 bytes, which must be these, in hexadecimal. ! demands that this is refused.",
	},
	{
		Kind: WriteMem, Effect: Assigns, Requests: []string{"writeMemory", "scopes", "variables"}, Capability: "supportsWriteMemoryRequest", Fields: []Field{FrameField, OffsetField, VariableField, BytesField}, Answer: Done,
		Doc: "Writes bytes, in hexadecimal, into the memory of a variable that the adapter has a reference for, such as a slice. ! demands that this is refused.",
	},
	{
		Kind: Exception, Effect: Asks, Requests: []string{"exceptionInfo"}, Capability: "supportsExceptionInfoRequest", Answer: Answered,
		Doc: "Asks what went wrong, at a pause for that, which must be of that kind and have that text. ! demands that this is refused.",
	},
	{
		Kind: Request, Effect: Asks, Requests: Questions(), Fields: []Field{FrameField, CommandField, ArgumentsField}, Answer: Answered,
		Doc: "Sends a request that only asks, with these arguments in JSON, in which strings stand for what the session has: $thread, $frame, $scope, $variable:NAME, $memory:NAME, $here, $process, and $text and $end of the program's code. ! demands that it is refused.",
	},
	{
		Kind: Catch, Effect: Sets, Requests: []string{"setExceptionBreakpoints"}, Capability: exceptionFilters, Fields: []Field{FiltersField}, Answer: Done,
		Doc: "Sets what of all that can go wrong pauses the program, by the adapter's names, or all or none of it. ! demands that this is refused.",
	},
	{
		Kind: Restart, Effect: Begins, Requests: []string{"restart"}, Capability: "supportsRestartRequest", Answer: Done, Fields: []Field{RunningField, WithField},
		Doc: "Starts the program anew; it waits at its start. With -running it is let run on at that moment. With -with the arguments that the request repeats are others: a member of an object stands for that of its name, null leaves it out, and what is no object stands for all of them. ! demands that this is refused.",
	},
	{
		Kind: Misuse, Effect: Errs, Fields: []Field{MisuseField},
		Doc: "Sends a request that comes when it should not. ! demands that it is refused.",
	},
	{
		Kind: Disconnect, Effect: Ends, Requests: []string{"disconnect"}, Fields: []Field{PlainField, RunningField, WayField}, Answer: Done,
		Doc: "Ends the session, and the program with it. With -plain nothing is said of the program, which has to end as it was launched. With -running it is let run on at that moment. -way ends it otherwise than by a request: the connection is closed, or the adapter gets a signal.",
	},
	{
		Kind: Detach, Effect: Ends, Requests: []string{"disconnect"}, Fields: []Field{PlainField, WayField}, Answer: Ended,
		Doc: "Ends the session, and lets a program that was attached to run to its end. With -plain nothing is said of the program, which has to go on as it was attached to. -way ends the session otherwise than by a request, see disconnect.",
	},
}

// exceptionFilters is the capability of adapters that pause for what goes wrong.
const exceptionFilters = "exceptionBreakpointFilters"

// Variables is the capability of adapters that show variables; DAP has no name for it.
const Variables = "variables"

// Meanings is the table of all kinds of action.
func Meanings() []Meaning { return actions }

// Meaning is what misstep knows of the kind; the zero Meaning of no action.
func (k Kind) Meaning() Meaning {
	for i := range actions {
		if actions[i].Kind == k {
			return actions[i]
		}
	}
	return Meaning{}
}

// Known reports whether there is such an action.
func (k Kind) Known() bool { return k.Meaning().Kind != "" }

// Resumes reports whether the action lets the program run.
func (k Kind) Resumes() bool { e := k.Meaning().Effect; return e == Runs || e == Steps }

// Steps reports whether the action is a step.
func (k Kind) Steps() bool { return k.Meaning().Effect == Steps }

// Sets reports whether the action sets or removes breakpoints.
func (k Kind) Sets() bool { return k.Meaning().Effect == Sets }

// Places reports whether the action sets a breakpoint, which another action can remove.
func (k Kind) Places() bool { return k.Meaning().Undo != "" }

// An Action is one thing that a debugger's user does.
type Action struct {
	Kind Kind `json:"do"`

	File string `json:"file,omitempty"` // relative to the program's folder
	Line int    `json:"line,omitempty"`

	Condition string `json:"condition,omitempty"`
	Hit       string `json:"hit,omitempty"`
	Log       string `json:"log,omitempty"`

	Name  string `json:"name,omitempty"` // function, instruction place, expression, variable or request
	Value string `json:"value,omitempty"`
	Frame int    `json:"frame,omitempty"` // 0 is the innermost
	// Thread is whose stack is meant, by its number in the list of threads, from 1 on; 0 is the one that has paused.
	Thread int `json:"thread,omitempty"`
	// Offset is where in a variable's memory is written, in bytes, or how many instructions before a frame's are shown.
	Offset int `json:"offset,omitempty"`
	Page   int `json:"page,omitempty"` // the entries asked for at a time; 0 for all
	// Context is what an expression is evaluated for, one of Contexts; empty for watch.
	Context string `json:"context,omitempty"`
	Order   []int  `json:"order,omitempty"`

	// Access is what pauses the program at data: write, read or readWrite; empty for write.
	Access string `json:"access,omitempty"`
	// As is how data is named to the adapter: child of what holds it, or expression; empty for child.
	As string `json:"as,omitempty"`

	Instruction bool   `json:"instruction,omitempty"` // step by machine instructions
	Way         string `json:"way,omitempty"`         // how the session is ended, one of Ways; empty for a request
	Running     bool   `json:"running,omitempty"`     // the program is let run just before
	Plain       bool   `json:"plain,omitempty"`       // nothing is said of what is to become of the program
	// Meanwhile is what is asked for while the program runs, one of Meanwhiles.
	Meanwhile string `json:"meanwhile,omitempty"`
}

// Meanwhiles are what can be asked for while the program runs: that all breakpoints are set as they
// are, and what the adapter answers or refuses without an effect on the program.
var Meanwhiles = []string{"breakpoints", "exceptions", "threads", "stack", "evaluate"}

// Contexts are what DAP has expressions evaluated for, beside watching them.
var Contexts = []string{"hover", "repl", "clipboard", "variables"}

// Requests are the requests of DAP that carry the action out, the decisive one first.
func (a Action) Requests() []string {
	if a.Kind == Request {
		return []string{a.Name}
	}
	return a.Kind.Meaning().Requests
}

// Granted reports whether an output says that the adapter did what the action asked for.
func (a Action) Granted(out *Output) bool {
	switch want := a.Kind.Meaning().Answer; want {
	case "":
		return out.Kind != Refused && out.Kind != Unsupported
	case Set:
		return out.Kind == Set && out.Breakpoint.Verified
	default:
		return out.Kind == want
	}
}

// Removal is the action that takes back the breakpoint that this one sets.
func (a Action) Removal() Action {
	return Action{Kind: a.Kind.Meaning().Undo, File: a.File, Line: a.Line, Name: a.Name}
}
