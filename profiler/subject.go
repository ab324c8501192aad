package profiler

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/mod/modfile"

	"misstep/internal/gobuild"
)

// A Subject is a program whose coverage is taken: its files, and what of them is built.
type Subject struct {
	Name    string
	Files   []gobuild.File // by names relative to the module's folder, with slashes
	Package string         // the folder of the package, such as . or ./cmd/x
	Args    []string
	Test    bool // the package's tests are run, not its main function
}

// SubjectOf is a program that was found as those to debug are. A package that is to be tested and has no test has an empty one.
func SubjectOf(p *gobuild.Program) (*Subject, error) {
	files, target, err := gobuild.Pack(p)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(target, ".go") {
		target = "./" + path.Dir(filepath.ToSlash(target))
	}
	s := &Subject{Name: p.Name, Files: files, Package: target, Args: p.RunArgs, Test: p.Test}
	if len(p.Target) == 1 && !filepath.IsAbs(p.Target[0]) && len(p.Overlay) == 0 {
		err = s.addOthers(p.Dir)
	}
	tested := slices.ContainsFunc(s.Files, func(f gobuild.File) bool { return path.Dir(f.Name) == s.dir() && strings.HasSuffix(f.Name, "_test.go") })
	if s.Test && !tested {
		text := fmt.Sprintf("package %s\n\nimport \"testing\"\n\nfunc TestOfMisstep(*testing.T) {}\n", s.PackageName())
		s.Files = append(s.Files, gobuild.File{Name: path.Join(s.dir(), caller), Data: []byte(text)})
	}
	return s, err
}

// What bounds the files of a subject that are not Go's, in bytes.
const (
	mostOfFile = 256 << 10
	mostOfAll  = 4 << 20
)

// builds reports whether a file may be of use to go build or go test: Go's tests, assembly, C, and what tests read.
func builds(name string) bool {
	return gobuild.Compiles(name) || slices.Contains(strings.Split(name, "/"), "testdata")
}

// addOthers adds what else lies in a folder: tests, assembly, C, data. What is too large for all of it to be taken along stays
// behind.
func (s *Subject) addOthers(dir string) error {
	total := 0
	embeds := slices.ContainsFunc(s.Files, func(f gobuild.File) bool { return bytes.Contains(f.Data, []byte("//go:embed ")) })
	return filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("packing %s: %w", s.Name, err)
		}
		hidden := file != dir && strings.HasPrefix(d.Name(), ".")
		if d.IsDir() && hidden {
			return fs.SkipDir
		}
		rel, err := filepath.Rel(dir, file)
		if err != nil || hidden || !d.Type().IsRegular() || s.File(filepath.ToSlash(rel)) != nil || !embeds && !builds(filepath.ToSlash(rel)) {
			return nil
		}
		info, err := d.Info()
		if err != nil || info.Size() > mostOfFile || total+int(info.Size()) > mostOfAll {
			return nil
		}
		total += int(info.Size())
		data, err := os.ReadFile(file)
		if err != nil || !utf8.Valid(data) {
			return nil // a script could not hold it
		}
		s.Files = append(s.Files, gobuild.File{Name: filepath.ToSlash(rel), Data: data})
		return nil
	})
}

// With is the subject with other files.
func (s *Subject) With(files []gobuild.File) *Subject {
	t := *s
	t.Files = files
	return &t
}

// File is the text of a file; nil if there is none of that name.
func (s *Subject) File(name string) []byte {
	if i := slices.IndexFunc(s.Files, func(f gobuild.File) bool { return f.Name == name }); i >= 0 {
		return s.Files[i].Data
	}
	return nil
}

// Module is the path of the subject's module.
func (s *Subject) Module() string {
	if m := modfile.ModulePath(s.File("go.mod")); m != "" {
		return m
	}
	return "program"
}

// dir is the folder of the package, by its name in Files.
func (s *Subject) dir() string { return path.Clean(s.Package) }

// GoFiles are the names of all Go files of the module, without tests.
func (s *Subject) GoFiles() []string {
	var names []string
	for _, f := range s.Files {
		if strings.HasSuffix(f.Name, ".go") && !strings.HasSuffix(f.Name, "_test.go") {
			names = append(names, f.Name)
		}
	}
	return names
}

