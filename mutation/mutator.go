package mutation

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Load reads packages as [Change] needs them, by patterns of the go command in a folder.
func Load(ctx context.Context, dir string, env []string, patterns ...string) ([]*packages.Package, error) {
	cfg := &packages.Config{Context: ctx, Mode: packages.LoadSyntax | packages.NeedModule, Dir: dir, Env: append(os.Environ(), env...)}
	pkgs, err := packages.Load(cfg, patterns...)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", strings.Join(patterns, " "), err)
	}
	for _, p := range pkgs {
		if len(p.Errors) > 0 {
			return nil, fmt.Errorf("reading %s: %w", p.PkgPath, p.Errors[0])
		}
		if p.Module == nil || len(p.GoFiles) == 0 {
			return nil, fmt.Errorf("reading %s: it is no package of a module", p.PkgPath)
		}
	}
	return pkgs, nil
}

// Change returns the files of packages with all their mutants in them, by path, and the mutants.
func Change(pkgs ...*packages.Package) (files map[string][]byte, mutants []*Mutant, err error) {
	files = map[string][]byte{}
	for _, p := range pkgs {
		m := &mutator{pkg: p, name: cmp.Or(strings.TrimPrefix(strings.TrimPrefix(p.PkgPath, p.Module.Path), "/"), p.Name), next: len(mutants)}
		if err := m.change(files); err != nil {
			return nil, nil, err
		}
		mutants = append(mutants, m.mutants...)
	}
	return files, mutants, nil
}

// A mutator changes the files of a package so that all mutants are in them at once, each
// switched on by its number.
type mutator struct {
	pkg     *packages.Package
	name    string // the package's path within the module
	mutants []*Mutant
	next    int

	text  []byte
	edits []insertion
	fn    string
	depth int
}

// An insertion is put at an offset, in the place of del bytes. Of those at the same offset
// the ends of what is inside come first, and the beginnings of what is outside.
type insertion struct {
	at, del int
	text    string
	end     bool
	depth   int
}

// change adds the changed files.
func (m *mutator) change(files map[string][]byte) error {
	for _, f := range m.pkg.Syntax {
		file := m.pkg.Fset.File(f.Pos()).Name()
		if !slices.Contains(m.pkg.GoFiles, file) {
			continue // cgo's
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("reading a file to change: %w", err)
		}
		m.text, m.edits = text, nil
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			m.fn = fn.Name.Name
			m.leave(fn)
			m.body(fn.Body)
		}
		if files[file], err = m.apply(); err != nil {
			return fmt.Errorf("changing %s: %w", file, err)
		}
	}
	files[filepath.Join(filepath.Dir(m.pkg.GoFiles[0]), "zz_mutants.go")] = fmt.Appendf(nil, runtime, m.pkg.Name)
	return nil
}

// apply puts the insertions into the text.
func (m *mutator) apply() ([]byte, error) {
	slices.SortStableFunc(m.edits, func(a, b insertion) int {
		if c := cmp.Compare(a.at, b.at); c != 0 {
			return c
		}
		if a.end != b.end {
			if a.end {
				return -1
			}
			return 1
		}
		if a.end {
			return cmp.Compare(b.depth, a.depth)
		}
		return cmp.Compare(a.depth, b.depth)
	})
	var out bytes.Buffer
	last := 0
	for _, e := range m.edits {
		out.Write(m.text[last:e.at])
		out.WriteString(e.text)
		last = e.at + e.del
	}
	out.Write(m.text[last:])
	return format.Source(out.Bytes())
}

func (m *mutator) offset(p token.Pos) int { return m.pkg.Fset.PositionFor(p, false).Offset }

// source is the text of a node, as it was.
func (m *mutator) source(n ast.Node) string {
	return string(m.text[m.offset(n.Pos()):m.offset(n.End())])
}

// around puts text before the first and after the last of nodes.
func (m *mutator) around(first, last ast.Node, before, after string) {
	m.edits = append(m.edits,
		insertion{at: m.offset(first.Pos()), text: before, depth: m.depth},
		insertion{at: m.offset(last.End()), text: after, end: true, depth: m.depth})
	m.depth++
}

// add makes a mutant of a node.
func (m *mutator) add(n ast.Node, operator string) int {
	m.next++
	p := m.pkg.Fset.PositionFor(n.Pos(), false)
	code := strings.Join(strings.Fields(m.source(n)), " ")
	if r := []rune(code); len(r) > 90 {
		code = string(r[:90]) + "…"
	}
	m.mutants = append(m.mutants, &Mutant{
		ID: m.next, Package: m.name, File: path.Join(m.name, filepath.Base(p.Filename)), Func: m.fn, Line: p.Line,
		Operator: operator, Code: code,
	})
	return m.next
}
