package omission

import (
	"fmt"
	"go/ast"
	"slices"

	"misstep/history"
)

// A LostChange is an operation that happened to a copy of the subject, which was then thrown
// away: to a receiver or parameter that is a value, a variable of a range, what was read from
// a map, a slice that was appended to and not stored back. It is Go's most frequent omission,
// and no branch decided it.
type LostChange struct {
	Place Position `json:"place"`
	Text  string   `json:"text"`
	Func  string   `json:"func"`
	// Variable is the copy, How how it came to be one, and Copied where.
	Variable string   `json:"variable"`
	How      string   `json:"how"`
	Copied   Position `json:"copied"`
	// Count is how often it happened.
	Count int `json:"count"`
	// Elsewhere says that it was no copy of the subject.
	Elsewhere bool `json:"elsewhere,omitempty"`
}

// String says what happened to what.
func (l *LostChange) String() string {
	text := fmt.Sprintf("%s: %s happened, but to a copy: %s", l.Place, l.Text, l.How)
	if l.Count > 1 {
		text += ", " + count(l.Count, "time")
	}
	return text
}

// lost finds changes of copies of a subject that came to nothing.
func (f *Finder) lost(s *Subject) []*LostChange {
	if len(s.Instances) == 0 && len(s.Vars) == 0 {
		return nil
	}
	var list []*LostChange
	for _, fn := range f.program.funcs {
		if fn == nil || len(f.events.byFunc[fn.id]) == 0 {
			continue
		}
		for _, c := range fn.copiedVariables() {
			nodes := fn.changesOf(c.v, s)
			if len(nodes) == 0 || fn.goesOn(c.v) {
				continue
			}
			sums := map[*node]*LostChange{}
			for _, a := range f.events.byFunc[fn.id] {
				place, ok := f.ofSubject(s, fn, a, c)
				if !ok {
					continue
				}
				for _, v := range f.trace(fn, a) {
					if !slices.Contains(nodes, v.node) {
						continue
					}
					l := sums[v.node]
					if l == nil {
						l = &LostChange{
							Place: f.place(fn, v.node.at.Pos()), Text: f.shortSource(fn, v.node.at), Func: fn.name,
							Variable: c.v.Name(), How: fmt.Sprintf("%s is %s", c.v.Name(), fmt.Sprintf(c.how, fmt.Sprintf("%s:%d", place.File, place.Line))), Copied: place,
						}
						sums[v.node] = l
						list = append(list, l)
					}
					l.Count++
				}
			}
		}
	}
	slices.SortFunc(list, func(x, y *LostChange) int { return comparePlaces(x.Place, y.Place) })
	return list
}

// maxElsewhere is how many changes of other objects' copies are told.
const maxElsewhere = 5

// deadStores are changes of copies of whatever object that ran and that nothing read after:
// whose they are does not matter, they cannot have been meant.
func (f *Finder) deadStores(known []*LostChange) []*LostChange {
	var list []*LostChange
	for _, fn := range f.program.funcs {
		if fn == nil || len(f.events.byFunc[fn.id]) == 0 {
			continue
		}
		for _, c := range fn.copiedVariables() {
			if !aggregate(c.v.Type()) {
				continue
			}
			nodes := fn.changesOf(c.v, &Subject{})
			if len(nodes) == 0 || fn.goesOn(c.v) {
				continue
			}
			counts := map[*node]int{}
			for _, a := range f.events.byFunc[fn.id] {
				for _, v := range f.trace(fn, a) {
					if slices.Contains(nodes, v.node) {
						counts[v.node]++
					}
				}
			}
			for _, n := range nodes {
				if counts[n] == 0 || fn.readsChanged(n, c.v) {
					continue
				}
				at := f.place(fn, n.at.Pos())
				if slices.ContainsFunc(known, func(l *LostChange) bool { return l.Place == at }) {
					continue
				}
				place := f.place(fn, c.at)
				list = append(list, &LostChange{
					Place: at, Text: f.shortSource(fn, n.at), Func: fn.name, Variable: c.v.Name(), Elsewhere: true,
					How: fmt.Sprintf("%s is %s, and nothing reads it after", c.v.Name(), fmt.Sprintf(c.how, fmt.Sprintf("%s:%d", place.File, place.Line))), Copied: place, Count: counts[n],
				})
			}
		}
	}
	slices.SortFunc(list, func(x, y *LostChange) int { return comparePlaces(x.Place, y.Place) })
	return list[:min(len(list), maxElsewhere)]
}

// ofSubject reports whether a variable is a copy of the subject, or of a part of it, in an
// activation, and where it was copied.
func (f *Finder) ofSubject(s *Subject, fn *function, a *history.Activation, c copiedVariable) (Position, bool) {
	x, at, owner := c.from, a, fn
	place := f.place(fn, c.at)
	if x == nil {
		parent := a.Parent
		if parent == nil || f.program.funcs[parent.Func] == nil {
			return Position{}, false
		}
		owner, at = f.program.funcs[parent.Func], parent
		for _, v := range f.trace(owner, parent) {
			if !slices.Contains(v.calls, a) {
				continue
			}
			for _, call := range owner.calls {
				if call.node == v.node && slices.Contains(call.callees, fn.id) {
					if x = call.argument(fn, c.param); x != nil {
						place = f.place(owner, call.expr.Pos())
					}
				}
			}
		}
		if x == nil {
			return Position{}, false
		}
	}
	if star, ok := ast.Unparen(x).(*ast.StarExpr); ok {
		x = star.X
	}
	if object, field, _ := owner.operand(ast.Unparen(x)); object != nil {
		if _, plain := ast.Unparen(x).(*ast.Ident); !plain {
			if field != "" && s.Field != "" && !s.concerns(field) {
				return Position{}, false
			}
			x = object
		}
	}
	if v := owner.variable(x); v != nil && s.Vars[v] {
		return place, true
	}
	then := a.Start
	if at == a {
		then = a.End
	}
	t, ok := f.events.is(f.program, at, x, then)
	if !ok {
		return Position{}, false
	}
	if s.Instances[t.of] {
		return place, true
	}
	for _, part := range s.Parts {
		if part.Instances[t.of] {
			return place, true
		}
	}
	return Position{}, false
}
