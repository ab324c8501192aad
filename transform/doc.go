// Package transform makes changes of programs and of debugging actions that
// must not matter, each with the relation that must then hold between the two
// traces (Tolksdorf, Lehmann and Pradel, ISSTA 2019, section 3.2).
//
// A transformation of actions is a small state machine that sits between the
// actions of a first run, the base, and the session of the follow-up run: it
// sees each pause before it decides, and may insert actions of its own to
// bring the follow-up back in step (interactive metamorphic testing). It is
// written as a function that drives a [Driver]: [Driver.Play] does what the
// base did and holds the output against the base's; [Driver.Do] does something
// of the transformation's own, which is not compared; [Driver.Match] holds an
// output that was reached in another way against the base's. What is compared,
// and what not for which reason, is the [dap.Lens] given there: that is the
// relation.
//
// [Actions] is the table. A new transformation is one file, with its guards
// against false alarms beside it, and one line there.
package transform
