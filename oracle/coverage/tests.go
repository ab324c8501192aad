package coverage

import (
	"math/rand/v2"
	"path"
	"slices"
	"strings"

	"misstep/internal/gobuild"
	"misstep/profiler"
)

// testsOf begins the names of variants that have tests of their own.
const testsOf = "tests/"

// tests are variants with further tests, of each kind that package testing has, and in which tests end in all ways, as a test binary writes
// its profile and prints its share by itself when it is done; and variants with what go test ./... comes by beside the package.
var tests = []Variant{
	{Name: "tests/none", Doc: "a file of tests that has none", apply: withTests("")},
	{Name: "tests/example", Doc: "examples, one of which is compared with its output", apply: withTests("func Example_misstep() {\n\tfmt.Println(1)\n\t// Output: 1\n}\n\nfunc Example() { fmt.Println(2) }\n", "fmt")},
	{Name: "tests/benchmark", Doc: "a benchmark", apply: withTests("func BenchmarkMisstep(b *testing.B) {\n\tfor i := 0; i < b.N; i++ {\n\t}\n}\n", "testing")},
	{Name: "tests/fuzz", Doc: "a fuzz target with a seed", apply: withTests("func FuzzMisstep(f *testing.F) {\n\tf.Add(1)\n\tf.Fuzz(func(t *testing.T, n int) {\n\t\tif n > 1<<40 {\n\t\t\tt.Skip()\n\t\t}\n\t})\n}\n", "testing")},
	{Name: "tests/subtests", Doc: "subtests that run at the same time", apply: withTests("func TestMisstep(t *testing.T) {\n\tfor _, name := range []string{\"a\", \"b/c\", \"é \"} {\n\t\tt.Run(name, func(t *testing.T) { t.Parallel() })\n\t}\n}\n", "testing")},
	{Name: "tests/many", Doc: "three hundred subtests", apply: withTests("func TestMisstep(t *testing.T) {\n\tfor i := 0; i < 300; i++ {\n\t\tt.Run(\"\", func(t *testing.T) {})\n\t}\n}\n", "testing")},
	{Name: "tests/skipped", Doc: "a test that is skipped", apply: withTests("func TestMisstep(t *testing.T) { t.Skip(\"no\") }\n", "testing")},
	{Name: "tests/failing", Doc: "a test that fails", apply: withTests("func TestMisstep(t *testing.T) { t.Error(\"no\") }\n", "testing")},
	{Name: "tests/fatal", Doc: "a test that fails at once, in a function that it calls", apply: withTests("func misstepHelper(t *testing.T) {\n\tt.Helper()\n\tt.Fatal(\"no\")\n}\n\nfunc TestMisstep(t *testing.T) {\n\tdefer func() { _ = recover() }()\n\tmisstepHelper(t)\n}\n", "testing")},
	{Name: "tests/panicking", Doc: "a test that panics", apply: withTests("func TestMisstep(t *testing.T) { panic(\"no\") }\n", "testing")},
	{Name: "tests/exiting", Doc: "a test that exits", apply: withTests("func TestMisstep(t *testing.T) { os.Exit(3) }\n", "testing", "os")},
	{Name: "tests/ended", Doc: "a test whose goroutine ends", apply: withTests("func TestMisstep(t *testing.T) {\n\tgo runtime.Goexit()\n\tt.SkipNow()\n}\n", "testing", "runtime")},
	{Name: "tests/main", Doc: "a function TestMain that exits", apply: withMain("func TestMain(m *testing.M) { os.Exit(m.Run()) }\n", "os")},
	{Name: "tests/main-returns", Doc: "a function TestMain that returns", apply: withMain("func TestMain(m *testing.M) { m.Run() }\n")},
	{Name: "tests/main-idle", Doc: "a function TestMain that runs no test", Idle: true, apply: withMain("func TestMain(m *testing.M) { os.Exit(0) }\n", "os")},
	{Name: "tests/main-twice", Doc: "a function TestMain that runs all tests twice", apply: withMain("func TestMain(m *testing.M) {\n\tcode := m.Run()\n\tos.Exit(code | m.Run())\n}\n", "os")},
	{Name: "tests/main-failing", Doc: "a function TestMain that fails whatever the tests do", apply: withMain("func TestMain(m *testing.M) {\n\tdefer os.Exit(4)\n\tm.Run()\n}\n", "os")},
	{Name: "tests/main-panics", Doc: "a function TestMain that panics after the tests", apply: withMain("func TestMain(m *testing.M) {\n\tm.Run()\n\tpanic(\"no\")\n}\n")},
	{Name: "tests/folder", Doc: "a test that goes to another folder", apply: withTests("func TestMisstep(t *testing.T) {\n\tif err := os.Chdir(\"/\"); err != nil {\n\t\tt.Fatal(err)\n\t}\n}\n", "testing", "os")},
	{Name: "tests/environment", Doc: "a test that clears the environment", apply: withTests("func TestMisstep(t *testing.T) { os.Clearenv() }\n", "testing", "os")},
	{Name: "tests/closed", Doc: "a test that closes standard output", apply: withTests("func TestMisstep(t *testing.T) { os.Stdout.Close() }\n", "testing", "os")},
	{Name: "tests/no-newline", Doc: "a test that prints no end of its line", apply: withTests("func TestMisstep(t *testing.T) { fmt.Print(\"text\") }\n", "testing", "fmt")},
	{Name: "tests/share", Doc: "a test that prints what a share looks like, without an end of the line", apply: withTests("func TestMisstep(t *testing.T) { fmt.Print(\"coverage: none\") }\n", "testing", "fmt")},
	{Name: "tests/child", Doc: "a test that starts its own binary again", apply: withTests("func TestMisstep(t *testing.T) {\n\tif err := exec.Command(os.Args[0], \"-test.run=^$\").Run(); err != nil {\n\t\tt.Fatal(err)\n\t}\n}\n", "testing", "os", "os/exec")},
	{Name: "tests/goroutine", Doc: "a test that leaves a goroutine", apply: withTests("func TestMisstep(t *testing.T) {\n\tgo func() {\n\t\tfor n := 0; ; n++ {\n\t\t}\n\t}()\n}\n", "testing")},
	{Name: "tests/cleanup", Doc: "a test that cleans up after itself", apply: withTests("func TestMisstep(t *testing.T) { t.Cleanup(func() { t.Log(t.TempDir()) }) }\n", "testing")},
	{Name: "tests/only", Doc: "a package that has nothing but tests", apply: inFolder("misstep/only", "only_test.go", "package only\n\nimport \"testing\"\n\nfunc TestMisstep(t *testing.T) {\n\tif t.Name() == \"\" {\n\t\tt.Fatal()\n\t}\n}\n")},
	{Name: "tests/only-outer", Doc: "a package that has nothing but tests of a package beside", apply: inFolder("misstep/only", "only_test.go", "package only_test\n\nimport \"testing\"\n\nfunc TestMisstep(t *testing.T) {}\n")},
	{Name: "tests/command", Doc: "another command in the module, with a test", apply: inFolder("misstep/cmd", "main.go", "package main\n\nfunc main() {\n\tprintln(double(2))\n}\n\nfunc double(n int) int { return n * 2 }\n", "main_test.go", "package main\n\nimport \"testing\"\n\nfunc TestDouble(t *testing.T) {\n\tif double(2) != 4 {\n\t\tt.Fatal()\n\t}\n}\n")},
	{Name: "tests/testdata", Doc: "Go files that are no package's, in folders that the go command ignores", apply: inFolder(".", "testdata/x.go", "package nothing; func {", "_ignored/x.go", "package nothing; func {", ".hidden/x.go", "package nothing; func {")},
	{Name: "tests/nested", Doc: "another module in a folder", apply: inFolder("misstep/nested", "go.mod", "module example.com/nested\n", "x.go", "package nested\n\nfunc F() { undefined() }\n")},
	{Name: "tests/constrained", Doc: "a package without a file for this system", apply: inFolder("misstep/elsewhere", "x.go", "// +build plan9\n\n//go:build plan9\n\npackage elsewhere\n\nfunc F() {}\n")},
}

