package omission

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"misstep/history"
)

// A field may hold what its type begins with since the literal that made the struct leaves it out. Of which object that is need not be known: of the literals
// of a type, those that ran and leave a field out which others give are told of where a branch reads that field.

// maxUngiven is how many such literals are told of for a branch.
const maxUngiven = 2

// A filling is a literal of a struct type with names of fields.
type filling struct {
	node  *node
	lit   *ast.CompositeLit
	of    types.Type
	given map[string]bool
}

// fillings are the literals with names of fields of the program's functions.
func (p *program) fillings() []filling {
	if p.literals != nil {
		return p.literals
	}
	p.literals = []filling{}
	for _, f := range p.funcs {
		if f == nil {
			continue
		}
		for _, n := range f.graph.nodes {
			n.evaluates(f.graph, func(x ast.Node) {
				lit, ok := x.(*ast.CompositeLit)
				if !ok {
					return
				}
				if t := typeOf(f, lit); structOf(t) != nil {
					if given := givenBy(lit); len(given) > 0 {
						p.literals = append(p.literals, filling{n, lit, t, given})
					}
				}
			})
		}
	}
	return p.literals
}

// givenBy are the fields that a literal names; none of one that gives all.
func givenBy(lit *ast.CompositeLit) map[string]bool {
	given := map[string]bool{}
	for _, elt := range lit.Elts {
		kv, ok := elt.(*ast.KeyValueExpr)
		if !ok {
			return nil
		}
		if id, ok := kv.Key.(*ast.Ident); ok {
			given[id.Name] = true
		}
	}
	return given
}

// givenLater reports whether a field of a struct of some type was assigned to before a step, by whatever function: then it may have been given to what a
// literal that leaves it out had made.
func (e *explainer) givenLater(s step, t types.Type, field string) bool {
	for _, f := range e.f.program.funcs {
		if f == nil || len(e.f.events.byFunc[f.id]) == 0 {
			continue
		}
		for _, n := range f.graph.nodes {
			for _, l := range n.stores() {
				if sel, ok := ast.Unparen(l).(*ast.SelectorExpr); ok && sel.Sel.Name == field && sameStruct(typeOf(f, sel.X), t) && e.lastOf(s, []*node{n}) != nil {
					return true
				}
			}
		}
	}
	return false
}

// ungiven are the literals that ran before a step and leave out a field which an expression reads, where others give it and agree in most of the rest.
func (e *explainer) ungiven(s step, x ast.Node) (list []*Reason) {
	ast.Inspect(x, func(n ast.Node) bool {
		if _, is := n.(*ast.FuncLit); is {
			return false
		}
		sel, ok := n.(*ast.SelectorExpr)
		if !ok || len(list) >= maxUngiven {
			return true
		}
		if of := s.fn.pkg.Info.Selections[sel]; of == nil || of.Kind() != types.FieldVal || len(of.Index()) != 1 {
			return true
		}
		field, t := sel.Sel.Name, typeOf(s.fn, sel.X)
		var gives, lacks []filling
		for _, m := range e.f.program.fillings() {
			if !sameStruct(m.of, t) {
				continue
			}
			if m.given[field] {
				gives = append(gives, m)
			} else {
				lacks = append(lacks, m)
			}
		}
		for _, m := range lacks {
			other := slices.IndexFunc(gives, func(g filling) bool { return g.node.fn != m.node.fn && fillAlike(m, g) })
			if other < 0 || len(list) >= maxUngiven || e.givenLater(s, t, field) {
				continue
			}
			at := e.lastOf(s, []*node{m.node})
			if at == nil || !e.seen.first(m.lit, at.a) {
				continue
			}
			r := e.reason(at.fn, m.lit, false)
			r.node, r.expr = m.node, m.lit
			place := e.f.place(gives[other].node.fn, gives[other].lit.Pos())
			r.Lacks = fmt.Sprintf("it leaves out %s, which is given at %s:%d", field, place.File, place.Line)
			r.Branch = e.f.ledTo(*at, s)
			list = append(list, r)
		}
		return true
	})
	return list
}

// fillAlike reports whether two literals give mostly the same fields: more than one, and more than half of those of the one that has fewer.
func fillAlike(a, b filling) bool {
	n := 0
	for field := range a.given {
		if b.given[field] {
			n++
		}
	}
	return n >= fewestGiven && 2*n > min(len(a.given), len(b.given))
}

// awaits is the channel of the case of a select that a branch did not take; nil of others.
func (b *Branch) awaits() ast.Expr {
	s, ok := b.decision.node.at.(*ast.SelectStmt)
	if !ok || b.decision.node.part != history.Head || b.decision.alt < 0 || b.decision.alt >= len(s.Body.List) {
		return nil
	}
	clause, ok := s.Body.List[b.decision.alt].(*ast.CommClause)
	if !ok {
		return nil
	}
	var from ast.Expr
	switch comm := clause.Comm.(type) {
	case *ast.SendStmt:
		return comm.Chan
	case *ast.ExprStmt:
		from = comm.X
	case *ast.AssignStmt:
		from = comm.Rhs[0]
	}
	if u, ok := ast.Unparen(from).(*ast.UnaryExpr); ok && u.Op == token.ARROW {
		return u.X
	}
	return nil
}
