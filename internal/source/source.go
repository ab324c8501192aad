// Package source knows a program's source: its syntax trees, its types, its
// lines and functions, and what is in scope where.
//
// Types come from go/types over the compiler's own export data, which one
// `go list -export` per set of new imports provides, so that loading another
// program that imports the same packages costs only its own type check.
package source

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"sync"

	"misstep/internal/gobuild"
	"misstep/internal/proc"
)

// A Source is a program's parsed and type-checked package.
type Source struct {
	Program *gobuild.Program
	Fset    *token.FileSet
	Files   []*File
	Pkg     *types.Package
	Info    *types.Info
	// TypeErrors are those of the type check; the first few.
	TypeErrors []error

	// places maps the lines that debuggers name to those of the files, where
	// //line directives make them differ.
	places map[Place]physical

	parentsOnce sync.Once
	parents     map[ast.Node]ast.Node

	settleOnce sync.Once
	settledAt  map[types.Object]int // last line of the declaring statement
	literals   []*ast.FuncLit

	foreignOnce sync.Once
	foreign     []types.Object

	beyond bool // it imports packages that are not of the standard library
}

// A File is one file of a Source.
type File struct {
	Name string // relative to the program's folder
	Path string
	Text []byte
	AST  *ast.File
	tok  *token.File

	directed bool // it has //line directives
}

// A Loader loads sources. It remembers where export data lies. Its methods may
// be called concurrently.
type Loader struct {
	Keeper *proc.Keeper

	mu      sync.Mutex
	exports map[string]map[string]string // import path to file, by the environment and the flags of the engine
}

// Load parses and type-checks the package of a program, as the engine's toolchain has it.
func (l *Loader) Load(ctx context.Context, p *gobuild.Program, e gobuild.Engine) (*Source, error) {
	s := &Source{Program: p, Fset: token.NewFileSet(), Info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		Scopes: map[ast.Node]*types.Scope{}, Implicits: map[ast.Node]types.Object{},
		Instances: map[*ast.Ident]types.Instance{},
	}}
	imports := map[string]bool{}
	var asts []*ast.File
	for _, path := range p.Files {
		text, err := p.Read(path)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", p.Name, err)
		}
		f, err := parser.ParseFile(s.Fset, path, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("parsing %s: %w", p.Name, err)
		}
		for _, imp := range f.Imports {
			if path, err := strconv.Unquote(imp.Path.Value); err == nil && path != "unsafe" && path != "C" {
				imports[path] = true
			}
		}
		s.Files = append(s.Files, &File{Name: p.Rel(path), Path: path, Text: text, AST: f, tok: s.Fset.File(f.Pos())})
		asts = append(asts, f)
	}
	if len(asts) == 0 {
		return nil, fmt.Errorf("%s has no Go files", p.Name)
	}
	lookup, beyond, err := l.need(ctx, p, e, imports)
	if err != nil {
		return nil, err
	}
	s.beyond = beyond
	conf := types.Config{
		Importer:    importer.ForCompiler(s.Fset, "gc", lookup),
		FakeImportC: true,
		Error: func(err error) { // a partly typed program is still of use
			if len(s.TypeErrors) < 3 {
				s.TypeErrors = append(s.TypeErrors, err)
			}
		},
	}
	if err := s.check(&conf, asts); err != nil {
		return nil, fmt.Errorf("reading what %s imports: %w", p.Name, err)
	}
	s.direct()
	return s, nil
}

// physical is a line as it lies in a file.
type physical struct {
	file *File
	line int
}

// direct notes what //line directives say.
func (s *Source) direct() {
	s.places = map[Place]physical{}
	for _, f := range s.Files {
		if !bytes.Contains(f.Text, []byte("//line ")) && !bytes.Contains(f.Text, []byte("/*line ")) {
			continue
		}
		f.directed = true
		lines := bytes.Split(f.Text, []byte("\n"))
		for line := 1; line <= f.Lines(); line++ {
			if line <= len(lines) && bytes.HasPrefix(lines[line-1], []byte("//line ")) {
				continue // it has no code, and may have the name of a line that has
			}
			p := s.named(physical{f, line})
			if _, dup := s.places[p]; !dup {
				s.places[p] = physical{f, line}
			}
		}
	}
}

// named is a line as debuggers name it.
func (s *Source) named(l physical) Place {
	if !l.file.directed {
		return Place{l.file.Name, l.line}
	}
	// A directive counts from the line after it on, so the line's end tells.
	pos := l.file.tok.Pos(l.file.tok.Size())
	if l.line < l.file.Lines() {
		pos = l.file.tok.LineStart(l.line+1) - 1
	}
	at := s.Fset.Position(pos)
	dir := filepath.Dir(l.file.Path)
	if rel, err := filepath.Rel(dir, at.Filename); err == nil && filepath.IsLocal(rel) && !slices.ContainsFunc(s.Files, func(f *File) bool { return f.Path == at.Filename }) {
		// The compiler leaves a file that only a directive names as it is written there.
		return Place{filepath.ToSlash(rel), at.Line}
	}
	return Place{s.Program.Rel(at.Filename), at.Line}
}

