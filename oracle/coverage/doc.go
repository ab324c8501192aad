// Package coverage judges Go's coverage profilers, as the other oracles judge debuggers.
//
// Its relations are those of Cod (Yang et al., ASE 2019), which compares a program with itself without what was not
// executed, and of more that must not matter to what is counted: how the program is laid out, which names it has, how it is
// built and run, which tool reads the profile; and what a recorded run says of each statement, where there is one. See
// [Rules].
//
// A [Case] is one program under one profiler. It lists [Trial]s, which are small and independent of each other: one rule, at one
// variant of the program, in one configuration. A trial is repeatable from its text alone, which is what scripts hold.
//
// Statements are compared, never blocks: how statements are put into blocks is the cover tool's business, and it changed with
// Go 1.27. A difference between counts is strong if one of them is zero, and weak otherwise (Cod, section II-B).
//
// Not covered: programs of which two plain runs differ, or that end by a signal; goroutines whose number of steps depends on
// time (if two covered runs of a program count differently, its counts are not compared).
package coverage
