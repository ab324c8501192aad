// Package grow makes conformance tests: testscripts that nobody wrote.
//
// For each alternative of Go's grammar there is a program that has it (package synth), and that is built, runs and
// ends. A session pauses at the fragment that has the alternative and steps on from there, into what it calls. The debugger at
// hand carries it out, and a recorded run of the program judges what it shows (package reference): the places of its
// pauses, the stacks, the variables. What was judged so is written down as what the test demands, so that it is
// the recorded run that says what is right, and a reader sees it.
//
// The suite is a cover: of the tests that pass, few that together have all alternatives, and checks of all rules, that the
// tests have. Each time that which adds most is taken, which need not give the fewest. A test that the debugger does not pass is not one of the suite, but a
// finding to be read, and is kept apart.
package grow
