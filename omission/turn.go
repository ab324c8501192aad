package omission

import (
	"go/ast"
	"go/types"
	"math"
	"strconv"
	"strings"

	"misstep/history"
	"misstep/history/record"
	"misstep/internal/source"
)

// turn is how a branch can be made to go the other way: by its condition; by the tag of a
// switch, which gets the first value of the clause, or one of no clause for the default one; by
// the operand of a type switch, which gets a new value of the clause's first type; by what is
// ranged over, which gets a zero element, or loses all.
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
	if s, ok := n.at.(*ast.TypeSwitchStmt); ok {
		value, ok := f.otherType(b, s)
		t := at(operandOf(s), value)
		t.Dynamic = true
		return t, ok
	}
	if s, ok := n.at.(*ast.RangeStmt); ok {
		// Whether there is another element is no value, but what is ranged over.
		_, ok := record.Elements(info.TypeOf(s.X))
		t := at(s.X, "")
		t.Elements = true
		return t, ok && n.part == history.Head && b.decision.kind == "" && info.Types[s.X].Value == nil
	}
	s, ok := n.at.(*ast.SwitchStmt)
	if !ok || s.Tag == nil || n.part != history.Head {
		return record.Turn{}, false
	}
	tag := info.Types[s.Tag]
	if b.decision.alt >= len(s.Body.List) || s.Body.List[b.decision.alt].(*ast.CaseClause).List == nil {
		value, ok := otherTag(info, s)
		return at(s.Tag, value), ok && tag.Value == nil
	}
	c := s.Body.List[b.decision.alt].(*ast.CaseClause)
	if tag.Value != nil || source.Calls(c.List[0]) {
		return record.Turn{}, false
	}
	if tv := info.Types[c.List[0]]; tv.Value == nil && !types.Identical(tv.Type, tag.Type) {
		return record.Turn{}, false // a value of another type, in or for an interface
	}
	return at(s.Tag, f.source(b.fn, c.List[0])), true
}

// otherTag is a value of a switch's tag that is none of its cases, which are all constants: a number or a text.
func otherTag(info *types.Info, s *ast.SwitchStmt) (string, bool) {
	basic, ok := source.Core(info.TypeOf(s.Tag)).(*types.Basic)
	if !ok || basic.Info()&(types.IsInteger|types.IsString) == 0 {
		return "", false
	}
	taken := map[string]bool{}
	for _, c := range s.Body.List {
		for _, x := range c.(*ast.CaseClause).List {
			value := info.Types[x].Value
			if value == nil {
				return "", false
			}
			taken[value.ExactString()] = true
		}
	}
	// Of more than there are cases one is free, and each fits: a small number, a text of small letters.
	for i := range len(taken) + 1 {
		text := strconv.Itoa(i)
		if basic.Info()&types.IsString != 0 {
			text = strconv.Quote(strings.Repeat("x", i))
		}
		if !taken[text] {
			return text, i <= math.MaxInt8
		}
	}
	return "", false
}

// operandOf is the value whose type a switch goes by.
func operandOf(s *ast.TypeSwitchStmt) ast.Expr {
	x := ast.Expr(nil)
	switch a := s.Assign.(type) {
	case *ast.AssignStmt:
		x = a.Rhs[0]
	case *ast.ExprStmt:
		x = a.X
	}
	return ast.Unparen(x).(*ast.TypeAssertExpr).X
}

// otherType is a value that makes a type switch take the clause that it did not take: nothing
// of what the program made itself, but a new object, or the zero value; of the default
// clause, or none, nil. There is none for interfaces and type parameters.
func (f *Finder) otherType(b *Branch, s *ast.TypeSwitchStmt) (string, bool) {
	info := b.fn.pkg.Info
	if b.decision.node.part != history.Head || history.Reflects(info.TypeOf(operandOf(s))) {
		return "", false
	}
	if b.decision.alt >= len(s.Body.List) || s.Body.List[b.decision.alt].(*ast.CaseClause).List == nil {
		for _, c := range s.Body.List {
			for _, x := range c.(*ast.CaseClause).List {
				if info.Types[x].IsNil() {
					return "", false
				}
			}
		}
		return "nil", true
	}
	for _, x := range s.Body.List[b.decision.alt].(*ast.CaseClause).List {
		if info.Types[x].IsNil() {
			return "nil", true
		}
		t := info.TypeOf(x)
		if _, ok := types.Unalias(t).(*types.TypeParam); ok || types.IsInterface(t) {
			continue
		}
		if star, ok := ast.Unparen(x).(*ast.StarExpr); ok {
			return "new(" + f.source(b.fn, star.X) + ")", true
		}
		return "*new(" + f.source(b.fn, x) + ")", true
	}
	return "", false
}
