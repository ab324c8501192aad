// Package pool grows sessions of debuggers that nobody wrote, guided by what they have the debugger execute and by what is
// judged of it, and makes tests for a conformance suite of them.
//
// A [Grower] tries sessions, one after another: fresh ones, which the generators of hunts choose (ways.go), and mutants of those that
// the pool has (mutate.go). Each runs on a debugger that counts which of its blocks are executed. A session whose features are not all
// known is tried once more; what it shows both times is taken for its own, and it comes into the pool. Features are the
// blocks of the debugger's code, and the cases of the specification: what was done at which kind of statement, how
// it ended, and, of tests, which rules of the oracles have judged something.
//
// How a session is made, and of which program, is chosen by how much each choice has brought lately (yield.go). One of the
// choices are mutants that have a target, as Park et al. (JEST, ICSE 2021, section III-C) choose it: a block that nothing
// has executed yet, of a function that some session has executed in part; the parent is a session that comes nearest to it, that is,
// executes most of this function. A target that was tried often without effect is chosen seldom.
//
// Sessions and programs are short, so that a test can be read: of a program that is too long, slices are taken (short.go).
//
// [Grower.Suite] chooses few members of the pool that have all of its features, each time the one that adds most for its time, and makes
// each of them small, as long as it keeps what it was chosen for. A test demands of the debugger what the rules of the
// protocol, of traces and of a recorded run demand, and that it does what it is asked for.
//
// The same seed makes the same sessions as long as they execute the same; what a debugger executes depends a little on
// time, so that two pools are alike, and not the same. Not covered: sessions in which several debuggers or clients take part, and
// transformations of programs.
package pool
