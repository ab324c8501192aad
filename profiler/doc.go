// Package profiler drives Go's coverage profilers, as package dap drives debuggers.
//
// A [Profiler] is a configuration of go build -cover or go test -cover: a toolchain, a mode, the packages to cover. A
// [Bench] builds a [Subject] under it, runs that once, and keeps what came of it as a [Run]: whether it was built, what it
// printed and returned, its [Profile], and the folder with its counters, for the tools that read these.
//
// A program is run as a main package (go build -cover, from Go 1.20 on), or by a test that calls its main function, which
// all toolchains can. Toolchains before Go 1.11 build it in a GOPATH of its own. A subject that is the tests of a package
// is always run by go test.
//
// Not covered: programs of several modules, cgo, and profiles of programs that are sent signals.
package profiler
