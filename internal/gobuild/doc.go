// Package gobuild makes everything that has to be built: programs under a
// toolchain and flags ([Build]), and the debuggers themselves ([Cache.Dlv]).
//
// An [Engine] names all that is under test: the adapter, its version, the
// toolchain and the build options. Start there, or at [Program], the source
// that is debugged.
package gobuild
