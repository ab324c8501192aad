package coverage

import (
	"math/rand/v2"

	"misstep/internal/gobuild"
	"misstep/profiler"
)

// mistaken are variants that do not compile, by what is wrong: with -cover they must not either, and for the same reason. There is
// one of each kind that the specification forbids, and of what the go command does not build.
var mistaken = []Variant{
	{Name: "error/unused-variable", Doc: "a variable that is not used", apply: adding("func misstep() {\n\tx := 1\n}\n")},
	{Name: "error/unused-import", Doc: "an import that is not used", apply: withFile("misstep_error.go", "package %s\n\nimport \"os\"\n")},
	{Name: "error/unused-label", Doc: "a label that is not used", apply: adding("func misstep() {\nL:\n\tfor {\n\t}\n}\n")},
	{Name: "error/undefined", Doc: "a name that is not declared", apply: adding("func misstep() int {\n\tif true {\n\t\treturn misstepNothing\n\t}\n\treturn 1\n}\n")},
	{Name: "error/mismatch", Doc: "a value of another type", apply: adding("func misstep(n int) string {\n\tif n > 1 {\n\t\treturn n\n\t}\n\treturn \"\"\n}\n")},
	{Name: "error/no-return", Doc: "a function that may end without a result", apply: adding("func misstep(n int) int {\n\tif n > 1 {\n\t\treturn n\n\t}\n}\n")},
	{Name: "error/twice", Doc: "a function that is declared twice", apply: adding("func misstep() {\n\tprintln(1)\n}\n\nfunc misstep() {\n\tprintln(2)\n}\n")},
	{Name: "error/arguments", Doc: "a call with too many arguments", apply: adding("func misstep() {\n\tif true {\n\t\tmisstep(1)\n\t}\n}\n")},
	{Name: "error/assigned", Doc: "an assignment to what cannot be assigned to", apply: adding("func misstep() {\n\tfor i := 0; i < 1; i++ {\n\t\tmap[int]struct{ n int }{}[0].n = i\n\t}\n}\n")},
	{Name: "error/duplicate-case", Doc: "two cases that are the same", apply: adding("func misstep(n int) {\n\tswitch n {\n\tcase 1:\n\tcase 1:\n\t}\n}\n")},
	{Name: "error/overflow", Doc: "a constant that is too large", apply: adding("func misstep() int8 {\n\tif true {\n\t\treturn 300\n\t}\n\treturn 1\n}\n")},
	{Name: "error/division", Doc: "a division by a constant zero", apply: adding("func misstep(n int) int { return n / 0 }\n")},
	{Name: "error/jump", Doc: "a goto over a declaration", apply: adding("func misstep() {\n\tgoto end\n\tx := 1\n\tprintln(x)\nend:\n}\n")},
	{Name: "error/jump-into", Doc: "a goto into a block", apply: adding("func misstep() {\n\tgoto in\n\tif true {\n\tin:\n\t\tprintln(1)\n\t}\n}\n")},
	{Name: "error/break", Doc: "a break outside of a loop", apply: adding("func misstep() {\n\tif true {\n\t\tbreak\n\t}\n}\n")},
	{Name: "error/fallthrough", Doc: "a fallthrough in the last clause", apply: adding("func misstep(n int) {\n\tswitch n {\n\tcase 1:\n\t\tfallthrough\n\t}\n}\n")},
	{Name: "error/init-cycle", Doc: "variables that need each other", apply: adding("var misstepA = misstepF()\n\nfunc misstepF() int { return misstepA }\n")},
	{Name: "error/type-cycle", Doc: "a type within itself", apply: adding("type misstepT struct{ t misstepT }\n\nfunc misstep() { println(1) }\n")},
	{Name: "error/method", Doc: "a method of a type of another package", apply: adding("func (int) misstep() { println(1) }\n")},
	{Name: "error/interface", Doc: "a type that lacks a method", apply: adding("type misstepT int\n\nfunc misstep() error {\n\tvar t misstepT\n\treturn t\n}\n")},
	{Name: "error/inference", Doc: "a type argument that cannot be inferred", apply: adding("func misstepF[T any]() (t T) { return t }\n\nfunc misstep() {\n\tif true {\n\t\tmisstepF()\n\t}\n}\n")},
	{Name: "error/constraint", Doc: "a type argument that does not satisfy its constraint", apply: adding("func misstepF[T comparable](t T) bool { return t == t }\n\nfunc misstep() bool { return misstepF([]int{}) }\n")},
	{Name: "error/result-unused", Doc: "an expression whose value is not used", apply: adding("func misstep(n int) {\n\tn + 1\n}\n")},
	{Name: "error/syntax", Doc: "a statement that is none", apply: adding("func misstep() {\n\tif {\n\t}\n}\n")},
	{Name: "error/not-closed", Doc: "a block that is not closed", apply: adding("func misstep() {\n\tif true {\n\n")},
	{Name: "error/import", Doc: "an import of a package that there is not", apply: withFile("misstep_error.go", "package %s\n\nimport _ \"misstep/nothing/here\"\n")},
	{Name: "error/package", Doc: "two packages in a folder", apply: withFile("misstep_error.go", "package misstepother\n\nfunc f() { println(1) }\n")},
	{Name: "error/embed", Doc: "an embedded file that there is not", apply: withFile("misstep_error.go", "package %s\n\nimport _ \"embed\"\n\n//go:embed nothing.txt\nvar misstep string\n")},
	{Name: "error/no-body", Doc: "a function without a body", apply: adding("func misstepBody()\n\nfunc misstep() { misstepBody() }\n")},
	{Name: "error/range-int", Doc: "a range over a number, in a language without", apply: tooOld(21, "func misstep() {\n\tfor i := range 3 {\n\t\tprintln(i)\n\t}\n}\n")},
	{Name: "error/range-func", Doc: "a range over a function, in a language without", apply: tooOld(22, "func misstep(f func(func(int) bool)) {\n\tfor i := range f {\n\t\tprintln(i)\n\t}\n}\n")},
	{Name: "error/builtin", Doc: "a built-in function, in a language without", apply: tooOld(20, "func misstep(a, b int) int {\n\tif a > b {\n\t\tclear(map[int]int{})\n\t}\n\treturn max(a, b)\n}\n")},
	{Name: "error/generic-argument", Doc: "a generic function as an argument, in a language without", apply: tooOld(20, "func misstepMap[T any](list []T, f func(T) T) {\n\tfor i := 0; i < len(list); i++ {\n\t\tlist[i] = f(list[i])\n\t}\n}\n\nfunc misstepSame[T any](t T) T { return t }\n\nfunc misstep() {\n\tmisstepMap([]int{1}, misstepSame)\n}\n")},
	{Name: "error/generic", Doc: "a generic function, in a language without", apply: tooOld(17, "func misstep[T any](t T) T { return t }\n")},
	{Name: "error/conversion", Doc: "a conversion of a slice to an array, in a language without", apply: tooOld(19, "func misstep(s []int) [2]int {\n\tif len(s) < 2 {\n\t\treturn [2]int{}\n\t}\n\treturn [2]int(s)\n}\n")},
	{Name: "error/shift", Doc: "a shift by a signed number, in a language without", apply: tooOld(12, "func misstep(n int) int {\n\tif n > 0 {\n\t\treturn 1 << n\n\t}\n\treturn 0b1\n}\n")},
	{Name: "error/alias", Doc: "a generic alias, in a language without", apply: tooOld(22, "type misstepA[T any] = []T\n\nfunc misstep() int { return len(misstepA[int]{}) }\n")},
}

// tooOld declares what an older version of the language has not, and has the module ask for that.
func tooOld(minor int, text string) applier {
	return func(s *profiler.Subject, r *rand.Rand) ([]gobuild.File, error) {
		files, err := withFile("misstep_error.go", "package %s\n\n"+text)(s, r)
		if err != nil {
			return nil, err
		}
		if lowered, err := older(minor)(s.With(files), r); err != nil || lowered != nil {
			return lowered, err
		}
		return files, nil // it asks for no newer one
	}
}
