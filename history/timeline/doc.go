// Package timeline has the moments of a recorded run at which a debugger could stop: each
// execution of a statement in its activation, before it, and after each call that it makes.
//
// [Record] records a program, with probes for the values of its variables, and [New] replays
// a history into a [Run]: threads, one for each goroutine, of activations, of steps, of
// moments in order. A [Step] is clear if a debugger must be able to stop at it: its
// statement is the first on its line, and surely has code there. [Run.Stops] are the
// moments that a debugger walks through, which package debugger does.
//
// A run that cannot be replayed as a whole has no moments, and says why: it was stopped, is
// too long or too deep, has parts that are not recorded, or a panic left the body of a loop over
// a function at a place that is not known. So has one that differs from a run of the program by itself, see [Run.Held].
package timeline
