// Package gen makes what a debugger is tested with: the programs to debug
// ([Finder]) and the debugging actions ([Generator]).
//
// Actions are generated while the session runs, each from what the debugger
// has shown so far (Lehmann and Pradel, FSE 2018, algorithm 1), and beyond the
// paper's grammar: conditions, hit conditions and log points over the
// variables that are shown, function and instruction breakpoints, generated
// pure expressions evaluated in any frame, assignments, pages, restarts. The
// same seed, program and engine give the same actions.
//
// The shipped programs are the txtar files in gen/programs, prose first. Each
// is small and deterministic, and together they use every statement,
// declaration, expression and type form of Go; a test holds them to that.
package gen
