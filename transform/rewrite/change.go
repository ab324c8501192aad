package rewrite

import (
	"go/ast"
	"go/token"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"misstep/internal/gobuild"
	"misstep/internal/srcedit"
	"misstep/transform"
)

// A Change is a rewrite being made.
type Change struct {
	*srcedit.Edits
	*transform.Relation
	Given *Given
	R     *rand.Rand
}

// program is the subject's with changed files.
func (c *Change) program(changed map[string][]byte) *gobuild.Program {
	old := c.Given.Source.Program
	p := *old
	p.Overlay = maps.Clone(old.Overlay)
	if p.Overlay == nil {
		p.Overlay = map[string][]byte{}
	}
	p.Files = slices.Clone(old.Files)
	p.Target = slices.Clone(old.Target)
	remove := func(list []string, path string) []string {
		return slices.DeleteFunc(list, func(s string) bool { return s == path })
	}
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		text := changed[name]
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(old.Dir, filepath.FromSlash(name))
		}
		p.Overlay[path] = text
		switch {
		case text == nil:
			p.Files, p.Target = remove(p.Files, path), remove(p.Target, path)
		case filepath.Ext(path) == ".go" && !slices.Contains(p.Files, path) && filepath.Dir(path) == p.RunDir():
			p.Files = append(p.Files, path)
			if len(p.Target) > 0 && filepath.IsAbs(p.Target[0]) {
				p.Target = append(p.Target, path)
			}
		}
	}
	slices.Sort(p.Files)
	if c.Test != "" {
		p.Test = true
	}
	return &p
}

var freshName = regexp.MustCompile(`\bmisstep(\d+)`)

// name makes a name that the program does not have.
func (c *Change) name() string {
	if c.Given.fresh == 0 {
		for path := range c.Given.Source.Program.Overlay {
			// Names of files that rewrites have added.
			for _, m := range freshName.FindAllStringSubmatch(path, -1) {
				if n, err := strconv.Atoi(m[1]); err == nil {
					c.Given.fresh = max(c.Given.fresh, n)
				}
			}
		}
		for _, f := range c.Given.Source.Files {
			for _, m := range freshName.FindAllSubmatch(f.Text, -1) {
				if n, err := strconv.Atoi(string(m[1])); err == nil {
					c.Given.fresh = max(c.Given.fresh, n)
				}
			}
		}
	}
	c.Given.fresh++
	return "misstep" + strconv.Itoa(c.Given.fresh)
}

// ownVar makes a name for a variable of the change's own.
func (c *Change) ownVar() string {
	n := c.name()
	c.Own[n] = true
	return n
}

// ownFunc makes a name for a function of the change's own, which is never
// stepped into as far as a user can see.
func (c *Change) ownFunc() string {
	n := c.name()
	c.OwnFuncs["main."+n] = true
	return n
}

// at is a position as file and offset.
func (c *Change) at(pos token.Pos) (file string, offset int) {
	return c.Given.Source.FileOf(pos).Name, c.Given.Source.Offset(pos)
}

// insert puts text before a position.
func (c *Change) insert(pos token.Pos, text string) {
	file, at := c.at(pos)
	c.Insert(file, at, text)
}

// replace puts text in the place of a node.
func (c *Change) replace(n ast.Node, text string) { c.replaceRange(n.Pos(), n.End(), text) }

func (c *Change) replaceRange(from, to token.Pos, text string) {
	file, start := c.at(from)
	_, end := c.at(to)
	c.Replace(file, start, end, srcedit.Text(text))
}

// before puts a statement before another: on lines of its own or, if chance or
// the layout will have it so, on the same line. A line that had no code must not
// get some.
func (c *Change) before(stmt ast.Stmt, text string) {
	indent, first := c.Given.indent(stmt.Pos())
	if first && (c.R.IntN(2) == 0 || codeless(stmt) || c.Given.long(stmt)) {
		c.insert(stmt.Pos(), strings.ReplaceAll(text, "\n", "\n"+indent)+"\n"+indent)
		return
	}
	c.insert(stmt.Pos(), strings.Join(strings.FieldsFunc(strings.ReplaceAll(text, "{\n", "{ "), func(r rune) bool { return r == '\n' }), "; ")+"; ")
}

// long reports whether a statement is over several lines: its first one and its last one may have no code.
func (s *Given) long(stmt ast.Stmt) bool {
	return s.Source.Line(stmt.Pos()) != s.Source.Line(stmt.End())
}

// codeless reports whether a statement may have no code on its first line.
func codeless(stmt ast.Stmt) bool {
	switch s := stmt.(type) {
	case *ast.AssignStmt:
		// Of a value without a size, or to the blank identifier.
		id, ok := s.Lhs[0].(*ast.Ident)
		_, lit := s.Rhs[0].(*ast.CompositeLit)
		return lit || ok && id.Name == "_"
	case *ast.ExprStmt, *ast.IncDecStmt, *ast.SendStmt, *ast.ReturnStmt, *ast.RangeStmt, *ast.GoStmt, *ast.DeferStmt:
		return false
	}
	return true // a condition may be known
}

// after puts a statement after another.
func (c *Change) after(stmt ast.Stmt, text string) {
	indent, first := c.Given.indent(stmt.Pos())
	if first && c.Given.last(stmt.End()) && (c.R.IntN(2) == 0 || c.Given.long(stmt)) {
		c.insert(stmt.End(), "\n"+indent+text)
		return
	}
	c.insert(stmt.End(), "; "+text)
}

// declare puts a declaration at the end of the file that a position lies in.
func (c *Change) declare(pos token.Pos, text string) {
	c.Append(c.Given.Source.FileOf(pos).Name, "\n"+text+"\n")
}
