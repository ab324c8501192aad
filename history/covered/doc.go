// Package covered says what of a program its recorded runs executed: statements, branches and conditions.
//
// All of it follows from histories, which say which way each branch went and what the operands of && and || gave; the
// program is compiled by the ordinary compiler. A statement counts how often it was begun. A branch is a place where the
// program goes one of several ways, its outcomes are the ways: for if, true and false; for a loop with a condition, into the
// body and on after it; for a loop over a range, with elements and without any; for switch and select each clause, and
// no clause where there need not be one. A condition is an operand of && or || that has no such operator itself, or the
// whole of what if and for test; its outcomes are true and false, counted as often as it was evaluated (condition coverage,
// in the terms of Myers, The Art of Software Testing, chapter 4).
//
// Reports of several runs are added up by the places in the files, see [Report.Add].
//
// Not covered: code that histories have gaps for (cgo, functions that may not call others), which is listed as not recorded;
// conditions of which the compiler knows the value; operands of && and || within cases of a switch that a fallthrough
// comes to; operands in the second and later expressions of a case. What a test that panics
// would have given counts as false. A loop that ends by break has not been seen to end by its condition.
package covered
