package view

import (
	"encoding/binary"
	"go/ast"
	"go/token"

	"misstep/history"
)

// lines are the statements of the files, by lines, and how often they were executed.
type lines struct {
	// statements tells of each file which lines a statement begins in.
	statements []map[int]bool
	counts     []map[int]int64
}

func newLines(s *sources) *lines {
	l := &lines{}
	type key struct{ file, start, end int }
	recorded := map[key]bool{}
	for _, f := range s.plan.Funcs {
		recorded[key{f.File, f.Start, f.End}] = true
	}
	for i, f := range s.files {
		l.statements = append(l.statements, map[int]bool{})
		l.counts = append(l.counts, map[int]int64{})
		if f == nil {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			var block *ast.BlockStmt
			switch n := n.(type) {
			case *ast.FuncDecl:
				block = n.Body
			case *ast.FuncLit:
				block = n.Body
			}
			if block != nil && recorded[key{i, s.fset.Position(n.Pos()).Offset, s.fset.Position(n.End()).Offset}] {
				for at := range statementsOf(block) {
					l.statements[i][s.fset.PositionFor(at, false).Line] = true
				}
			}
			return true
		})
	}
	return l
}

// statementsOf are where the statements of a function begin, without those of literals.
func statementsOf(block *ast.BlockStmt) map[token.Pos]bool {
	found := map[token.Pos]bool{}
	ast.Inspect(block, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BlockStmt, *ast.EmptyStmt, *ast.LabeledStmt, *ast.CommClause:
		case *ast.CaseClause:
			if n.List != nil {
				found[n.Pos()] = true
			}
		case ast.Stmt:
			found[n.Pos()] = true
		}
		return true
	})
	return found
}

// A stepKey is what of the source a step executes.
type stepKey struct {
	node ast.Node
	part history.Part
}

// A piece is the lines of a step, and how often it was executed; none if from is
// after it.
type piece struct {
	from, to  int
	count     int64
	statement bool // and not only a part of one
}

func newPiece(pkg *history.Package, s history.Step) piece {
	if _, block := s.Node.(*ast.BlockStmt); block {
		return piece{from: 1}
	}
	_, label := s.Node.(*ast.LabeledStmt)
	return piece{
		from:      pkg.Fset.PositionFor(s.Node.Pos(), false).Line,
		to:        pkg.Fset.PositionFor(headEnd(s.Node, s.Part), false).Line,
		statement: !label && (s.Part == history.Whole || s.Part == history.Head || s.Part == history.Cases),
	}
}

// headEnd is where the part of a node ends that a step executes.
func headEnd(n ast.Node, part history.Part) token.Pos {
	end := n.End()
	switch n := n.(type) {
	case *ast.LabeledStmt:
		return n.Colon
	case *ast.IfStmt:
		return n.Cond.End()
	case *ast.ForStmt:
		return n.Body.Lbrace
	case *ast.RangeStmt:
		return n.X.End()
	case *ast.SwitchStmt:
		return n.Body.Lbrace
	case *ast.TypeSwitchStmt:
		return n.Body.Lbrace
	case *ast.SelectStmt:
		return n.Body.Lbrace
	case *ast.CaseClause:
		return n.Colon
	}
	ast.Inspect(n, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok {
			end = min(end, lit.Body.Lbrace)
			return false
		}
		return true
	})
	return end
}

// packLines packs the numbers of lines, in their order, into a string, so that
// activations that went the same way share it.
func packLines(list []int) string {
	var out []byte
	last := 0
	for _, n := range list {
		out = binary.AppendUvarint(out, uint64(n-last))
		last = n
	}
	return string(out)
}
