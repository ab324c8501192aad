package gobuild

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// Compiles reports whether the go command makes something of files of a name, in Go, assembly or C. (go help filetype.)
func Compiles(name string) bool {
	switch filepath.Ext(name) {
	case ".go", ".s", ".S", ".sx", ".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".m", ".syso":
		return true
	}
	return false
}

// copy writes the program, with what its overlay says, into a folder: the source
// files of its module and the data that they ask for, or only its own where it is a list of files.
func (p *Program) copy(dir string) (*Program, error) {
	var from []string
	if len(p.Target) > 0 && filepath.IsAbs(p.Target[0]) {
		from = slices.Clone(p.Files)
	} else {
		err := p.walk(func(path, _ string, _ fs.DirEntry) error {
			if Compiles(path) || isModuleFile(path) {
				from = append(from, path)
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("copying %s: %w", p.Name, err)
		}
		data, err := p.data(from)
		if err != nil {
			return nil, fmt.Errorf("copying %s: %w", p.Name, err)
		}
		from = append(from, data...)
	}
	for path := range maps.Keys(p.Overlay) {
		if !slices.Contains(from, path) {
			from = append(from, path)
		}
	}
	place := func(path string) string {
		if rel, err := filepath.Rel(p.Dir, path); err == nil && filepath.IsLocal(rel) {
			return filepath.Join(dir, rel)
		}
		return path
	}
	for _, path := range from {
		if text, ok := p.Overlay[path]; ok && text == nil {
			continue
		}
		text, err := p.readModule(path)
		if err != nil {
			return nil, fmt.Errorf("copying %s: %w", p.Name, err)
		}
		to := place(path)
		if to == path {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return nil, fmt.Errorf("copying %s: %w", p.Name, err)
		}
		if err := os.WriteFile(to, text, 0o666); err != nil {
			return nil, fmt.Errorf("copying %s: %w", p.Name, err)
		}
	}
	q := *p
	q.Dir, q.Overlay = dir, nil
	q.Files, q.Target, q.With = nil, nil, nil
	for _, dir := range p.With {
		q.With = append(q.With, place(dir))
	}
	for _, f := range p.Files {
		q.Files = append(q.Files, place(f))
	}
	for _, t := range p.Target {
		if filepath.IsAbs(t) {
			t = place(t)
		}
		q.Target = append(q.Target, t)
	}
	return &q, nil
}
