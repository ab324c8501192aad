// Package rewrite has the transformations of programs: changes of the source that must not
// matter. [All] is the table; each [Rewrite] is a file, with its guards beside it.
//
// A rewrite lists the sites where it applies to what it is [Given], and makes a [Change] at
// one of them by edits of the source's bytes; all that is not edited stays as it is, so the
// map of lines follows from the edits. What would be a false alarm is no site. [Rewrite.Make]
// gives the [Variant], with the relation that must hold.
package rewrite
