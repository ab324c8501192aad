package profiler

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"misstep/internal/gobuild"
)

// Where tests lie that are put into a package: the one that calls a program's main function, and what asks testing.Coverage in a
// package that has tests.
const (
	caller = "zz_misstep_test.go"
	asker  = "zz_misstep_main_test.go"
)

// What these files have. Each tells what testing.Coverage says, which told reads.
const (
	// callerText hides the test's own flags from the program.
	callerText = `func TestOfMisstep(*misstep_testing.T) {
	misstep_os.Args = append(misstep_os.Args[:1:1], misstep_flag.Args()...)
	main()
	misstep_fmt.Fprintf(misstep_os.Stderr, "\nmisstep: %.6f\n", misstep_testing.Coverage())
}
`
	// endText is for packages without a TestMain of their own.
	endText = `func TestMain(m *misstep_testing.M) {
	code := m.Run()
	misstep_fmt.Fprintf(misstep_os.Stderr, "\nmisstep: %.6f\n", misstep_testing.Coverage())
	misstep_os.Exit(code)
}
`
	// lateText is for the others: it is the last test of the package, but not the end.
	lateText = `func TestOfMisstep(*misstep_testing.T) {
	misstep_fmt.Fprintf(misstep_os.Stderr, "\nmisstep so far: %.6f\n", misstep_testing.Coverage())
}
`
)

// asking is a file of a package's tests with such a text.
func asking(pkg, text string) string {
	return "package " + pkg + `

import (
	misstep_flag "flag"
	misstep_fmt "fmt"
	misstep_os "os"
	misstep_testing "testing"
)

var _ = misstep_flag.Args

` + text
}

// writeAsker writes what asks testing.Coverage in a package that has tests.
func (s *Subject) writeAsker(write func(name string, data []byte) error) error {
	name := s.PackageName()
	if name == "" {
		return nil // it has nothing but tests
	}
	text := endText
	if slices.ContainsFunc(s.Files, func(f gobuild.File) bool {
		return path.Dir(f.Name) == s.dir() && strings.HasSuffix(f.Name, "_test.go") && bytes.Contains(f.Data, []byte("TestMain"))
	}) {
		text = lateText
	}
	return write(path.Join(s.dir(), asker), []byte(asking(name, text)))
}
