package reference

import "misstep/finding"

// Oracle is the oracle's name.
const Oracle = "reference"

// Panics is what a finding says is expected of an expression that panics.
const Panics = "a panic"

// Rules are what must hold between a session and the history of the program.
var Rules = finding.Registry{
	{
		ID: "R1-pause", Oracle: Oracle, Source: "Go specification; recorded run",
		Sentence: "Each pause lies at a statement that is executed then, with that stack.",
		Help:     "A statement is executed at a pause if the recorded run is in it then, or before or after one of its calls. Where a panic unwinds, and in code that is not recorded, nothing is said.",
	},
	{
		ID: "R2-breakpoint", Oracle: Oracle, Source: "Go specification; recorded run",
		Sentence: "No execution of a line with a verified breakpoint is passed by.",
		Help:     "Only lines on which a statement begins that surely has code are demanded.",
	},
	{
		ID: "R3-value", Oracle: Oracle, Source: "Go specification; recorded run",
		Sentence: "Each variable in scope is shown, with its true value.",
		Help:     "Values are compared where the pause is at the beginning of a statement, as far down as both show them; names at the entry of a function.",
	},
	{
		ID: "R4-next", Oracle: Oracle, Source: "Go specification; recorded run",
		Sentence: "A step over skips no statement of its activation.",
		Help:     "Only statements that surely have code are demanded.",
	},
	{
		ID: "R5-stepin", Oracle: Oracle, Source: "Go specification; recorded run",
		Sentence: "A step in enters the call that happens next on the line, and none if there is none.",
		Help:     "Calls of functions that are not recorded are not demanded.",
	},
	{
		ID: "R6-stepout", Oracle: Oracle, Source: "Go specification; recorded run",
		Sentence: "A step out ends in the caller.",
	},
	{
		ID: "R7-log", Oracle: Oracle, Source: "Go specification; recorded run",
		Sentence: "A log point prints once for each execution of its line, with the values there.",
		Help:     "Values are compared where the program itself computed them.",
	},
	{
		ID: "R7-hit", Oracle: Oracle, Source: "Go specification; recorded run",
		Sentence: "A breakpoint with a hit condition pauses as the history counts its executions.",
	},
	{
		ID: "R7-condition", Oracle: Oracle, Source: "Go specification; recorded run",
		Sentence: "A breakpoint with a condition pauses where that is true, and only there.",
	},
	{
		ID: "R8-end", Oracle: Oracle, Source: "Go specification; recorded run",
		Sentence: "The session ends as the program ends, with its output and exit code.",
		Help:     "Sessions that assigned to a variable are judged by R10.",
	},
	{
		ID: "R9-refuse", Oracle: Oracle, Source: "Go specification, Expressions",
		Sentence: "An operation that its operands have not got has no value.",
		Help:     "Judged are operations of numbers, texts and truth values with each other, fields that a struct has not, and the like: what has no meaning in Go and could have none elsewhere. What a debugger has added to the language is its own.",
	},
	{
		ID: "R9-evaluate", Oracle: Oracle, Source: "Go specification; recorded run",
		Sentence: "An expression has the value that the compiled program computes there, in any frame.",
		Help:     "The program itself computes the truth: expressions are compiled into it when it is recorded. Not known are expressions that another goroutine may change.",
	},
	{
		ID: "R10-assign", Oracle: Oracle, Source: "Go specification; recorded run",
		Sentence: "After an assignment the program runs on as if that stood there.",
		Help:     "The program is recorded once more with the assignment at that execution of the statement.",
	},
	{
		ID: "R11-goroutine", Oracle: Oracle, Source: "Go specification; recorded run",
		Sentence: "In programs with goroutines the rules hold for each.",
		Help:     "What depends on the order in which goroutines run is not judged; several recordings tell.",
	},
	{
		ID: "R11-hits", Oracle: Oracle, Source: "Go specification; recorded run",
		Sentence: "Over all goroutines, a breakpoint is hit as often as its line is executed.",
	},
	{
		ID: "R12-exception", Oracle: Oracle, Source: "DAP, SetExceptionBreakpoints Request; the program by itself",
		Sentence: "What ends the program badly pauses it if that is asked for, and not otherwise, and is told as the program prints it.",
		Help:     "Judged are panics that nothing recovers and the runtime's fatal errors, among them signals that come in C, of programs that end so when they run by themselves.",
	},
	{
		ID: "R12-trace", Oracle: Oracle, Source: "package runtime, GOTRACEBACK; the program by itself",
		Sentence: "The stack at the pause for what ends the program badly has all that the runtime prints of it, in that order.",
		Help:     "Compared are the places of the program's own functions. What the compiler has made may stand between; a stack that was cut off is compared as far as it goes.",
	},
	{
		ID: "R13-data", Oracle: Oracle, Source: "DAP, SetDataBreakpoints Request; recorded run",
		Sentence: "A data breakpoint pauses where its variable is written, each time that it changes, and nowhere else.",
		Help:     "Judged are local variables of basic types that only their own function reaches. Writes that change nothing may be told or not.",
	},
	{
		ID: "R13-data-first", Oracle: Oracle, Source: "DAP, SetDataBreakpoints Request; recorded run",
		Sentence: "A data breakpoint pauses, too, where the statement writes its variable that the program was paused at.",
		Help:     "Debuggers execute the instruction by itself that a breakpoint is at, and may not look then.",
	},
	{
		ID: "R14-call", Oracle: Oracle, Source: "Go specification; recorded run",
		Sentence: "After a call the program runs on as if that stood there.",
		Help:     "A function that leaves a trace is called, which changes variables or prints. The program is recorded once more with the call at that execution of the statement. What such a call gives is not judged; what calls without a trace give is, by R9.",
	},
}
