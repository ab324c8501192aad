package source

import (
	"go/ast"
	"slices"
	"strconv"
)

// Imports reports whether a file of the program's package imports one of some packages.
func (s *Source) Imports(paths ...string) bool {
	return slices.ContainsFunc(s.Files, func(f *File) bool { return f.Imports(paths...) })
}

// Imports reports whether the file imports one of some packages.
func (f *File) Imports(paths ...string) bool {
	return slices.ContainsFunc(f.AST.Imports, func(i *ast.ImportSpec) bool {
		path, err := strconv.Unquote(i.Path.Value)
		return err == nil && slices.Contains(paths, path)
	})
}

// Beyond reports whether the program imports packages that are not of the standard library.
func (s *Source) Beyond() bool { return s.beyond }
