package gobuild

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/mod/modfile"

	"misstep/internal/lines"
	"misstep/internal/machine"
	"misstep/internal/proc"
)

// A Program is source to debug: a main package, a list of files that make one,
// or a package's tests.
type Program struct {
	Name    string   // how reports name it
	Dir     string   // holds all of its modules, and is what names are relative to; absolute
	Target  []string // what to build there: one package, or files; files are absolute
	Test    bool     // the package's tests
	RunArgs []string // arguments of the program itself
	Files   []string // the Go files of the package to debug; absolute, sorted
	// Overlay stands in for files on disk, by their absolute names; no text
	// means that there is no such file. See go build -overlay.
	Overlay map[string][]byte
	// ModFile stands for the module's go.mod, if it is not empty.
	ModFile string
	// Unpacked says that misstep wrote the files, as of an archive: Dir goes when it is done.
	Unpacked bool
	// Flags are further flags of go build.
	Flags []string
	// With are the folders of the modules beside its own that it is made of, see Beside; absolute.
	With []string
	// Endless is after how long a program that does not end by itself is asked to pause, where nothing else pauses it; 0 for one
	// that does.
	Endless time.Duration
}

// Read reads one of the program's files.
func (p *Program) Read(path string) ([]byte, error) {
	if text, ok := p.Overlay[path]; ok {
		if text == nil {
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		}
		return text, nil
	}
	return os.ReadFile(path)
}

// ImportPath is that of the package to debug, as the go command knows it; empty if it is not
// known.
func (p *Program) ImportPath() string {
	if len(p.Target) > 0 && filepath.IsAbs(p.Target[0]) {
		return "command-line-arguments"
	}
	module, _, dir := p.Module()
	if len(p.Files) == 0 {
		return module
	}
	rel, err := filepath.Rel(dir, filepath.Dir(p.Files[0]))
	if err != nil {
		return ""
	}
	if module == "std" {
		module = "" // whose packages are named without it
	}
	return path.Join(module, filepath.ToSlash(rel))
}

// Module is the path of the module that the program lies in, the language
// version that its go.mod asks for, and its folder; all are empty outside of a
// module.
func (p *Program) Module() (path, goVersion, dir string) {
	for dir = p.RunDir(); ; {
		text, err := p.Read(filepath.Join(dir, "go.mod"))
		if err == nil {
			f, err := modfile.ParseLax("go.mod", text, nil)
			if err != nil || f.Module == nil {
				return "", "", ""
			}
			goVersion = "go1.16" // what the go command takes where nothing is said
			if f.Go != nil {
				goVersion = "go" + f.Go.Version
			}
			return f.Module.Mod.Path, goVersion, dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", "", ""
		}
		dir = up
	}
}

// OnDisk is the package or the file that the program is built of, absolute, for others to build it as well; empty if it
// is built of several files, or of others than lie there.
func (p *Program) OnDisk() string {
	if len(p.Target) != 1 || len(p.Overlay) > 0 || p.ModFile != "" {
		return ""
	}
	switch target := p.Target[0]; {
	case filepath.IsAbs(target):
		return target
	case target == "." || strings.HasPrefix(target, "./"):
		return filepath.Join(p.Dir, target)
	}
	return ""
}

// OverlayFlag is the flag that makes another go command see the program's
// overlay. Done removes what the flag names.
func (p *Program) OverlayFlag(k *proc.Keeper) (flag []string, done func(), err error) {
	if len(p.Overlay) == 0 {
		return nil, func() {}, nil
	}
	dir, err := k.TempDir("overlay")
	if err != nil {
		return nil, nil, fmt.Errorf("making a folder for an overlay: %w", err)
	}
	flag, err = p.overlay(dir)
	return flag, func() { os.RemoveAll(dir) }, err
}

// overlay writes what go build -overlay reads into the folder dir and returns
// the flag for it; none if the program has no overlay.
func (p *Program) overlay(dir string) ([]string, error) {
	if len(p.Overlay) == 0 {
		return nil, nil
	}
	replace := map[string]string{}
	for i, path := range slices.Sorted(maps.Keys(p.Overlay)) {
		text := p.Overlay[path]
		if text == nil {
			replace[path] = ""
			continue
		}
		file := filepath.Join(dir, fmt.Sprintf("overlay%d%s", i, filepath.Ext(path)))
		if err := os.WriteFile(file, text, 0o666); err != nil {
			return nil, fmt.Errorf("writing the overlay of %s: %w", p.Name, err)
		}
		replace[path] = file
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, list, 0o666); err != nil {
		return nil, fmt.Errorf("writing the overlay of %s: %w", p.Name, err)
	}
	return []string{"-overlay=" + file}, nil
}

