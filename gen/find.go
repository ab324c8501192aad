package gen

import (
	"bufio"
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"misstep/internal/gobuild"
	"misstep/internal/proc"
)

//go:embed programs/*.txtar
var shipped embed.FS

// Shipped lists the names of the programs that come with misstep.
func Shipped() []string {
	var names []string
	entries, _ := fs.ReadDir(shipped, "programs")
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".txtar"))
	}
	return names
}

// ShippedText is the archive of a shipped program.
func ShippedText(name string) ([]byte, error) {
	return shipped.ReadFile("programs/" + name + ".txtar")
}

// A Finder finds programs.
type Finder struct {
	Cache  *gobuild.Cache
	Keeper *proc.Keeper
	Engine gobuild.Engine
	// Tests asks for the tests of packages: DIR, ./..., … are those that have some, and nothing else is a pattern.
	Tests bool
	// Untested, with Tests, asks for packages that have none as well, unless they are main packages.
	Untested bool
	// Run is a regular expression: only these tests are run. Empty for all.
	Run string
}

// Default is what is found without a pattern.
func (f *Finder) Default() []string {
	if f.Tests {
		return []string{"."}
	}
	return []string{"corpus"}
}

// firstOf is the first element of a pattern with slashes.
func firstOf(pattern string) string {
	first, _, _ := strings.Cut(pattern, "/")
	return first
}

// Find turns patterns into programs, in a fixed order without repetitions:
//
//	corpus          the shipped programs; also when there is no pattern
//	corpus/NAME     one of them
//	goroot          the runnable programs of $GOROOT/test
//	goroot/NAME.go  one of them
//	generated       programs of random statements, see package random
//	generated/7-50  those of these seeds
//	FILE.go         a file that is a program by itself
//	FILE.txtar      an archive that holds one
//	DIR, ./..., …   the main packages that go list finds, also in a folder src of the time before modules
//
// Skipped says why what looked like a program was left out.
func (f *Finder) Find(ctx context.Context, patterns []string) (found []*gobuild.Program, skipped []*gobuild.Unfit, err error) {
	if len(patterns) == 0 {
		patterns = f.Default()
	}
	seen := map[string]bool{}
	for _, pattern := range patterns {
		var ps []*gobuild.Program
		var unfit []*gobuild.Unfit
		switch {
		case f.Tests && (strings.HasSuffix(pattern, ".go") || strings.HasSuffix(pattern, ".txtar") || slices.Contains([]string{"corpus", "goroot", "generated"}, firstOf(pattern))):
			return nil, nil, fmt.Errorf("%s has no tests; expected packages, such as ./... or ./parser", pattern)
		case f.Tests:
			ps, unfit, err = f.packages(ctx, pattern)
		case pattern == "corpus":
			for _, name := range Shipped() {
				p, err := f.shipped(ctx, name)
				if err != nil {
					return nil, nil, err
				}
				ps = append(ps, p)
			}
		case strings.HasPrefix(pattern, "corpus/"):
			name := strings.TrimPrefix(pattern, "corpus/")
			if !slices.Contains(Shipped(), name) {
				return nil, nil, fmt.Errorf("no shipped program %q; `misstep programs` lists them", name)
			}
			p, err := f.shipped(ctx, name)
			if err != nil {
				return nil, nil, err
			}
			ps = append(ps, p)
		case pattern == "goroot" || strings.HasPrefix(pattern, "goroot/"):
			ps, unfit, err = f.goroot(ctx, strings.TrimPrefix(strings.TrimPrefix(pattern, "goroot"), "/"))
		case pattern == "generated" || strings.HasPrefix(pattern, "generated/"):
			ps, err = f.generated(ctx, strings.TrimPrefix(strings.TrimPrefix(pattern, "generated"), "/"))
		case strings.HasSuffix(pattern, ".txtar"), strings.HasSuffix(pattern, ".go"):
			var p *gobuild.Program
			if strings.HasSuffix(pattern, ".go") {
				p, err = fileProgram(pattern, pattern)
			} else {
				p, err = f.archive(ctx, pattern)
			}
			if err == nil {
				err = isMain(p)
			}
			ps = append(ps, p)
		default:
			ps, unfit, err = f.packages(ctx, pattern)
		}
		if err != nil {
			return nil, nil, err
		}
		skipped = append(skipped, unfit...)
		for _, p := range ps {
			if !seen[p.Name] {
				seen[p.Name] = true
				found = append(found, p)
			}
		}
	}
	return found, skipped, nil
}

// isMain reports whether a program of named files is one: one of them is of package main. What cannot be read the build tells of.
func isMain(p *gobuild.Program) error {
	of := ""
	for _, file := range p.Files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly)
		if err != nil || f.Name.Name == "main" {
			return nil
		}
		of = f.Name.Name
	}
	return fmt.Errorf("%s is of package %s; expected a main package, or with --test a folder with tests", p.Name, of)
}

