package rewrite

import (
	"bytes"
	"go/ast"
	"go/token"
	"misstep/transform"
	"strings"
)

// blankLines puts blank lines and comments between lines; only the lines move.
var blankLines = Rewrite{
	Name: "blank-lines",
	Doc:  "Inserts blank lines and comments, at the ends of lines as well: nothing but the line numbers changes.",
	Sites: func(s *Given) []Site {
		var sites []Site
		add := func(pos token.Pos) {
			if indent, first := s.indent(pos); first {
				sites = append(sites, Site{pos, func(c *Change) {
					c.insert(pos, transform.Pick(c.R, []string{"\n" + indent, "// a comment\n" + indent, "/* a comment\n*/\n" + indent, "\n\n\n" + indent, "/* here */ "}))
				}})
			}
		}
		for _, sl := range s.slots() {
			add(sl.stmt.Pos())
			if s.last(sl.stmt.End()) {
				end := sl.stmt.End()
				sites = append(sites, Site{end, func(c *Change) { c.insert(end, " // behind\n") }})
			}
		}
		s.funcs(func(fn *ast.FuncDecl) {
			if fn.Doc == nil {
				add(fn.Pos())
			}
		})
		return sites
	},
}

// carriageReturns writes a file with the line ends of Windows. Raw strings have
// none either way (the Go specification, String literals).
var carriageReturns = Rewrite{
	Name: "crlf",
	Doc:  "Ends the lines of a file with a carriage return and a line feed: no difference.",
	Sites: func(s *Given) []Site {
		var sites []Site
		for _, f := range s.Source.Files {
			if f.Directed() || bytes.Contains(f.Text, []byte("\r")) || bytes.Contains(f.Text, []byte("//go:")) {
				continue
			}
			sites = append(sites, Site{f.AST.Package, func(c *Change) {
				for i, b := range f.Text {
					if b == '\n' {
						c.Insert(f.Name, i, "\r")
					}
				}
			}})
		}
		return sites
	},
}

// joinLines writes two statements on one line. What a user sees changes in one
// way: the two are one step. Guards: both are simple statements of one line;
// the base has no breakpoint at the second, which would pause before the first
// now; nothing is declared in them, as what is declared shows from the next
// line on; a comment ends neither.
var joinLines = Rewrite{
	Name: "join-lines",
	Doc:  "Writes two simple statements on one line: steps from one to the other are gone, and nothing else changes.",
	Sites: func(s *Given) []Site {
		if s.assigns() {
			return nil
		}
		var sites []Site
		for _, sl := range s.slots() {
			if sl.i == 0 {
				continue
			}
			a, b := sl.list[sl.i-1], sl.stmt
			if !simple(a) || !simple(b) || codeless(a) || codeless(b) || s.Source.Line(a.End())+1 != s.Source.Line(b.Pos()) ||
				s.Source.Line(a.Pos()) != s.Source.Line(a.End()) || s.Source.Line(b.Pos()) != s.Source.Line(b.End()) {
				continue
			}
			f := s.Source.FileOf(a.Pos())
			between := string(f.Text[s.Source.Offset(a.End()):s.Source.Offset(b.Pos())])
			_, first := s.indent(a.Pos())
			if strings.TrimSpace(between) != "" || !first || s.breaksIn(b.Pos(), b.End()) || !s.last(b.End()) {
				continue
			}
			sites = append(sites, Site{b.Pos(), func(c *Change) { c.replaceRange(a.End(), b.Pos(), "; ") }})
		}
		return sites
	},
}

// simple reports whether a statement is an expression, an assignment or the like,
// without function literals.
func simple(s ast.Stmt) bool {
	switch x := s.(type) {
	case *ast.ExprStmt, *ast.IncDecStmt, *ast.SendStmt:
	case *ast.AssignStmt:
		if x.Tok == token.DEFINE {
			return false
		}
	default:
		return false
	}
	ok := true
	ast.Inspect(s, func(n ast.Node) bool {
		if _, lit := n.(*ast.FuncLit); lit {
			ok = false
		}
		return ok
	})
	return ok
}

// splitLines writes statements that share a line, or a block with its braces,
// on several. The new lines are pieces of the old one: a step ends only when it
// has left them all. Guards: breakpoints at the line are set at its first piece,
// so the base has none where a block may be entered again from elsewhere, as by
// a loop.
var splitLines = Rewrite{
	Name: "split-lines",
	Doc:  "Writes statements that share a line on lines of their own: one step is several now, and nothing else changes.",
	Sites: func(s *Given) []Site {
		var sites []Site
		for _, sl := range s.slots() {
			stmt := sl.stmt
			if _, first := s.indent(stmt.Pos()); first || s.breaksIn(stmt.Pos(), stmt.End()) || s.stepsOn(stmt.Pos()) {
				continue
			}
			sites = append(sites, Site{stmt.Pos(), func(c *Change) {
				c.insert(stmt.Pos(), "\n")
			}})
		}
		return sites
	},
}

// stepsOn reports whether a line holds more than one function or a loop, so that
// several activations pause on it.
func (s *scope) stepsOn(pos token.Pos) bool {
	parents := s.Source.Parents()
	line := s.Source.Line(pos)
	for n := s.Source.Parents()[s.nodeAt(pos)]; n != nil; n = parents[n] {
		switch n.(type) {
		case *ast.FuncLit, *ast.ForStmt, *ast.RangeStmt, *ast.FuncDecl, *ast.LabeledStmt, *ast.SelectStmt:
			if s.Source.Line(n.Pos()) == line || s.Source.Line(n.End()) == line {
				return true
			}
		}
	}
	return false
}

// nodeAt is the outermost statement that begins at a position.
func (s *scope) nodeAt(pos token.Pos) ast.Node {
	var found ast.Node
	ast.Inspect(s.Source.FileOf(pos).AST, func(n ast.Node) bool {
		if stmt, ok := n.(ast.Stmt); ok && found == nil && stmt.Pos() == pos {
			found = n
		}
		return found == nil
	})
	return found
}