// A Build is a program compiled under one toolchain and set of flags.
type Build struct {
	Program *Program
	Engine  Engine
	Binary  string
	// Whole is the binary with its debug information, if that is kept apart from Binary; else it is Binary itself.
	Whole   string
	Symbols *Symbols

	code  func() (*machine.Code, error) // reads it once
	lines func() (*lines.Table, error)
}

// Lines is the line table of the binary. It may be called concurrently.
func (b *Build) Lines() (*lines.Table, error) {
	if b.lines == nil {
		return lines.Open(b.Whole)
	}
	return b.lines()
}

// Own are addresses of the functions of the program's main package and of its module's other ones.
func (b *Build) Own() []uint64 {
	prefixes := []string{"main."}
	if path, _, _ := b.Program.Module(); path != "" {
		prefixes = append(prefixes, path+"/")
	}
	return b.Symbols.Of(prefixes...)
}

// Code is the instructions of the binary. It may be called concurrently.
func (b *Build) Code() (*machine.Code, error) {
	if b.code == nil {
		return machine.Open(b.Whole)
	}
	return b.code()
}

// Before is the instruction before a place of a function, as it is named by [Symbols.Place]; none at the function's beginning. It is not ok if no
// instruction begins at that place.
func (b *Build) Before(place string) (in machine.Instruction, ok bool) {
	addr, err := b.Symbols.AddressOf(place)
	if err != nil {
		return in, false
	}
	at, err := b.Symbols.AddressOf(place[:strings.LastIndex(place, "+")] + "+0x0")
	if err != nil {
		return in, false
	}
	code, err := b.Code()
	if err != nil {
		return in, false
	}
	for at < addr {
		if in, ok = code.At(at); !ok {
			return in, false
		}
		at += uint64(len(in.Bytes))
	}
	return in, at == addr
}

// BuildError says that a program does not compile; Output is the compiler's.
type BuildError struct {
	Program string
	Output  string
}

func (e *BuildError) Error() string {
	var lines []string
	for line := range strings.Lines(e.Output) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return fmt.Sprintf("building %s: %s", e.Program, strings.Join(lines, "; "))
}

// Build compiles a program as the engine says, into the folder dir.
func (c *Cache) Build(ctx context.Context, p *Program, e Engine, dir string) (*Build, error) {
	out, err := c.build(ctx, p, e, dir)
	if err != nil {
		return nil, err
	}
	syms, err := ReadSymbols(out)
	if err != nil {
		return nil, fmt.Errorf("reading the symbols of %s: %w", p.Name, err)
	}
	whole := out
	if e.DebugInfo != "" {
		if whole, err = c.separate(ctx, out, e.DebugInfo); err != nil {
			return nil, err
		}
	}
	table := sync.OnceValues(func() (*lines.Table, error) { return lines.Open(whole) })
	code := sync.OnceValues(func() (*machine.Code, error) { return machine.Open(whole) })
	return &Build{Program: p, Engine: e, Binary: out, Whole: whole, Symbols: syms, code: code, lines: table}, nil
}

// build compiles a program with further flags and returns the binary's path.
func (c *Cache) build(ctx context.Context, p *Program, e Engine, dir string, more ...string) (string, error) {
	out := filepath.Join(dir, "program")
	args := []string{"build"}
	if p.Test {
		args = []string{"test", "-c", "-vet=off"}
	}
	args = append(args, e.Flags()...)
	args = append(args, p.Flags...)
	args = append(args, more...)
	overlay, err := p.overlay(dir)
	if err != nil {
		return "", err
	}
	args = append(args, overlay...)
	if p.ModFile != "" {
		args = append(args, "-mod=mod", "-modfile="+p.ModFile)
	}
	args = append(args, "-o", out)
	dir, targets := p.Go()
	args = append(args, targets...)
	done, err := c.first(ctx, kind(e, p.Flags))
	if err != nil {
		return "", err
	}
	defer done()
	if _, err := c.run(ctx, dir, e.Env(), "go", args...); err != nil {
		if ctx.Err() != nil {
			return "", err
		}
		return "", &BuildError{Program: p.Name, Output: err.Error()}
	}
	if _, err := os.Stat(out); err != nil {
		return "", &BuildError{Program: p.Name, Output: "the package has nothing to run"}
	}
	return out, nil
}

// RunDir is the folder a program runs in: its own.
func (p *Program) RunDir() string {
	if len(p.Files) > 0 {
		return filepath.Dir(p.Files[0])
	}
	return p.Dir
}

// Rel names a file of the program as reports and scripts do: relative to the
// program's folder where it lies inside it.
func (p *Program) Rel(file string) string {
	if rel, err := filepath.Rel(p.Dir, file); err == nil && !strings.HasPrefix(rel, "..") {
		return filepath.ToSlash(rel)
	}
	return file
}
