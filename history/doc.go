// Package history says what a record of a run is, and reads it: which functions ran, called
// from where, and which way each branch went; with objects, also what was done to which.
// No debugger is involved. Package record makes such records, package timeline has the
// moments of one at which a debugger could stop.
//
// A history is a file of compressed words, see [Writer] and [Reader], and a [Plan], which
// says what their numbers mean. [Reader.Tree] puts the events together to activations,
// [Code.Walk] replays one.
//
// What follows from control flow is not recorded. An event says that a function was
// entered or left, that the body of an if, a loop, a case was entered, or what the
// second operand of && or || gave. Everything else is derived: [Code.Walk] replays an
// activation over the syntax tree with its events and yields each statement that
// was executed, in order. That an if was false, or a loop ended, is the absence of
// the event which would be next; within one activation, each way back to a branch
// passes an event of a loop or a label, so that the absence cannot be mistaken.
//
// A panic notes in which lines the functions stood that it ended, before their
// deferred functions are forgotten. What is open when the program ends (os.Exit, a
// crash, a signal) stays open in the history.
//
// Not covered: what a plan lists as gaps, which are packages that use cgo and functions
// with directives that forbid calls of others (go:nosplit, go:norace, …). The
// order of events of different goroutines is exact where functions are entered and
// after operations on channels, and only there.
package history
