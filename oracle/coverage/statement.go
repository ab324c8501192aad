package coverage

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"misstep/profiler"
)

// A statement is one of a list of statements: of a block, or of a clause. What a header has (the parts of for, if and switch)
// belongs to the statement that it is the header of.
type statement struct {
	node         ast.Stmt
	kind         string // such as AssignStmt
	line, column int    // of the file, //line directives do not count; the column is in bytes
	fn           string // that it stands in, by its declaration
}

// place is where a statement lies, as people write it.
func (s statement) place(file string) string { return fmt.Sprintf("%s:%d:%d", file, s.line, s.column) }

// A file is one of a subject's that was parsed.
type file struct {
	name       string
	text       []byte
	tree       *ast.File
	fset       *token.FileSet
	statements []statement      // in the order of the text
	idle       []token.Position // of statements that do nothing themselves
	functions  []function
}

// A function is a declared one with a body.
type function struct {
	name             string // without its receiver
	line, column     int    // of func
	endLine, endCol  int
	open, openColumn int // of its {
	blank            bool
}

// parse reads a file into a set; nil if its syntax is not what go/parser knows.
func parse(fset *token.FileSet, name string, text []byte) *file {
	f := &file{name: name, text: text, fset: fset}
	var err error
	if f.tree, err = parser.ParseFile(f.fset, name, text, parser.ParseComments|parser.SkipObjectResolution); err != nil {
		return nil
	}
	for _, d := range f.tree.Decls {
		fd, ok := d.(*ast.FuncDecl)
		if !ok || fd.Body == nil {
			f.list(d, "")
			continue
		}
		at, end, open := f.at(fd.Pos()), f.at(fd.End()), f.at(fd.Body.Lbrace)
		f.functions = append(f.functions, function{fd.Name.Name, at.Line, at.Column, end.Line, end.Column, open.Line, open.Column, fd.Name.Name == "_"})
		f.list(fd.Body, fd.Name.Name)
	}
	return f
}

func hasDirectives(text []byte) bool {
	return strings.Contains(string(text), "//line ") || strings.Contains(string(text), "/*line ")
}

// at is a position in the file itself.
func (f *file) at(p token.Pos) token.Position { return f.fset.PositionFor(p, false) }

// list adds the statements within a node.
func (f *file) list(n ast.Node, fn string) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			f.add(n.List, fn)
		case *ast.CaseClause:
			f.add(n.Body, fn)
		case *ast.CommClause:
			f.add(n.Body, fn)
		case *ast.IfStmt:
			if elseIf, ok := n.Else.(*ast.IfStmt); ok {
				f.add([]ast.Stmt{elseIf}, fn) // as if in a block
			}
		}
		return true
	})
	slices.SortStableFunc(f.statements, func(a, b statement) int { return int(a.node.Pos() - b.node.Pos()) })
}

func (f *file) add(list []ast.Stmt, fn string) {
	for _, s := range list {
		from := f.at(s.Pos())
		for {
			l, ok := s.(*ast.LabeledStmt)
			if !ok {
				break
			}
			s = l.Stmt // which is what is executed
		}
		switch s.(type) {
		case *ast.CaseClause, *ast.CommClause: // of a switch
			continue
		case *ast.EmptyStmt, *ast.BlockStmt: // does nothing itself, and need not be anywhere
			f.idle = append(f.idle, from)
			continue
		}
		at := f.at(s.Pos())
		f.statements = append(f.statements, statement{s, strings.TrimPrefix(fmt.Sprintf("%T", s), "*ast."), at.Line, at.Column, fn})
	}
}

// unmarked are the statements that no variant has added.
func (f *file) unmarked() []statement {
	if !strings.Contains(string(f.text), marker) {
		return f.statements
	}
	lines := strings.Split(string(f.text), "\n")
	return slices.DeleteFunc(slices.Clone(f.statements), func(s statement) bool { return strings.Contains(lines[s.line-1], marker) })
}

// lines are the lengths of the file's lines in bytes, from line 1 on.
func (f *file) lines() []int {
	var all []int
	for l := range strings.SplitSeq(string(f.text), "\n") {
		all = append(all, len(l))
	}
	return all
}

// files are the parsed files of a subject's packages, by name. They have one set.
func files(s *profiler.Subject) map[string]*file {
	all := map[string]*file{}
	fset := token.NewFileSet()
	for _, name := range s.GoFiles() {
		if f := parse(fset, name, s.File(name)); f != nil {
			all[name] = f
		}
	}
	return all
}

// counted are a profile's blocks, by the files of the subject.
func counted(r *profiler.Run) map[string][]profiler.Block {
	all := map[string][]profiler.Block{}
	names := map[string]string{}
	blocks := r.Profile.Blocks
	if r.Profiler.Via == profiler.ByAll {
		blocks = r.Profile.Merged() // each test that covers a package has them
	}
	for _, b := range blocks {
		name, ok := names[b.File]
		if !ok {
			name = r.Subject.FileOf(b.File)
			names[b.File] = name
		}
		if name != "" {
			all[name] = append(all[name], b)
		}
	}
	return all
}

// begins reports whether a statement is the first one of a block.
func (f *file) begins(b profiler.Block, s statement) bool {
	i := slices.IndexFunc(f.statements, func(other statement) bool { return b.Contains(other.line, other.column) })
	return i >= 0 && f.statements[i].node == s.node
}

// blockOf is the block that a statement is in. There is none if no block has it.
func blockOf(blocks []profiler.Block, s statement) (profiler.Block, bool) {
	i := slices.IndexFunc(blocks, func(b profiler.Block) bool { return b.Contains(s.line, s.column) })
	if i < 0 {
		return profiler.Block{}, false
	}
	return blocks[i], true
}
