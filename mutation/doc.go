// Package mutation makes mutants of Go packages: small changes, each of which a good test
// should notice (DeMillo, Lipton and Sayward, Computer 1978).
//
// All mutants of a package are compiled at once, each switched on by its number in the
// environment (mutant schemata; Untch, Offutt and Harrold, ISSTA 1993), so that a mutant costs no
// build. The changed code is what [Change] returns, file by file. Without a number it does what the original
// does, and writes down which mutants it comes by if it is asked to.
//
// The operators are: a condition negated; && for || and the other way around; < for <= and the
// other way around, and so > for >=; + for - and the other way around; a constant that is one more, or the
// other truth value; the two operands of a call swapped; a statement left out (an assignment, a
// call, a send, a defer, a go statement, break, continue); a function that returns at once.
//
// Guarantees: what is changed compiles wherever the original does, for what these operators are
// applied to is typed, and no constant is needed there. A mutant changes one place of one function.
//
// Not covered: initial values of packages' variables, constants that have to be constants (lengths of arrays, case
// labels), elements of literals, statements that declare, calls of loggers, and assembly. Function literals are
// changed inside, and are not returned from at once.
package mutation
