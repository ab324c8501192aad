package gobuild

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A File is a file of a program, by its name relative to the program's folder.
type File struct {
	Name string
	Data []byte
}

// maxPacked bounds what of a program's folder goes into a script, in bytes: more is not sent along.
const maxPacked = 1 << 20

// Pack reads a program's files, with those of text that it embeds or opens by a name in its source, and what of them is to be built. A program that
// is one file of a larger folder is packed alone.
func Pack(p *Program) (files []File, target string, err error) {
	add := func(name, path string) error {
		data, err := p.readModule(path)
		if err != nil {
			return fmt.Errorf("packing %s: %w", p.Name, err)
		}
		files = append(files, File{name, data})
		return nil
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		path := filepath.Join(p.Dir, name)
		if _, err := p.Read(path); err == nil {
			if err := add(name, path); err != nil {
				return nil, "", err
			}
		}
	}
	if len(p.Target) == 1 && !filepath.IsAbs(p.Target[0]) {
		total, sources := 0, []string{}
		err = p.walk(func(path, rel string, d fs.DirEntry) error {
			switch {
			case rel == "go.mod", rel == "go.sum":
				return nil
			case isModuleFile(rel):
				return add(rel, path)
			case !Compiles(rel) || strings.HasSuffix(rel, "_test.go") && !p.Test:
				return nil
			}
			if info, err := d.Info(); err == nil {
				total += int(info.Size())
			}
			if total > maxPacked {
				return fmt.Errorf("packing %s: its folder holds more than %d bytes of source", p.Name, maxPacked)
			}
			if text, ok := p.Overlay[path]; ok && text == nil {
				return nil
			}
			sources = append(sources, path)
			return add(rel, path)
		})
		if err != nil {
			return files, p.Target[0], err
		}
		data, err := p.data(sources)
		for _, path := range data {
			if info, statErr := os.Stat(path); err == nil && statErr == nil && total+int(info.Size()) <= maxPacked {
				total += int(info.Size())
				err = add(p.Rel(path), path)
			}
		}
		// Files that are only in the overlay.
		for _, path := range slices.Sorted(maps.Keys(p.Overlay)) {
			rel, relErr := filepath.Rel(p.Dir, path)
			if _, statErr := os.Stat(path); err == nil && statErr != nil && p.Overlay[path] != nil && relErr == nil {
				err = add(filepath.ToSlash(rel), path)
			}
		}
		return files, p.Target[0], err
	}
	target = "."
	for _, path := range p.Files {
		if err := add(p.Rel(path), path); err != nil {
			return nil, "", err
		}
		if len(p.Files) == 1 {
			target = p.Rel(path)
		}
	}
	return files, target, nil
}

// Unpack writes files into a folder, and is the program that they are.
func Unpack(dir, name string, files []File, target string, args []string, test bool) (*Program, error) {
	for _, f := range files {
		if !filepath.IsLocal(filepath.FromSlash(f.Name)) {
			return nil, fmt.Errorf("file %q: expected a name below the program's own folder", f.Name)
		}
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return nil, fmt.Errorf("unpacking %s: %w", name, err)
		}
		if err := os.WriteFile(path, f.Data, 0o666); err != nil {
			return nil, fmt.Errorf("unpacking %s: %w", name, err)
		}
	}
	p := &Program{Name: name, Dir: dir, Target: []string{target}, RunArgs: args, Test: test, Unpacked: true}
	pkg := filepath.Join(dir, target)
	var err error
	if strings.HasSuffix(pkg, ".go") {
		p.Files = []string{pkg}
	} else if p.Files, err = filepath.Glob(filepath.Join(pkg, "*.go")); err != nil || len(p.Files) == 0 {
		return nil, fmt.Errorf("unpacking %s: no Go files in %s", name, target)
	}
	slices.Sort(p.Files)
	if !test {
		p.Files = slices.DeleteFunc(p.Files, func(f string) bool { return strings.HasSuffix(f, "_test.go") })
	}
	_, _, own := p.Module()
	for _, f := range files {
		if at := filepath.Join(dir, filepath.Dir(filepath.FromSlash(f.Name))); filepath.Base(f.Name) == "go.mod" && at != own {
			p.With = append(p.With, at)
		}
	}
	return p, nil
}
