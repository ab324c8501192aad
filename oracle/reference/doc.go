// Package reference judges what a debugger shows by what really happened: the
// "+1" of N+1-version testing. A history of the program, recorded without any
// debugger, is replayed into moments: each execution of a statement in its
// activation, before and between the calls that it makes. A pause is matched with
// the first moment, from the last pause on, that has its line and its stack, so
// loops, recursion and calls line up by position. The rules then say what must
// hold between the two moments (see Rules).
//
// The reference is vague only where debuggers are underspecified. A statement is
// clear if a debugger must be able to pause at it: it is the first on its line, and
// surely has code there. Only clear statements are demanded; any that is executed
// is allowed.
//
// Each goroutine of a session is matched with one of the history, by the functions at
// the bottom of its stack, and where several have the same ones by what variables
// show, and judged by that one's moments, if they are the same in whatever order the
// goroutines run: the program is recorded several times, in shaken orders, and what
// differs is not known. Of goroutines that take what comes to them, as those of a pool
// do, nothing is known.
//
// The truth about expressions, conditions and assignments is computed by the program
// itself: they are compiled into it when it is recorded (see Probes).
//
// The body of a loop over a function is an activation of its own, which the iterator called, as
// it is for the compiler and on the debugger's stack.
//
// Not covered: programs in which a panic leaves the body of a loop over a function where it calls
// nothing, or whose iterator is not recorded, deferred functions while a panic unwinds, and code that
// is not recorded (gaps); what comes there is counted as not checked, and the next pause is matched anew.
package reference
