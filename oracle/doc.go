// Package oracle says what it takes to judge a session: what was [Seen] of it goes in,
// findings and counts come out of a [Check].
//
// The oracles have packages of their own, each with its rules: protocol, trace, reference,
// metamorphic and differential. The last two carry out sessions of their own, which they
// compare. Package judge brings all of them together.
package oracle
