// Package omission finds, for an object of a recorded run, the operations that could
// have been performed on it but were not, and the branches that decided so: execution
// omission errors, of which nothing is to be seen in what ran (Sakurai and Masuhara, The
// omission finder for debugging what-should-have-happened bugs in object-oriented
// programs, SAC 2015).
//
// It follows the algorithm of their section 3.3. Use sites are the places in the
// recorded packages that store into an object, call a method of it, pass it to a
// function, put it somewhere (see Kind); an expression there may be the object if
// Aliases say so. Call chains lead to them from functions that ran, over at most
// MaxCalls functions. For each activation, the dominant conditional jumps are the
// executed branches from which a way of unexecuted steps leads to the operation, or to
// the call that is next in the chain.
//
// A function's control-flow graph has a node for each step that history.Code.Walk
// yields, and one for each condition, operands of && and || apart; what an activation
// executed is a way through it. Branches are the conditions of if, for, && and ||, and
// cases without a tag; whether a range has another element; which clause of a switch or
// select is taken; a call that might have gone to another function; and the step in
// which control was lost to a panic or the program's end.
//
// Beyond the paper: where the history shows which object an expression was in an
// activation (as a parameter, or where it was used), operations on others are left out,
// and those on the subject are sure. A call that is given the subject is one operation,
// a read if all that it may do is to read it. Operations that happened in an activation,
// but to other objects, are omissions where another iteration decided differently.
// Operations are ranked by how much would have had to be other than it was, and bundled
// by the branch that decided. A Verifier runs the program again with one evaluation of a
// branch inverted, and sees whether the operation happens then. Of a run that fails it
// inverts all other branches as well (see Switching): what runs where that makes the
// program do what it should is told of, though no operation on the object led there.
//
// What reflection does with a value is an operation on the object behind it, which the
// history knows, with the place in it. Why a branch decided as it did is followed backwards
// as a chain of Reasons, dynamically: from the moment at which it decided, to the last
// assignment, change or return that gave the value, the branch that led there, and what did
// not happen that would have given another (see explainer). Of a switch that should have taken a case, what counts is where no
// case fitted, if it did not take another each time (see unfits). Where an object holds the subject to have it called, what gave
// the same field of others of its type another value is an answer, too (see siblings). An operation that did happen,
// but to a copy that was thrown away, or in vain, is a LostChange; a field that a function which ran does not carry over from one
// struct to another, as it does others of the same names, is a LeftOut; one that was made of another field, and not made anew
// when that was given another value, is Stale. What a function would do with an object that it is given, and does nothing with at all, are operations
// (see droppable); of what was nil, those on what the function that gave it gathers in (see gathered). What an object holds, and nothing else does, is
// inside of it: what should have happened to that counts as well, the less the deeper it is (see inside). What is asked about need not be an
// object: of a value, and of what a failed Assertion reads, it is what that was computed
// from, and the variables that gather what it was made of (see ingredients).
//
// So many events of a history are read (see MaxEvents); of activations that go on then,
// nothing is said about what comes later, nor of goroutines that the program's end cuts
// off.
//
// Not covered: operations in packages that are not recorded, other than by the calls
// that lead there; what objects hold, so that elements of containers are told apart only by
// their addresses. Chains follow the last change of an object, not all of them. Moments in
// which several cases of one clause were compared count as one. What is sure goes by the
// text: an expression with the same text as another in the same activation is taken for the
// same object, though a field may have been assigned to in between.
package omission
