// Package transform is the engine of metamorphic testing: it drives follow-up sessions and
// holds what a debugger shows in them against a first session, the base (Tolksdorf,
// Lehmann and Pradel, ISSTA 2019, section 3.2).
//
// A transformation of actions is a small state machine that sits between the
// actions of the base and the session of the follow-up run: it
// sees each pause before it decides, and may insert actions of its own to
// bring the follow-up back in step (interactive metamorphic testing). It is
// written as a function that drives a [Driver]: [Driver.Play] does what the
// base did and holds the output against the base's; [Driver.Do] does something
// of the transformation's own, which is not compared; [Driver.Match] holds an
// output that was reached in another way against the base's. What is compared,
// and what not for which reason, is the [dap.Lens] given there: that is the
// relation.
//
// A transformation of programs comes with a [Relation] instead, by which [Follow] knows
// what a debugger shows of the new program where it showed something of the old one.
//
// The transformations themselves are in packages action, rewrite and build, one file for
// each.
package transform
