// Package oracle judges what a debugger did.
//
//   - [Protocol] reads what went over the wire and holds it against the
//     invariants of the Debug Adapter Protocol.
//   - [Metamorphic] transforms a run and holds the two traces against the
//     transformation's relation, again and again on the result of the last
//     (Tolksdorf et al., ISSTA 2019, section 3.3).
//   - [Differential] runs debuggers side by side until what they show differs
//     (Lehmann and Pradel, ESEC/FSE 2018, algorithm 1); three and more vote.
//
// An oracle counts every check that it made, by name, in a [Tally]; a check
// that could not be made is counted as not made. What an oracle found is a
// [Finding], which holds all that is needed to replay it.
package oracle
