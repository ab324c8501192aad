// Package reduce makes a finding small: the program and the actions together, as long
// as the finding stays in its class.
//
// A finding is a script. Its actions are commands, which are removed in chunks, large
// ones first (ddmin: Zeller and Hildebrandt, TSE 2002). Its program is reduced on the
// syntax trees, level by level from the outside in (hierarchical delta debugging:
// Misherghi and Su, ICSE 2006): files, declarations, statements, bodies in the place of
// the statements around them, operands in the place of expressions, elements, fields,
// results, parameters, calls, literals, comments. First come attempts at much at once: a
// breakpoint in the place of all that led to a pause, and slices of the program with
// regard to the lines that the script names. Passes are repeated until none of them gets
// anywhere; one that got nowhere, not before another has changed more than the text.
//
// Each candidate goes through predicates from cheap to dear: its files parse, they
// type-check, and only then is it built, run and debugged, which the caller's [Check]
// does. What a removal leaves over, imports and variables that are used no more, goes
// with it, as does what names something that is gone. Where lines move, the script's
// places move with them. Candidates are tried side by side, none twice.
//
// The result is tried several times before it is believed. A reduced finding has the
// class that the original had; it is minimal only with regard to the passes, and only
// if there was time enough.
//
// Not covered: packages that the archive does not hold are not reduced, and programs
// that import such are not type-checked, but go to the compiler at once.
package reduce
