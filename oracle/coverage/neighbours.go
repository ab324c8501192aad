package coverage

import (
	"math/rand/v2"
	"path"
	"slices"

	"misstep/internal/gobuild"
	"misstep/profiler"
)

// besides begins the names of variants of the module that are of no consequence to the program.
const besides = "beside/"

// neighbours are variants of the module around the program, by what there is beside it: packages that it does not import, and files that are
// in no package. Patterns of packages to cover match them, and they are no reason not to build the program. There is one for each way in
// which the go command does not build a package, and for what its patterns are to pass over.
var neighbours = []Variant{
	{Name: besides + "bodiless", Doc: "a package beside has a function that only another system has the code of", apply: besideIt("misstep.go", "package misstep\n\nfunc Misstep()\n", "misstep_arm.s", "TEXT ·Misstep(SB), $0-0\n\tRET\n")},
	{Name: besides + "mistyped", Doc: "a package beside has an error of types", apply: besideIt("misstep.go", "package misstep\n\nvar Misstep int = \"\"\n")},
	{Name: besides + "unfinished", Doc: "a package beside has an error of syntax", apply: besideIt("misstep.go", "package misstep\n\nfunc Misstep( {\n")},
	{Name: besides + "lacking", Doc: "a package beside imports one that there is not", apply: besideIt("misstep.go", "package misstep\n\nimport _ \"misstep.invalid/nothing\"\n")},
	{Name: besides + "two", Doc: "a folder beside has files of two packages", apply: besideIt("a.go", "package a\n", "b.go", "package b\n")},
	{Name: besides + "constrained", Doc: "a package beside is not for this system", apply: besideIt("misstep_plan9.go", "package misstep\n\nfunc Misstep() {}\n")},
	{Name: besides + "tests-only", Doc: "a package beside has tests only", apply: besideIt("misstep_test.go", "package misstep\n\nimport \"testing\"\n\nfunc TestMisstep(t *testing.T) {}\n")},
	{Name: besides + "command", Doc: "a program beside", apply: besideIt("main.go", "package main\n\nfunc main() { println(1) }\n")},
	{Name: besides + "plain", Doc: "a package beside is right", apply: besideIt("misstep.go", "package misstep\n\nfunc Misstep() {}\n")},
	{Name: besides + "cyclic", Doc: "two packages beside import each other", apply: cyclic},
	{Name: besides + "hidden", Doc: "folders that patterns pass over have files that are no Go", apply: besideIt("testdata/misstep.go", "nothing", "_misstep/misstep.go", "nothing", ".misstep/misstep.go", "nothing")},
	{Name: besides + "empty", Doc: "a folder beside has no Go files", apply: besideIt("misstep.txt", "nothing")},
}

// besideFolder is where they are, in the program's folder: patterns that begin there match it.
const besideFolder = "misstep"

// besideIt adds files to a folder beside the program's package, by their names and texts.
func besideIt(pairs ...string) applier {
	return func(s *profiler.Subject, _ *rand.Rand) ([]gobuild.File, error) {
		files := slices.Clone(s.Files)
		for i := 0; i < len(pairs); i += 2 {
			files = append(files, gobuild.File{Name: path.Join(s.Package, besideFolder, pairs[i]), Data: []byte(pairs[i+1])})
		}
		return files, nil
	}
}

// cyclic adds two packages that import each other.
func cyclic(s *profiler.Subject, _ *rand.Rand) ([]gobuild.File, error) {
	at := path.Join(s.Package, besideFolder)
	imports := func(name, other string) gobuild.File {
		return gobuild.File{Name: path.Join(at, name, "misstep.go"), Data: []byte("package " + name + "\n\nimport _ \"" + path.Join(s.Module(), at, other) + "\"\n")}
	}
	return append(slices.Clone(s.Files), imports("one", "other"), imports("other", "one")), nil
}
