// Package dap speaks the Debug Adapter Protocol to a debugger and keeps what
// was said.
//
// A [Session] is the finite-state transducer of Lehmann and Pradel (FSE 2018,
// section 3.1): its states are not running, running and paused; [Session.Do]
// takes an [Action] and gives one [Output]. What the transducer took and gave
// is a [Trace], written as JSON lines. Outputs are in a normal form: addresses,
// goroutine numbers, temporary folders and the order of map entries do not
// show in what is compared; the raw text stays beside it.
//
// An [Adapter] says how one debugger is started and what is particular to it.
// The adapters that misstep knows are one table; any other is described by a
// small file. Start at [Open].
//
// Whatever the adapter does is an output, not an error: it may refuse, answer
// nonsense, hang or die. An error from this package means that misstep itself
// could not go on. Every wait has a deadline, and nothing sleeps.
//
// The specification is https://microsoft.github.io/debug-adapter-protocol; its
// messages come from github.com/google/go-dap.
package dap