func fileProgram(name, path string) (*gobuild.Program, error) {
	abs, err := filepath.Abs(path)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return nil, fmt.Errorf("program %s: %w", name, err)
	}
	return &gobuild.Program{Name: name, Dir: filepath.Dir(abs), Target: []string{abs}, Files: []string{abs}}, nil
}

// shipped unpacks a shipped program.
func (f *Finder) shipped(ctx context.Context, name string) (*gobuild.Program, error) {
	text, err := ShippedText(name)
	if err != nil {
		return nil, err
	}
	return f.Unpack(ctx, "corpus/"+name, txtar.Parse(text))
}

func (f *Finder) archive(ctx context.Context, file string) (*gobuild.Program, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("program %s: %w", file, err)
	}
	return f.Unpack(ctx, file, txtar.Parse(text))
}

// Unpack writes an archive into a temporary folder and returns the program in
// it. An archive without a go.mod gets one for the engine's toolchain.
func (f *Finder) Unpack(ctx context.Context, name string, ar *txtar.Archive) (*gobuild.Program, error) {
	dir, err := f.Keeper.TempDir("program")
	if err != nil {
		return nil, fmt.Errorf("unpacking %s: %w", name, err)
	}
	p := &gobuild.Program{Name: name, Dir: dir, Target: []string{"."}, Unpacked: true}
	mod := false
	for _, file := range ar.Files {
		if !filepath.IsLocal(file.Name) {
			return nil, fmt.Errorf("%s: the file name %q leaves the archive", name, file.Name)
		}
		path := filepath.Join(dir, filepath.FromSlash(file.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return nil, fmt.Errorf("unpacking %s: %w", name, err)
		}
		if err := os.WriteFile(path, file.Data, 0o666); err != nil {
			return nil, fmt.Errorf("unpacking %s: %w", name, err)
		}
		mod = mod || file.Name == "go.mod"
		if filepath.Dir(path) == dir && strings.HasSuffix(file.Name, ".go") && !strings.HasSuffix(file.Name, "_test.go") {
			p.Files = append(p.Files, path)
		}
	}
	slices.Sort(p.Files)
	if len(p.Files) == 0 {
		return nil, fmt.Errorf("%s holds no Go files", name)
	}
	if !mod {
		version, err := f.Cache.GoEnv(ctx, f.Engine, "GOVERSION")
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), GoMod(version), 0o666); err != nil {
			return nil, fmt.Errorf("unpacking %s: %w", name, err)
		}
	}
	return p, nil
}

// GoMod is the go.mod of an archive that has none, for a toolchain such as
// go1.26.8.
func GoMod(toolchain string) []byte {
	v := strings.TrimPrefix(toolchain, "go")
	if parts := strings.SplitN(v, ".", 3); len(parts) >= 2 {
		v = parts[0] + "." + parts[1]
	}
	return fmt.Appendf(nil, "module program\n\ngo %s\n", v)
}

// goroot lists the programs of $GOROOT/test that say that they can be run as
// they are: their first line is "// run".
func (f *Finder) goroot(ctx context.Context, only string) (found []*gobuild.Program, skipped []*gobuild.Unfit, err error) {
	root, err := f.Cache.GoEnv(ctx, f.Engine, "GOROOT")
	if err != nil {
		return nil, nil, err
	}
	test := filepath.Join(root, "test")
	if _, err := os.Stat(test); err != nil && f.Engine.Go != "" {
		// Toolchains that are fetched come without; then it is the go command's own.
		if root, err = f.Cache.GoEnv(ctx, gobuild.Engine{}, "GOROOT"); err != nil {
			return nil, nil, err
		}
		test = filepath.Join(root, "test")
	}
	if _, err := os.Stat(test); err != nil {
		return nil, nil, fmt.Errorf("goroot: this toolchain has no test folder: %w", err)
	}
	err = filepath.WalkDir(test, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		rel, _ := filepath.Rel(test, path)
		if only != "" && only != rel && !strings.HasPrefix(rel, only+"/") {
			return nil
		}
		name := "goroot/" + filepath.ToSlash(rel)
		recipe, err := firstLine(path)
		if err != nil {
			return err
		}
		switch {
		case recipe == "// run":
			p, err := fileProgram(name, path)
			if err != nil {
				return err
			}
			found = append(found, p)
		case strings.HasPrefix(recipe, "// run "):
			skipped = append(skipped, &gobuild.Unfit{Program: name, Reason: "asks for flags of its own: " + recipe})
		}
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("looking for programs in %s: %w", test, err)
	}
	if len(found)+len(skipped) == 0 {
		return nil, nil, fmt.Errorf("goroot: no runnable program %q in %s", only, test)
	}
	return found, skipped, nil
}

func firstLine(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	line, err := bufio.NewReader(io.LimitReader(file, 1024)).ReadString('\n')
	if err != nil && err != io.EOF {
		return "", err
	}
	return strings.TrimSpace(line), nil
}