// find is the line that debuggers name so; ok is false for places outside of
// the program.
func (s *Source) find(p Place) (l physical, ok bool) {
	if l, ok = s.places[p]; ok {
		return l, true
	}
	f := s.File(p.File)
	if f == nil || f.directed || p.Line < 1 || p.Line > f.Lines() {
		return physical{}, false
	}
	return physical{f, p.Line}, true
}

// Own reports whether a file, as debuggers name it, is the program's.
func (s *Source) Own(file string) bool {
	if s.File(file) != nil {
		return true
	}
	for p := range s.places {
		if p.File == file {
			return true
		}
	}
	return false
}

// A Place is a line of a file.
type Place struct {
	File string
	Line int
}

func (p Place) String() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

// Lines counts a file's lines.
func (f *File) Lines() int { return f.tok.LineCount() }

// File finds a file by its name.
func (s *Source) File(name string) *File {
	for _, f := range s.Files {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// line is the line of a position in its file; //line directives do not count.
func (s *Source) line(pos token.Pos) int { return s.Fset.PositionFor(pos, false).Line }

// Code lists the lines on which a statement begins, in order.
func (s *Source) Code() []Place {
	var places []Place
	for _, f := range s.Files {
		seen := map[int]bool{}
		ast.Inspect(f.AST, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BlockStmt, *ast.LabeledStmt, *ast.EmptyStmt, nil:
			case ast.Stmt:
				seen[s.line(n.Pos())] = true
			}
			return true
		})
		for line := 1; line <= f.Lines(); line++ {
			if seen[line] {
				places = append(places, s.named(physical{f, line}))
			}
		}
	}
	return places
}

// NodeAt is the kind of the lowest syntax node that holds all tokens of a line
// (Lehmann and Pradel, definition 4), such as RangeStmt.
func (s *Source) NodeAt(p Place) string {
	l, ok := s.find(p)
	if !ok {
		return "outside"
	}
	f := l.file
	start := f.tok.LineStart(l.line)
	end := f.tok.Pos(f.tok.Size())
	if l.line < f.Lines() {
		end = f.tok.LineStart(l.line+1) - 1
	}
	text := f.Text[f.tok.Offset(start):f.tok.Offset(end)]
	if i := bytes.Index(text, []byte("//")); i >= 0 && !bytes.ContainsAny(text[:i], "\"`'") {
		text = text[:i]
	}
	trimmed := bytes.TrimLeft(text, " \t\r")
	start += token.Pos(len(text) - len(trimmed))
	end = start + token.Pos(len(bytes.TrimRight(trimmed, " \t\r\n")))
	if start == end {
		return "blank"
	}
	kind := "File"
	ast.Inspect(f.AST, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		if n.Pos() <= start && end <= n.End() {
			kind = reflect.TypeOf(n).Elem().Name()
			return true
		}
		// The head of a statement with a block counts as the statement.
		if n.Pos() == start && n.End() > end || n.Pos() >= start && n.Pos() < end && n.End() > end {
			if _, ok := n.(ast.Stmt); ok {
				if _, block := n.(*ast.BlockStmt); !block {
					kind = reflect.TypeOf(n).Elem().Name()
				}
			}
		}
		return n.Pos() <= end && start <= n.End()
	})
	return kind
}

// Lookup finds what a name means at the start of a line, with its type.
func (s *Source) Lookup(p Place, name string) types.Object {
	l, ok := s.find(p)
	if !ok || s.Pkg == nil {
		return nil
	}
	pos := l.file.tok.LineStart(l.line)
	scope := s.Pkg.Scope().Innermost(pos)
	if scope == nil {
		return nil
	}
	_, obj := scope.LookupParent(name, pos)
	return obj
}

// Locals are the names of the variables that a function has declared before a line, and that can be used there,
// innermost first.
func (s *Source) Locals(p Place) (names []string) {
	l, ok := s.find(p)
	if !ok || s.Pkg == nil {
		return nil
	}
	pos := l.file.tok.LineStart(l.line)
	for scope := s.Pkg.Scope().Innermost(pos); scope != nil && scope != s.Pkg.Scope(); scope = scope.Parent() {
		for _, name := range scope.Names() {
			if v, ok := scope.Lookup(name).(*types.Var); ok && v.Pos() < pos && name != "_" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// Declares reports whether the program gives a predeclared name, such as true,
// a meaning of its own anywhere.
func (s *Source) Declares(name string) bool {
	for id := range s.Info.Defs {
		if id.Name == name {
			return true
		}
	}
	return false
}
