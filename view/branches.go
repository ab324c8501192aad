package view

import (
	"go/ast"
	"go/token"

	"misstep/history"
)

// A span is a range of offsets in a file.
type span struct{ from, to int }

func (s span) holds(offset int) bool { return offset >= s.from && offset < s.to }

// A branch is the syntax of a site.
type branch struct {
	whole, body span
	text        string // up to the body
}

// A headKey is where a statement with a body begins.
type headKey struct{ file, offset int }

// branches finds the syntax of each site that is a branch.
func (s *sources) branches() {
	type key struct {
		file, offset int
		kind         history.Kind
	}
	found := map[key]branch{}
	s.heads = map[headKey]span{}
	for i, f := range s.files {
		if f == nil {
			continue
		}
		at := func(pos token.Pos) int { return s.fset.Position(pos).Offset }
		add := func(kind history.Kind, pos token.Pos, n ast.Node, textFrom, textTo, from, to token.Pos) {
			found[key{i, at(pos), kind}] = branch{
				whole: span{at(n.Pos()), at(n.End())}, body: span{at(from), at(to)},
				text: s.short(i, at(textFrom), at(textTo)),
			}
		}
		head := func(n ast.Node, body *ast.BlockStmt) {
			s.heads[headKey{i, at(n.Pos())}] = span{at(n.Pos()), at(body.Lbrace)}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.IfStmt:
				head(n, n.Body)
				add(history.Then, n.Pos(), n, n.Pos(), n.Body.Lbrace, n.Body.Lbrace+1, n.Body.Rbrace)
			case *ast.SwitchStmt:
				head(n, n.Body)
			case *ast.TypeSwitchStmt:
				head(n, n.Body)
			case *ast.ForStmt:
				head(n, n.Body)
				add(history.Body, n.Pos(), n, n.Pos(), n.Body.Lbrace, n.Body.Lbrace+1, n.Body.Rbrace)
			case *ast.RangeStmt:
				head(n, n.Body)
				add(history.Body, n.Pos(), n, n.Pos(), n.Body.Lbrace, n.Body.Lbrace+1, n.Body.Rbrace)
				add(history.Nested, n.Pos(), n, n.Pos(), n.Body.Lbrace, n.Body.Lbrace+1, n.Body.Rbrace)
			case *ast.CaseClause:
				add(history.Case, n.Pos(), n, n.Pos(), n.Colon, n.Colon+1, n.End())
			case *ast.CommClause:
				add(history.Case, n.Pos(), n, n.Pos(), n.Colon, n.Colon+1, n.End())
			case *ast.BinaryExpr:
				if n.Op == token.LAND || n.Op == token.LOR {
					add(history.Second, n.OpPos, n, n.OpPos, n.End(), n.End(), n.End())
				}
			case *ast.LabeledStmt:
				add(history.Label, n.Pos(), n, n.Pos(), n.Colon+1, n.End(), n.End())
			case *ast.ExprStmt:
				add(history.Last, n.Pos(), n, n.Pos(), n.End(), n.End(), n.End())
			}
			return true
		})
	}
	for i, site := range s.plan.Sites {
		if b, ok := found[key{s.plan.Funcs[site.Func].File, site.Offset, site.Kind}]; ok {
			s.sites[i] = b
		}
	}
}

// headAt is the head of the innermost statement that an offset is in the head of; empty
// if there is none.
func (s *sources) headAt(file, offset int) span {
	found := span{}
	for k, head := range s.heads {
		if k.file == file && head.holds(offset) && (found.to == 0 || head.from > found.from) {
			found = head
		}
	}
	return found
}
