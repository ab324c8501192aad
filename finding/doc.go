// Package finding is what misstep hands back: a [Finding] is one violation of a [Rule],
// with who says what was expected, what there was instead, where, and all that is needed
// to see it again.
//
// Findings that look like one cause have the same [Class] (Lehmann and Pradel, ESEC/FSE
// 2018, section 3.4). Classes that the same evidence at the same point of a program
// explains have the same cause; see [Causes].
//
// A finding is of a debugging session, its [Session], or of something else: what it
// carries is its [Payload]. How a check was made, and how often, is a [Tally]'s; each
// oracle has its own rules, which a [Registry] brings together.
package finding
