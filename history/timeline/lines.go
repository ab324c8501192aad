package timeline

import (
	"go/ast"
	"go/token"
	"slices"

	"misstep/history"
	"misstep/internal/source"
)

// lineKey is a line of a file, by the file's number in the plan.
type lineKey struct{ file, line int }

// LineInfo is what the history knows of a line.
type LineInfo struct {
	File string
	Line int
	// clear says that a clear statement begins there; vague, that something else is
	// executed there, too.
	clear, Vague bool
	Calls        bool // the clear statement called something that is recorded
	Watched      *history.Watched
	node         ast.Node
}

// index notes what is executed on which lines.
func (m *Run) index() {
	m.lines = map[lineKey]*LineInfo{}
	at := func(file, line int) *LineInfo {
		k := lineKey{file, line}
		if m.lines[k] == nil {
			m.lines[k] = &LineInfo{File: m.Plan.Files[file].Name, Line: line}
		}
		return m.lines[k]
	}
	for n, f := range m.Plan.Funcs {
		at(f.File, f.Line).Vague = true
		at(f.File, f.EndLine).Vague = true
		// The lines of clauses have code of the search for the one to execute, also those
		// that are not executed; a call of C is made in a function literal, by what the cgo command makes of it.
		node, pkg := m.Code.Node(n)
		if pkg == nil {
			continue
		}
		ast.Inspect(bodyOf(node), func(n ast.Node) bool {
			var last token.Pos
			switch n := n.(type) {
			case *ast.CaseClause:
				last = n.Colon
			case *ast.CommClause:
				last = n.Colon
			case *ast.CallExpr:
				if _, ok := source.CalledC(n); !ok {
					return true
				}
				last = n.End()
			default:
				return true
			}
			for l := pkg.Fset.PositionFor(n.Pos(), false).Line; l <= pkg.Fset.PositionFor(last, false).Line; l++ {
				at(f.File, l).Vague = true
			}
			return true
		})
	}
	for _, x := range m.acts {
		file := m.Plan.Funcs[x.Func].File
		for i := range x.Steps {
			s := &x.Steps[i]
			for l := s.First; l <= s.Last; l++ {
				if s.Covers(l) && !slices.Contains(s.Lines, l) {
					at(file, l).Vague = true
				}
			}
			for _, line := range s.Lines {
				l := at(file, line)
				if l.node != nil && l.node != s.Node {
					l.Vague = true
				}
				if !l.clear {
					l.clear, l.node = true, s.Node
					m.Clears = append(m.Clears, l)
				}
				if line == s.First {
					l.Watched = m.Watched(x, *s)
					l.Calls = l.Calls || len(s.Children) > 0
				}
			}
		}
	}
}

// LineAt is what the history knows of a line; of others, the zero value.
func (m *Run) LineAt(file string, line int) LineInfo {
	if f, ok := m.Files[file]; ok && m.lines[lineKey{f, line}] != nil {
		return *m.lines[lineKey{f, line}]
	}
	return LineInfo{}
}

// Clear reports whether a debugger must pause at each execution of a line: a statement
// begins there that is executed, and nothing else does.
func (m *Run) Clear(file string, line int) bool {
	l := m.LineAt(file, line)
	return l.clear && !l.Vague
}

// ClearLine reports whether a line begins a clear statement wherever it is executed;
// lines that never are count as clear.
func (m *Run) ClearLine(file string, line int) bool {
	_, ok := m.Files[file]
	return ok && !m.LineAt(file, line).Vague
}
