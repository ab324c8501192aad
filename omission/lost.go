package omission

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

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
	// Near says of such a one that it was in a method of the subject, or in another function that was given it.
	Near bool `json:"near,omitempty"`
	// Another says that it happened to no copy, but to another object, which had taken the subject's place.
	Another bool `json:"another,omitempty"`
	// Vain says that the subject was put somewhere, and something else took its place there before anything used it.
	Vain bool `json:"vain,omitempty"`
}

// Aside reports whether it is told below everything else, as it has nothing to do with the subject.
func (l *LostChange) Aside() bool { return l.Elsewhere && !l.Near }

// String says what happened to what.
func (l *LostChange) String() string {
	to := "a copy"
	if l.Another {
		to = "another object"
	}
	text := fmt.Sprintf("%s: %s happened, but to %s: %s", l.Place, l.Text, to, l.How)
	if l.Vain {
		text = fmt.Sprintf("%s: %s happened in vain: %s", l.Place, l.Text, l.How)
	}
	if l.Count > 1 {
		text += ", " + count(l.Count, "time")
	}
	return text
}

// A copyChange is a statement that changes a copied variable of a function, whose value goes
// nowhere from there.
type copyChange struct {
	fn *function
	c  copiedVariable
	changedPart
}

// copyChanges are those of all functions that ran.
func (f *Finder) copyChanges() []copyChange {
	if f.copies != nil {
		return f.copies
	}
	list := []copyChange{}
	for _, fn := range f.program.funcs {
		if fn == nil || len(f.events.byFunc[fn.id]) == 0 {
			continue
		}
		for _, c := range fn.copiedVariables() {
			parts := fn.changesOf(c.v)
			if len(parts) == 0 || fn.goesOn(c.v) {
				continue
			}
			for _, p := range parts {
				list = append(list, copyChange{fn, c, p})
			}
		}
	}
	f.copies = list
	return list
}

// lostChange describes a change of a copy that was made at a place.
func (f *Finder) lostChange(x copyChange, copied Position) *LostChange {
	where := fmt.Sprintf("%s:%d", copied.File, copied.Line)
	return &LostChange{
		Place: f.place(x.fn, x.node.at.Pos()), Text: f.shortSource(x.fn, x.node.at), Func: x.fn.name,
		Variable: x.c.v.Name(), How: fmt.Sprintf("%s is %s", x.c.v.Name(), fmt.Sprintf(x.c.how, where)), Copied: copied,
	}
}

// lost finds changes of copies of a subject that came to nothing.
func (f *Finder) lost(s *Subject) []*LostChange {
	if len(s.Instances) == 0 && len(s.Vars) == 0 {
		return nil
	}
	var list []*LostChange
	for _, x := range f.copyChanges() {
		if slices.ContainsFunc(list, func(l *LostChange) bool { return l.Place == f.place(x.fn, x.node.at.Pos()) }) {
			continue // of the same statement
		}
		if x.field != "" && s.Field != "" && !s.concerns(x.field) && !strings.HasSuffix(s.Field, x.field) {
			continue
		}
		var l *LostChange
		for _, a := range f.events.byFunc[x.fn.id] {
			n := x.count(f.trace(x.fn, a))
			if n == 0 {
				continue
			}
			place, ok := f.ofSubject(s, x.fn, a, x.c)
			if !ok {
				continue
			}
			if l == nil {
				l = f.lostChange(x, place)
				list = append(list, l)
			}
			l.Count += n
		}
	}
	slices.SortFunc(list, func(x, y *LostChange) int { return comparePlaces(x.Place, y.Place) })
	return list
}

// count is how often a change happened.
func (x copyChange) count(trace []visit) int {
	n := 0
	for _, v := range trace {
		if v.node == x.node {
			n++
		}
	}
	return n
}

// maxElsewhere is how many changes of other objects' copies are told.
const maxElsewhere = 5

// deadStores are changes of copies of whatever object that ran and that nothing read after:
// whose they are does not matter, they cannot have been meant. Those in functions that were given the subject come first.
func (f *Finder) deadStores(s *Subject, known []*LostChange) []*LostChange {
	var list []*LostChange
	for _, x := range f.copyChanges() {
		if !aggregate(x.c.v.Type()) || x.fn.readsChanged(x.node, x.c.v) {
			continue
		}
		l := f.lostChange(x, f.place(x.fn, x.c.at))
		if slices.ContainsFunc(slices.Concat(known, list), func(k *LostChange) bool { return k.Place == l.Place }) {
			continue
		}
		for _, a := range f.events.byFunc[x.fn.id] {
			n := x.count(f.trace(x.fn, a))
			l.Near = l.Near || n > 0 && f.gets(x.fn, a, s)
			l.Count += n
		}
		if l.Count > 0 {
			l.Elsewhere = true
			l.How += ", and nothing reads it after"
			list = append(list, l)
		}
	}
	slices.SortFunc(list, func(x, y *LostChange) int {
		if x.Near != y.Near {
			if x.Near {
				return -1
			}
			return 1
		}
		return comparePlaces(x.Place, y.Place)
	})
	return list[:min(len(list), maxElsewhere)]
}

// gets reports whether a parameter of an activation, or its receiver, is known to have been one of the subject's objects.
func (f *Finder) gets(fn *function, a *history.Activation, s *Subject) bool {
	return slices.ContainsFunc(f.events.touches[a], func(t touch) bool {
		v, ok := fn.variable(f.events.exprs[t.site]).(*types.Var)
		return ok && s.Instances[t.of] && slices.Contains(fn.params, v)
	})
}

// ofSubject reports whether a variable is a copy of the subject, or of a part of it, in an
// activation, and where it was copied.
func (f *Finder) ofSubject(s *Subject, fn *function, a *history.Activation, c copiedVariable) (Position, bool) {
	x, at, owner := c.from, a, fn
	place := f.place(fn, c.at)
	if x == nil {
		from, call := f.calledFrom(fn, a)
		if call == nil {
			return Position{}, false
		}
		if x = call.argument(fn, c.param); x == nil {
			return Position{}, false
		}
		owner, at, place = from.fn, from.a, f.place(from.fn, call.expr.Pos())
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
