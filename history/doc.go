// Package history records what really happens in a run of a program, and reads
// such records. No debugger is involved.
//
// A [Recorder] puts events into the user's packages as edits of the source, builds
// that by an overlay, and runs it beside itself. All edits stay on their lines, so
// that the program sees the line numbers it always had, and the sources on disk are
// not touched. The program writes its events into memory that it shares with the
// recorder (package rt has that half), which compresses them into a file; see
// [Writer] and [Reader] for the format.
//
// What follows from control flow is not recorded. An event says that a function was
// entered or left, that the body of an if, a loop, a case was entered, or what the
// second operand of && or || gave. Everything else is derived: [Walk] replays an
// activation over the syntax tree with its events and yields each statement that
// was executed, in order. That an if was false, or a loop ended, is the absence of
// the event which would be next; within one activation, each way back to a branch
// passes an event of a loop or a label, so that the absence cannot be mistaken.
//
// A panic notes in which lines the functions stood that it ended, before their
// deferred functions are forgotten. What is open when the program ends (os.Exit, a
// crash, a signal) stays open in the history.
//
// A program may be watched, too (see [Watch]): then it hands over the values of its
// variables at each statement, evaluates expressions there, and makes an assignment
// where it is told to.
//
// Not covered: packages that use cgo, functions with directives that forbid calls
// of others (go:nosplit, go:norace, …); these are gaps, which a history lists. The
// order of events of different goroutines is exact where functions are entered and
// after operations on channels, and only there.
package history
