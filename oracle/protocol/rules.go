package protocol

import "misstep/finding"

// Oracle is the oracle's name.
const Oracle = "protocol"

// Rules are the invariants of the protocol, and where each is written.
var Rules = finding.Registry{
	{ID: "decodes", Oracle: Oracle, Once: true, Sentence: "Every message decodes as the specification's schema says.", Source: "DAP, Base Protocol", Whole: true},
	{ID: "seq", Oracle: Oracle, Sentence: "Messages from the adapter are numbered 1, 2, 3, ….", Source: "DAP, ProtocolMessage.seq", Whole: true,
		Help: "A number that is used twice or is not positive makes a response ambiguous; it is counted on all messages, whatever they are."},
	{ID: "seq-order", Oracle: Oracle, Sentence: "The numbers of the adapter's messages come in order.", Source: "DAP, ProtocolMessage.seq", Whole: true},
	{ID: "answer", Oracle: Oracle, Once: true, Sentence: "Every request gets exactly one response, with its command and number.", Source: "DAP, Response"},
	{ID: "initialized", Oracle: Oracle, Sentence: "The initialized event comes once for each launch or restart, not before initialize is answered.", Source: "DAP, Initialization"},
	{ID: "stopped", Oracle: Oracle, Sentence: "A stopped event comes only while the program runs, with a reason.", Source: "DAP, Stopped Event"},
	{ID: "thread", Oracle: Oracle, Once: true, Sentence: "The thread of a stopped event is one of the threads.", Source: "DAP, Threads Request"},
	{ID: "terminated", Oracle: Oracle, Sentence: "terminated comes once a run; nothing pauses after it.", Source: "DAP, Terminated Event"},
	{ID: "exited", Oracle: Oracle, Sentence: "A program that ran to its end gives an exited event, before terminated.", Source: "DAP, Exited Event",
		Help: "A program that is ended by disconnect or terminate need not tell."},
	{ID: "required", Oracle: Oracle, Sentence: "A message has what its kind must have, and no null in the place of a list, a text or a number.", Source: "DAP, the JSON schema, required"},
	{ID: "nobody", Oracle: Oracle, Sentence: "A pause that is said to have been asked for was asked for, while the program ran.", Source: "DAP, Stopped Event, reason; Pause Request",
		Help: "A request to pause a program that is paused already asks for nothing."},
	{ID: "breakpoints", Oracle: Oracle, Sentence: "An answer to a setBreakpoints request has one entry for each breakpoint asked for; a verified one has a number of its own.", Source: "DAP, SetBreakpoints Request"},
	{ID: "hit", Oracle: Oracle, Sentence: "The breakpoints that a stopped event names are set.", Source: "DAP, Stopped Event, hitBreakpointIds",
		Help: "A number is set if the last answer to a request that sets breakpoints gave it."},
	{ID: "frames", Oracle: Oracle, Sentence: "Frames have positive, different numbers; no more are sent than were asked for; totalFrames is at least their number.", Source: "DAP, StackTrace Request"},
	{ID: "stale", Oracle: Oracle, Sentence: "A frame or a variable of an earlier pause, or one that never was, is refused.", Source: "DAP, Lifetime of Objects References"},
	{ID: "refuse", Oracle: Oracle, Sentence: "A request that makes no sense in the current state is refused.", Source: "DAP, Overview",
		Help: "A request that lets a program run before there is one, or after it has ended, would otherwise be answered by nothing."},
	{ID: "internal", Oracle: Oracle, Once: true, Sentence: "No answer speaks of an internal error, a panic or a nil dereference in the adapter.", Source: "DAP, ErrorResponse",
		Help: "The words are those of a failure inside the adapter, such as a recovered panic; where the stack comes along, its innermost function tells findings apart."},
	{ID: "set-type", Oracle: Oracle, Sentence: "setVariable answers with the type that the variable is shown with, as the client asked for types.", Source: "DAP, SetVariable Request; initialize, supportsVariableType"},
	{ID: "eval-type", Oracle: Oracle, Sentence: "An expression that has a value is answered with its type, as the client asked for types.", Source: "DAP, Evaluate Request; initialize, supportsVariableType",
		Help: "What is asked at a prompt, or calls a function, may have none."},
	{ID: "understood", Oracle: Oracle, Sentence: "What a client has not said that it understands is not sent: types, references to memory, and some events.", Source: "DAP, InitializeRequestArguments; Variable; Events"},
	{ID: "capability", Oracle: Oracle, Sentence: "What the capabilities offer is not refused as unsupported.", Source: "DAP, Capabilities"},
	{ID: "announced", Oracle: Oracle, Sentence: "What the adapter does that a capability offers, it offers.", Source: "DAP, Capabilities",
		Help: "Clients use only what is offered. That an adapter heeds conditions and the like that it does not offer is known of it; what it ignores is no finding."},
	{ID: "instructions", Oracle: Oracle, Sentence: "Disassembled are as many instructions as were asked for, each with an address.", Source: "DAP, Disassemble Request, instructionCount; DisassembledInstruction, address",
		Help: "Where there is no instruction, such as before the program's text, there is one in its place that is invalid."},
	{ID: "variables", Oracle: Oracle, Sentence: "A page of variables has no more entries than were asked for.", Source: "DAP, Variables Request, count"},
	{ID: "alive", Oracle: Oracle, Sentence: "The adapter answers in time, and lives until it is told to disconnect.", Source: "DAP, Disconnect Request"},
	{ID: "left", Oracle: Oracle, Sentence: "A program that was launched ends with its session, whatever the client says or does not say of it.", Source: "DAP, Disconnect Request"},
	{ID: "launches", Oracle: Oracle, Sentence: "A program that runs by itself is launched.", Source: "DAP, Launch Request",
		Help: "A debugger that launches no program at all is an error of the campaign, not a finding."},
	{ID: "gone", Oracle: Oracle, Sentence: "An adapter whose session is over, or whose client is gone, or that is told to end, ends.", Source: "DAP, Disconnect Request; Delve, dlv help dap"},
	{ID: "farewell", Oracle: Oracle, Sentence: "A client whose request to disconnect is granted is told that the session is over.", Source: "DAP, Terminated Event; Delve, service/dap, onDisconnectRequest"},
	{ID: "unchanged", Oracle: Oracle, Sentence: "What is refused before a program is launched changes nothing: the launch succeeds after it.", Source: "DAP, Launch Request"},
	{ID: "error-format", Oracle: Oracle, Sentence: "A refused request says why.", Source: "DAP, ErrorResponse"},
}
