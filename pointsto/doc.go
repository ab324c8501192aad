// Package pointsto finds what the variables of a whole program may point to:
// inclusion-based analysis (Andersen, 1994) over go/ssa, field-sensitive, not
// context-sensitive, with the call graph built on the way.
//
// Every value and every object is a row of slots, one for each scalar that its type
// holds: a struct has those of its fields one behind the other, an array those of one
// element, a map those of a key and a value. Slots are the variables of the
// constraints, and what they point to: a pointer to a field is the field's slot. An
// interface points to a tagged object, which has the dynamic type and the value in it.
// Functions are taken in when they are found to be called, and their packages are
// built only then. Only what is new in a set is passed on (difference propagation:
// Pearce, Kelly and Hankin, 2003).
//
// Generic functions are analysed by instance. Append keeps the array that it was given
// and makes a new one. What a panic throws, any recover may catch.
//
// Unsound, where the program goes around the type system: pointers that are computed
// from integers, what assembly and the runtime store, linkname, cgo; and reflection,
// of which only this is known: what goes into reflect.ValueOf may come out of any
// Value.Interface. Modelled besides: sync/atomic, sync.Pool, time.AfterFunc,
// runtime.SetFinalizer and AddCleanup.
//
// The analysis follows what golang.org/x/tools/go/pointer computes, with which it is
// compared in the tests where that can be used.
package pointsto
