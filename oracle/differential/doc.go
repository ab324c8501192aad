// Package differential runs debuggers side by side with the same actions until what they
// show differs (DBDB: Lehmann and Pradel, ESEC/FSE 2018, algorithm 1); three and more vote
// (JEST: Park et al., ICSE 2021).
//
// Start from [Test.Run]. What of two sides is not compared, as it differs without any of
// them being wrong, is in [Between]. A recorded run may be a side.
package differential
