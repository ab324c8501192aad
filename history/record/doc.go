// Package record records what really happens in a run of a program.
//
// A [Recorder] puts events into the user's packages as edits of the source, builds
// that by an overlay, and runs it beside itself. All edits stay on their lines, so
// that the program sees the line numbers it always had, and the sources on disk are
// not touched. The program writes its events into memory that it shares with the
// recorder (package rt has that half), which compresses them into a history.
//
// A program may be watched, too (see [Watch]): then it hands over the values of its
// variables at each statement, evaluates expressions there, and makes an assignment
// where it is told to.
//
// It needs Go 1.23 or later. What is not recorded is a gap of the history's plan.
package record
