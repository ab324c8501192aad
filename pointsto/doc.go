// Package pointsto finds what the variables of a whole program may point to, which
// functions its calls may enter, and which objects a call may change.
//
// # How
//
// The analysis is inclusion-based (Andersen, Program Analysis and Specialization for the
// C Programming Language, 1994, chapter 4) over go/ssa: field-sensitive, not sensitive
// to context or the order of statements, with the call graph built on the way. Every
// value and every object is a row of slots, one for each scalar that its type holds: a
// struct has those of its fields one behind the other, an array those of one element, a
// map those of a key and a value. Slots are the variables of the constraints; a pointer
// to a field points to the field's slot. An interface points to a tagged object, which
// has the dynamic type and the value in it.
//
// Only what is new in a set is passed on (difference propagation: Pearce, Kelly and
// Hankin, Online Cycle Detection and Difference Propagation for Pointer Analysis, SCAM
// 2003), in the order in which the copies lead, and circles of copies are made one slot
// when enough has been passed since the last time (the same, section 4). Values that
// are copies by construction, and loads of the same place, share a slot from the
// beginning (offline variable substitution: Rountev and Chandra, PLDI 2000).
//
// Most packages of the standard library are not analysed by their bodies, but as groups
// that know values by their types alone: what such a group is given may come out where
// it gives a value of that type, and it may call the methods that its interfaces
// declare (Ali and Lhoták, Averroes: Whole-Program Analysis without the Whole Program,
// ECOOP 2013, section 3). Containers and what passes values on are analysed by bodies.
// Which is which, and what is known of single functions beyond that, is in the tables
// of library.go and models.go.
//
// Which objects a call may change follows bottom-up over the circles of the call graph.
//
// # What holds
//
// What a variable points to in a run of the program, that was made by code outside of
// the standard library, is among its objects, but for what is listed below. Generic
// functions are analysed by instance. Append keeps the array that it was given and makes
// a new one. What a panic throws, any recover may catch. Reflection finds all exported
// fields and the methods that interfaces of the library declare, and all exported
// methods once one is asked for by name; it may set any exported field, element or
// pointer that it was led to, to any value of the type that it was ever given.
//
// # What does not
//
//   - Pointers that are computed from integers other than in the patterns that
//     unsafe.Pointer's documentation allows, and what assembly, linkname and cgo do
//     beyond what their functions' types say.
//   - Conversions by unsafe.Pointer between types whose fields do not lie alike.
//   - A value that one group of the library hands to another, and that comes out there.
//   - Methods of the library's own values that keep an argument, where those of their
//     name keep nothing (the table passing), and values that these give in an interface
//     whose methods neither a declared type of the group nor package io's interfaces have.
//   - Types that the program never converts to an interface, and reflection makes
//     (reflect.StructOf, FuncOf and the like), and their methods.
//   - A library's methods that are named like those of its interfaces, but called by
//     others than it declares.
//   - Modules whose path begins as a folder of the standard library is named (image/…):
//     they are taken for it.
//   - Plugins, and functions that others than the program call (cgo's exports).
package pointsto
