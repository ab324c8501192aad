// Package metamorphic transforms a session and holds the follow-up against the
// transformation's relation, again and again on the result of the last one (Tolksdorf,
// Lehmann and Pradel, ISSTA 2019, section 3.3).
//
// Start from [Test.Run]. A relation that does not hold is believed only if it fails a
// second time in the same way, while the session without the transformation, carried out
// twice more, or five times where the program has the language's own dice, gives the same trace.
// A session that does not is cut off before what differs. A rewrite that breaks a program is a [Defect], which
// is misstep's own fault.
package metamorphic
