package history

import (
	"cmp"
	"go/token"
	"slices"
)

// Counts are how many times the statements of a recorded run were executed.
type Counts struct {
	files map[string][]Counted // in the order of their offsets
}

// A Counted is a statement, by where it begins, with how many times it was executed. A
// statement that never was is none of them.
type Counted struct {
	token.Position
	Count int
}

// Count derives how many times each statement was executed, of all activations. A loop
// counts once for each time that it is entered, not for each iteration.
func Count(code *Code, tree *Tree) *Counts {
	n := map[string]map[token.Position]int{}
	for _, a := range tree.Activations {
		_, pkg := code.Node(a.Func)
		if pkg == nil {
			continue
		}
		code.Walk(a, func(s Step) {
			if s.Part != Whole && s.Part != Head {
				return
			}
			p := pkg.Fset.PositionFor(s.Node.Pos(), false)
			if n[p.Filename] == nil {
				n[p.Filename] = map[token.Position]int{}
			}
			n[p.Filename][p]++
		})
	}
	c := &Counts{files: map[string][]Counted{}}
	for file, at := range n {
		for p, count := range at {
			c.files[file] = append(c.files[file], Counted{p, count})
		}
		slices.SortFunc(c.files[file], func(a, b Counted) int { return cmp.Compare(a.Offset, b.Offset) })
	}
	return c
}

// Statements are the executed statements of a file, by its path, in order.
func (c *Counts) Statements(file string) []Counted { return c.files[file] }

// Block is how many times a block of statements was executed, from one line and column up
// to, but not with, another: as many times as the first of its statements. A block that is
// empty but for the place where it ends counts what begins there; the position is that of
// what was counted, and the zero position if nothing was executed.
func (c *Counts) Block(file string, line, column, endLine, endColumn int) (token.Position, int) {
	for _, s := range c.files[file] {
		if !before(s.Position, line, column) && before(s.Position, endLine, endColumn) {
			return s.Position, s.Count
		}
	}
	for _, s := range c.files[file] {
		if s.Line == endLine && s.Column == endColumn {
			return s.Position, s.Count
		}
	}
	return token.Position{}, 0
}

func before(p token.Position, line, column int) bool {
	return p.Line < line || p.Line == line && p.Column < column
}