// withTests adds a file of tests to the package.
func withTests(text string, imports ...string) applier {
	header := "package %s\n\n"
	for _, path := range imports {
		header += "import \"" + path + "\"\n"
	}
	return withFile("misstep_test.go", header+"\n"+text)
}

// withMain adds a function TestMain and a test, if the package has no such function.
func withMain(text string, imports ...string) applier {
	add := withTests(text+"\nfunc TestMisstep(t *testing.T) {}\n", append(imports, "testing")...)
	return func(s *profiler.Subject, r *rand.Rand) ([]gobuild.File, error) {
		for _, f := range s.Files {
			if path.Dir(f.Name) == path.Clean(s.Package) && strings.HasSuffix(f.Name, "_test.go") && strings.Contains(string(f.Data), "func TestMain(") {
				return nil, nil
			}
		}
		return add(s, r)
	}
}

// inFolder adds files to a folder of the module, each after its name.
func inFolder(dir string, pairs ...string) applier {
	return func(s *profiler.Subject, _ *rand.Rand) ([]gobuild.File, error) {
		if s.File("go.mod") == nil {
			return nil, nil
		}
		files := slices.Clone(s.Files)
		for i := 0; i < len(pairs); i += 2 {
			files = append(files, gobuild.File{Name: path.Join(dir, pairs[i]), Data: []byte(pairs[i+1])})
		}
		return files, nil
	}
}