// packages lists the main packages that a pattern of the go command means, or those with tests.
func (f *Finder) packages(ctx context.Context, pattern string) (found []*gobuild.Program, skipped []*gobuild.Unfit, err error) {
	dirs, err := f.outOfModule(ctx, pattern)
	if err != nil {
		return nil, nil, err
	}
	if len(dirs) > 0 {
		for _, l := range dirs {
			ps, unfit, failed := f.list(ctx, l.dir, l.pattern)
			if failed != nil {
				err = failed // another project may have some
			}
			found, skipped = append(found, ps...), append(skipped, unfit...)
		}
		if len(found)+len(skipped) > 0 {
			err = nil
		}
		return found, skipped, err
	}
	dir := ""
	if info, err := os.Stat(pattern); err == nil && info.IsDir() {
		// A folder may be in another module than the one we stand in.
		dir, pattern = pattern, "."
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, nil, err
	}
	return f.list(ctx, abs, pattern)
}

// list lists the packages that a pattern means in a folder.
func (f *Finder) list(ctx context.Context, dir, pattern string) (found []*gobuild.Program, skipped []*gobuild.Unfit, err error) {
	out, err := f.Cache.GoList(ctx, dir, f.Engine, pattern)
	if err != nil {
		return nil, nil, fmt.Errorf("programs %s: %w", pattern, err)
	}
	tests := 0 // packages with some
	dec := json.NewDecoder(bytes.NewReader(out))
	for {
		var pkg struct {
			ImportPath, Name, Dir string
			GoFiles, CgoFiles     []string
			TestGoFiles           []string
			XTestGoFiles          []string // of a package beside it
			Module                *struct{ Dir string }
			Error                 *struct{ Err string }
		}
		if err := dec.Decode(&pkg); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, nil, fmt.Errorf("programs %s: reading go list's output: %w", pattern, err)
		}
		if pkg.Error != nil {
			skipped = append(skipped, &gobuild.Unfit{Program: pkg.ImportPath, Reason: strings.TrimSpace(pkg.Error.Err)})
			continue
		}
		tested := len(pkg.TestGoFiles)+len(pkg.XTestGoFiles) > 0
		if tested {
			tests++
		}
		if f.Tests && !tested && (!f.Untested || pkg.Name == "main" || len(pkg.GoFiles)+len(pkg.CgoFiles) == 0) || !f.Tests && pkg.Name != "main" {
			continue
		}
		p := &gobuild.Program{Name: pkg.ImportPath, Dir: pkg.Dir, Target: []string{"."}}
		files := append(pkg.GoFiles, pkg.CgoFiles...)
		if f.Tests {
			p.Name, p.Test = p.Name+".test", true
			if f.Run != "" {
				p.RunArgs = []string{"-test.run", f.Run}
			}
			if files = append(files, pkg.TestGoFiles...); len(files) == 0 {
				files = pkg.XTestGoFiles
			}
		}
		for _, name := range files {
			p.Files = append(p.Files, filepath.Join(pkg.Dir, name))
		}
		slices.Sort(p.Files)
		if pkg.Module != nil && pkg.Module.Dir != "" {
			if err := f.modules(ctx, p, pkg.Module.Dir); err != nil {
				return nil, nil, err
			}
		}
		found = append(found, p)
	}
	if len(found)+len(skipped) == 0 {
		what := "no main package matches"
		switch {
		case f.Tests:
			what = "no package with tests matches"
		case tests > 0:
			what += "; there are tests, which --test is for"
		}
		return nil, nil, fmt.Errorf("programs %s: %s", pattern, what)
	}
	return found, skipped, nil
}

// modules finds the modules that a package's program is made of, and has names be relative to a folder that holds them
// all, as the package may need its siblings.
func (f *Finder) modules(ctx context.Context, p *gobuild.Program, own string) error {
	pkg, root := p.Dir, own
	beside := p.Beside()
	if len(beside) > 0 {
		used, err := f.Cache.Modules(ctx, p, f.Engine)
		if err != nil {
			return err
		}
		beside = slices.DeleteFunc(beside, func(dir string) bool { return !used[dir] })
	}
	holds := beside
	if work := p.Workspace(); work != "" && len(beside) > 0 {
		holds = append(holds, filepath.Dir(work))
	}
	for _, dir := range holds {
		for !within(dir, root) {
			root = filepath.Dir(root)
		}
	}
	// A folder that holds the toolchain or the module cache as well would make all of these the program's.
	for _, name := range []string{"GOROOT", "GOMODCACHE"} {
		dir, err := f.Cache.GoEnv(ctx, f.Engine, name)
		if err != nil {
			return err
		}
		if dir != "" && within(dir, root) {
			root, beside = own, nil
		}
	}
	rel, err := filepath.Rel(root, pkg)
	if err != nil || !filepath.IsLocal(rel) {
		return nil
	}
	p.Dir, p.With = root, beside
	if rel != "." {
		p.Target = []string{"./" + filepath.ToSlash(rel)}
	}
	return nil
}
