package source

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
)

// CalledC is the name of the function in C that a call is of; ok is false if it is none of those.
func CalledC(call *ast.CallExpr) (name string, ok bool) {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return "", false
	}
	id, ok := sel.X.(*ast.Ident)
	return sel.Sel.Name, ok && id.Name == "C"
}

// preamble is the C in front of a file's import "C"; nil if there is none.
func (f *File) preamble() *ast.CommentGroup {
	for _, d := range f.AST.Decls {
		d, ok := d.(*ast.GenDecl)
		if !ok || d.Tok != token.IMPORT || d.Doc == nil {
			continue
		}
		for _, spec := range d.Specs {
			if spec := spec.(*ast.ImportSpec); spec.Path.Value == `"C"` {
				return d.Doc
			}
		}
	}
	return nil
}

// Preamble reports whether a line is of the C in front of a file's import "C".
func (s *Source) Preamble(p Place) bool {
	l, ok := s.find(p)
	if !ok {
		return false
	}
	c := l.file.preamble()
	return c != nil && s.line(c.Pos()) <= l.line && l.line <= s.line(c.End())
}

// uncalled is what C mentions that may run where Go has not called it: on threads of its own, in handlers of signals, or before Go begins;
// and files of the program's own that it includes.
var uncalled = regexp.MustCompile(`thread|thrd_|clone|fork|signal|sigaction|timer|constructor|atexit|#\s*include\s*"`)

// ThreadsInC reports whether C in the program may run where Go has not called it, as far as its text says: not if all of it stands in front
// of an import "C".
func (s *Source) ThreadsInC() bool {
	for _, f := range s.Files {
		if c := f.preamble(); c != nil {
			for _, line := range c.List {
				if uncalled.MatchString(line.Text) {
					return true
				}
			}
		}
	}
	entries, err := os.ReadDir(s.Program.RunDir())
	if err != nil {
		return true
	}
	for _, e := range entries {
		switch filepath.Ext(e.Name()) {
		case ".c", ".cc", ".cpp", ".cxx", ".m", ".h", ".hh", ".hpp", ".hxx", ".s", ".S", ".sx", ".syso", ".swig", ".swigcxx", ".f", ".F", ".for", ".f90":
			return true
		}
	}
	return false
}
