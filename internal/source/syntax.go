package source

import (
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
)

// Parents maps each node of the source to the one around it.
func (s *Source) Parents() map[ast.Node]ast.Node {
	s.parentsOnce.Do(func() {
		s.parents = map[ast.Node]ast.Node{}
		for _, f := range s.Files {
			var stack []ast.Node
			ast.Inspect(f.AST, func(n ast.Node) bool {
				if n == nil {
					stack = stack[:len(stack)-1]
					return true
				}
				if len(stack) > 0 {
					s.parents[n] = stack[len(stack)-1]
				}
				stack = append(stack, n)
				return true
			})
		}
	})
	return s.parents
}

// FileOf is the file that a position lies in.
func (s *Source) FileOf(pos token.Pos) *File {
	for _, f := range s.Files {
		if int(pos) >= f.tok.Base() && int(pos) <= f.tok.Base()+f.tok.Size() {
			return f
		}
	}
	return nil
}

// Offset is a position's byte in its file.
func (s *Source) Offset(pos token.Pos) int { return s.Fset.PositionFor(pos, false).Offset }

// Line is a position's line in its file; //line directives do not count.
func (s *Source) Line(pos token.Pos) int { return s.line(pos) }

// Named is how debuggers name a line of a file.
func (s *Source) Named(file string, line int) Place {
	f := s.File(file)
	if f == nil || line < 1 || line > f.Lines() {
		return Place{file, line}
	}
	return s.named(physical{f, line})
}

// Physical is the line of a file that debuggers name so; ok is false for a place
// outside of the program.
func (s *Source) Physical(p Place) (file string, line int, ok bool) {
	l, ok := s.find(p)
	if !ok {
		return "", 0, false
	}
	return l.file.Name, l.line, true
}

// Directed reports whether the file has //line directives.
func (f *File) Directed() bool { return f.directed }

// Visible reports whether a name means the object at a position.
func (s *Source) Visible(obj types.Object, pos token.Pos) bool {
	scope := s.Pkg.Scope().Innermost(pos)
	if scope == nil {
		return false
	}
	_, found := scope.LookupParent(obj.Name(), pos)
	return found == obj
}

// Module is the path of the module that the program lies in and the language
// version that its go.mod asks for; both are empty outside of a module.
func (s *Source) Module() (path, goVersion string) {
	path, goVersion, _ = s.Program.Module()
	return path, goVersion
}

// AtLeast reports whether a language version such as go1.22 may be used.
func (s *Source) AtLeast(v string) bool {
	path, have := s.Module()
	return path == "" || version.Compare(have, v) >= 0
}