// FileOf is the file of the subject that a profile means; empty if it is none of the subject's.
func (s *Subject) FileOf(file string) string {
	rel, inside := strings.CutPrefix(file, s.Module()+"/")
	if !inside {
		// Packages outside of a module are named by their folders, and files without a package by theirs.
		if !strings.HasPrefix(file, "_/") && !strings.HasPrefix(file, "/") && !strings.HasPrefix(file, "command-line-arguments/") {
			return ""
		}
		for _, f := range s.Files {
			if strings.HasSuffix(f.Name, ".go") && (strings.HasSuffix(file, "/"+f.Name) || file == f.Name) {
				return f.Name
			}
		}
		return ""
	}
	if s.File(rel) == nil {
		return ""
	}
	return rel
}

// HasTests reports whether the module has any.
func (s *Subject) HasTests() bool {
	return slices.ContainsFunc(s.Files, func(f gobuild.File) bool { return strings.HasSuffix(f.Name, "_test.go") })
}

// Tests reports whether a package of the module has any, by its import path.
func (s *Subject) Tests(pkg string) bool {
	return slices.ContainsFunc(s.Files, func(f gobuild.File) bool {
		return strings.HasSuffix(f.Name, "_test.go") && path.Join(s.Module(), path.Dir(f.Name)) == pkg
	})
}

// unpack writes the subject into a folder, as a toolchain takes it. Where is the folder of its package, and env what the go
// command needs.
func (s *Subject) unpack(root string, t *Toolchain, via string) (where string, env []string, err error) {
	if !filepath.IsLocal(filepath.FromSlash(s.dir())) {
		return "", nil, fmt.Errorf("package %q: expected a folder below the program's own", s.Package)
	}
	top := root
	env = []string{"GO111MODULE=on"}
	if t.Minor < modules {
		top = filepath.Join(root, "src", filepath.FromSlash(s.Module()))
		env = []string{"GOPATH=" + root, "GO111MODULE=off"}
	}
	write := func(name string, data []byte) error {
		file := filepath.FromSlash(name)
		if !filepath.IsLocal(file) {
			return fmt.Errorf("file %q: expected a name below the program's own folder", name)
		}
		file = filepath.Join(top, file)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return fmt.Errorf("unpacking %s: %w", s.Name, err)
		}
		if err := os.WriteFile(file, data, 0o666); err != nil {
			return fmt.Errorf("unpacking %s: %w", s.Name, err)
		}
		return nil
	}
	for _, f := range s.Files {
		data := f.Data
		if path.Base(f.Name) == "go.mod" {
			data = Lower(data, t.Minor)
		}
		if err := write(f.Name, data); err != nil {
			return "", nil, err
		}
	}
	if s.File("go.mod") == nil {
		if err := write("go.mod", fmt.Appendf(nil, "module program\n\ngo 1.%d\n", t.Minor)); err != nil {
			return "", nil, err
		}
	}
	if via == ByTest && !s.Test {
		name := s.PackageName()
		if name == "" {
			return "", nil, fmt.Errorf("%s: no Go file in %s that can be read", s.Name, s.Package)
		}
		if err := write(path.Join(s.dir(), caller), []byte(asking(name, callerText))); err != nil {
			return "", nil, err
		}
	}
	if via == ByTest && s.Test {
		if err := s.writeAsker(write); err != nil {
			return "", nil, err
		}
	}
	if via == ByAll {
		return top, env, nil
	}
	return filepath.Join(top, filepath.FromSlash(s.dir())), env, nil
}

// PackageName is the name of the package that is built.
func (s *Subject) PackageName() string {
	first := ""
	for _, name := range s.GoFiles() {
		if path.Dir(name) != s.dir() {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, s.File(name), parser.PackageClauseOnly)
		switch {
		case err != nil:
		case f.Name.Name == "main" && !s.Test:
			return "main" // what other files there are is ignored then
		case first == "" && !bytes.Contains(s.File(name), []byte("//go:build ignore")):
			first = f.Name.Name
		}
	}
	return first
}

// Lower has a go.mod ask for no newer language than a toolchain knows.
func Lower(text []byte, minor int) []byte {
	mod, err := modfile.Parse("go.mod", text, nil)
	if err != nil || mod.Go == nil || minor < 0 {
		return text // the go command will tell what is wrong with it
	}
	if n := gobuild.Minor("go" + mod.Go.Version); n < minor || n == minor && !bytes.Contains(text, []byte("toolchain")) {
		return text
	}
	if err := mod.AddGoStmt(fmt.Sprintf("1.%d", minor)); err != nil {
		return text
	}
	mod.DropToolchainStmt()
	lowered, err := mod.Format()
	if err != nil {
		return text
	}
	return lowered
}
