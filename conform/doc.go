// Package conform runs a suite of testscripts on several debuggers, and has them vote: N+1-version
// testing (Park, An, Youn, Kim and Ryu: JEST, ICSE 2021), with debuggers as the engines and misstep's
// rules and recorded executions as the specification.
//
// A test is passed, failed, not applicable, as the debugger says by its capabilities that it does not offer
// what the test asks for, or could not be carried out. Where few of the engines that a test applies to fail
// it, these have a defect, see [Row.Verdict]. Where most do, the test has, or the rule that it judges by; the
// rules are ranked then by how much the tests that are suspected check them and the others do not, with the
// formula ER1b, as JEST localises in the specification.
//
// What a vote of fewer than three engines says is nothing.
package conform
