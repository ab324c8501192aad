package omission

import (
	"fmt"
	"go/ast"
	"slices"

	"misstep/history"
)

// An object that is put into a field or a variable, where something else takes its place before anything looks at it, has been put there
// in vain: a handler that was chosen, and that whoever called then replaced by its own.

// overwritten finds the statements that put the subject somewhere in vain, but for where something took its place of which it is told already what
// came of it.
func (f *Finder) overwritten(s *Subject, ops [][]*operation, told []*LostChange) []*LostChange {
	if len(s.Instances) == 0 || s.Field != "" {
		return nil
	}
	type pair struct{ from, to Position }
	found := map[pair]*LostChange{}
	var lost []*LostChange
	seen := map[*node]bool{}
	for _, of := range ops {
		for _, op := range of {
			st, ok := op.node.at.(*ast.AssignStmt)
			if !ok || op.kind != Keep || seen[op.node] || len(st.Lhs) != len(st.Rhs) {
				continue
			}
			seen[op.node] = true
			for i, to := range st.Lhs {
				held, owner := op.fn.holder(to)
				if held == nil {
					continue
				}
				for _, in := range f.owners(op, owner, st.Rhs[i], s) {
					list := f.bindingsOf(held, in)
					for k := range list[:max(len(list)-1, 0)] {
						last, next := &list[k], &list[k+1]
						if last.at.trace[last.at.i].node != op.node || !s.Instances[last.of] || s.Instances[next.of] || f.usedBetween(last.of, last.at.after(), next.time) {
							continue
						}
						at := f.place(next.at.fn, next.at.trace[next.at.i].node.at.Pos())
						if slices.ContainsFunc(told, func(l *LostChange) bool { return l.Copied == at }) {
							continue
						}
						p := pair{f.place(op.fn, st.Pos()), at}
						if l := found[p]; l != nil {
							l.Count++
							continue
						}
						found[p] = &LostChange{
							Place: p.from, Text: f.shortSource(op.fn, st), Func: op.fn.name, Vain: true, Variable: f.shortSource(op.fn, to), Copied: at, Count: 1,
							How: fmt.Sprintf("%s took its place at %s:%d, in %s, before anything used it", f.shortSource(next.at.fn, next.at.trace[next.at.i].node.at), at.File, at.Line, short(next.at.fn.name)),
						}
						lost = append(lost, found[p])
					}
				}
			}
		}
	}
	slices.SortFunc(lost, func(x, y *LostChange) int { return comparePlaces(x.Place, y.Place) })
	return lost
}

// owners are the objects whose field a statement put the subject into; nil is one of a variable.
func (f *Finder) owners(op *operation, owner, value ast.Expr, s *Subject) (list []*history.Instance) {
	for _, a := range f.events.byFunc[op.fn.id] {
		for _, v := range f.trace(op.fn, a) {
			if v.node != op.node {
				continue
			}
			if t, ok := f.events.is(f.program, a, value, v.time); !ok || !s.Instances[t.of] {
				continue
			}
			var in *history.Instance
			if owner != nil {
				o, ok := f.events.is(f.program, a, owner, v.time)
				if !ok {
					continue
				}
				in = o.of
			}
			if !slices.Contains(list, in) {
				list = append(list, in)
			}
		}
	}
	return list
}

// usedBetween reports whether an object was seen anywhere between two moments.
func (f *Finder) usedBetween(of *history.Instance, from, to int64) bool {
	for _, list := range f.events.touches {
		if slices.ContainsFunc(list, func(t touch) bool { return t.of == of && from < t.time && t.time < to }) {
			return true
		}
	}
	return false
}
