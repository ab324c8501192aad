package omission

import (
	"go/ast"
	"go/types"

	"misstep/history"
	"misstep/history/record"
)

// turn is how a branch can be made to go the other way: by its condition, or by the tag
// of a switch, which gets the first value of the clause.
func (f *Finder) turn(b *Branch) (record.Turn, bool) {
	n, info := b.decision.node, b.fn.pkg.Info
	if b.decision.alt < 0 {
		return record.Turn{}, false
	}
	file := b.fn.pkg.Fset.File(b.fn.node.Pos())
	at := func(x ast.Expr, value string) record.Turn {
		return record.Turn{File: file.Name(), Start: file.Offset(x.Pos()), End: file.Offset(x.End()), Value: value}
	}
	if n.cond != nil {
		if tv := info.Types[n.cond]; tv.Value != nil || !record.PlainBool(tv.Type) {
			return record.Turn{}, false
		}
		return at(n.cond, ""), true
	}
	s, ok := n.at.(*ast.SwitchStmt)
	if !ok || n.part != history.Head || b.decision.alt >= len(s.Body.List) {
		return record.Turn{}, false
	}
	c := s.Body.List[b.decision.alt].(*ast.CaseClause)
	tag := info.Types[s.Tag]
	if len(c.List) == 0 || tag.Value != nil || calls(c.List[0]) {
		return record.Turn{}, false
	}
	if tv := info.Types[c.List[0]]; tv.Value == nil && !types.Identical(tv.Type, tag.Type) {
		return record.Turn{}, false // a value of another type, in or for an interface
	}
	return at(s.Tag, f.source(b.fn, c.List[0])), true
}
