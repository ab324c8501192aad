// Package triage turns findings into what a person works with: [Class] puts
// those that look like one cause together, and [Script] writes one as a
// testscript that go test runs, misstep replay runs, and a person reads. [LookUp]
// finds a class in a list of known ones.
//
// What is done with a finding from there on has packages of its own: reduce makes it
// small, bisect dates it, blame looks for evidence in the binary, localise ranks the
// debugger's functions.
package triage
