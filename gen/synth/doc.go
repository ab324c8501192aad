// Package synth synthesises Go programs from the language's grammar, so that each alternative of each
// production is used by a program that compiles, runs and ends: as JEST does with the grammar of
// JavaScript (Park, An, Youn, Kim and Ryu, ICSE 2021, section III-A).
//
// The grammar is that of the Go specification, in its own notation. An [Alternative] is a branch of a
// production, an optional part that is there or not, a part that is repeated not at all, once or more
// often, or a production as a whole. For each, a derivation is steered to it by the least number of
// productions (the paper's Algorithm 2), and is as short as it may be beside that way (Algorithm 1).
//
// Such a string is no program yet. It stands in a context, a function of a program whose variables, types
// and functions have all kinds of types, and its identifiers are taken from there, by chance, according to
// their place in the derivation. Go's own type checker picks those that mean something; what it would only
// call unused, what would not end and what would not be called is mended, see repair.go. Declarations of
// the context that nothing uses are left out at the end.
//
// Guarantees: a program parses and type-checks. Whether it runs and ends is for who builds it to find out.
// Not covered: what the grammar allows and no program can have, see the table impossible.
package synth
