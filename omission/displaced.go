package omission

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"slices"

	"misstep/history"
)

// An operation may have been performed on another object, as the one variable or field by which it is reached had come to hold another:
// of two clients that are registered in one variable, only the last is released.

// A binding is a moment at which a variable or a field got an object.
type binding struct {
	time int64
	of   *history.Instance // nil of what is not known
	at   step
}

// A heldKey is a variable, or a field of an object.
type heldKey struct {
	held types.Object
	in   *history.Instance
}

// displaced finds operations that were performed on others than the subject by something that had held the subject before, and never on
// it. Operations that a branch kept from happening are left out.
func (f *Finder) displaced(s *Subject, ops [][]*operation, list []*Balloon) []*LostChange {
	if len(s.Instances) == 0 {
		return nil
	}
	told := map[Position]bool{}
	for _, b := range list {
		for _, op := range b.Operations {
			told[op.Place] = true
		}
	}
	var lost []*LostChange
	for _, of := range ops {
		for _, op := range of {
			if op.operand == nil || op.kind == Read || told[f.place(op.fn, op.expr.Pos())] {
				continue
			}
			if l := f.displacedAt(s, op); l != nil && !slices.ContainsFunc(lost, func(o *LostChange) bool { return o.Place == l.Place }) {
				lost = append(lost, l)
			}
		}
	}
	slices.SortFunc(lost, func(x, y *LostChange) int { return comparePlaces(x.Place, y.Place) })
	return lost
}

// displacedAt looks for an operation's executions, which must all have been on others.
func (f *Finder) displacedAt(s *Subject, op *operation) *LostChange {
	var found *LostChange
	for _, a := range f.events.byFunc[op.fn.id] {
		for _, v := range f.trace(op.fn, a) {
			if v.node != op.node {
				continue
			}
			t, ok := f.events.is(f.program, a, op.operand, v.time)
			switch {
			case !ok:
				continue
			case s.Instances[t.of]:
				return nil
			}
			x, last, next := f.tookThePlace(s, op.fn, a, op.operand, v.time)
			if next == nil {
				continue
			}
			if found == nil {
				at := f.place(next.at.fn, next.at.trace[next.at.i].node.at.Pos())
				found = &LostChange{
					Place: f.place(op.fn, op.expr.Pos()), Text: f.shortSource(op.fn, op.node.at), Func: op.fn.name, Another: true,
					Variable: types.ExprString(x), Copied: at,
					How: fmt.Sprintf("%s held %s until %s:%d, where it got another", types.ExprString(x), last.of, at.File, at.Line),
				}
			}
			found.Count++
		}
	}
	return found
}

// maxGiven is how many calls up a parameter is followed to what was given for it.
const maxGiven = 3

// tookThePlace is what holds, beyond its activation, the object that an expression was, be it as an argument, if the subject was held by it
// before: when it was, and when another took its place; nil if that is not so.
func (f *Finder) tookThePlace(s *Subject, fn *function, a *history.Activation, x ast.Expr, time int64) (held ast.Expr, last, next *binding) {
	for range maxGiven {
		v, owner := fn.holder(x)
		if v != nil {
			var in *history.Instance
			if owner != nil {
				o, ok := f.events.is(f.program, a, owner, time)
				if !ok {
					return nil, nil, nil
				}
				in = o.of
			}
			last, next = f.lastHeld(s, v, in, time)
			return x, last, next
		}
		param := fn.param(x)
		at, call := f.calledFrom(fn, a)
		if param < 0 || call == nil {
			return nil, nil, nil
		}
		if x = call.argument(fn, param); x == nil {
			return nil, nil, nil
		}
		time, fn, a = a.Start, at.fn, at.a
	}
	return nil, nil, nil
}

// holder is what holds an object beyond an activation: a package's variable, one of a function around, or a field, with the expression
// whose field it is. It is nil of what is none of these.
func (f *function) holder(x ast.Expr) (held types.Object, owner ast.Expr) {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		v, ok := f.pkg.Info.ObjectOf(x).(*types.Var)
		if ok && refers(v.Type()) && (v.Pos() < f.node.Pos() || v.Pos() > f.node.End()) {
			return v, nil
		}
	case *ast.SelectorExpr:
		sel := f.pkg.Info.Selections[x]
		if sel == nil {
			if v, ok := f.pkg.Info.Uses[x.Sel].(*types.Var); ok && refers(v.Type()) {
				return v, nil // another package's
			}
		} else if sel.Kind() == types.FieldVal && refers(sel.Type()) {
			return sel.Obj(), x.X
		}
	}
	return nil, nil
}

// lastHeld is when a holder got the subject for the last time before a moment, and when it got something else after that; nil if it did
// not.
func (f *Finder) lastHeld(s *Subject, held types.Object, in *history.Instance, before int64) (last, next *binding) {
	list := f.bindingsOf(held, in)
	for i := range list {
		b := &list[i]
		switch {
		case b.time > before:
			return last, next
		case s.Instances[b.of]:
			last, next = b, nil
		case last != nil && next == nil:
			next = b
		}
	}
	return last, next
}

// bindingsOf are the assignments to a variable, or to the field of an object, as they were found before.
func (f *Finder) bindingsOf(held types.Object, in *history.Instance) []binding {
	k := heldKey{held, in}
	list, known := f.bound[k]
	if !known {
		list = f.bindings(held, in)
		if f.bound == nil {
			f.bound = map[heldKey][]binding{}
		}
		f.bound[k] = list
	}
	return list
}

// bindings are the assignments to a variable, or to the field of an object, in the order of time.
func (f *Finder) bindings(held types.Object, in *history.Instance) []binding {
	var list []binding
	for _, fn := range f.program.funcs {
		if fn == nil || len(f.events.byFunc[fn.id]) == 0 {
			continue
		}
		for _, n := range fn.graph.nodes {
			st, ok := n.at.(*ast.AssignStmt)
			if !ok || len(st.Lhs) != len(st.Rhs) {
				continue
			}
			for i, to := range st.Lhs {
				if !fn.assigns(to, held) {
					continue
				}
				if fn.reads(st.Rhs[i], held) {
					continue // it goes on from what it held, as to the next one
				}
				list = append(list, f.bindingsAt(fn, n, to, st.Rhs[i], in)...)
			}
		}
	}
	slices.SortFunc(list, func(x, y binding) int { return cmp.Compare(x.time, y.time) })
	return list
}

// assigns reports whether what is assigned to is a variable or a field. Packages may have been loaded twice.
func (f *function) assigns(to ast.Expr, held types.Object) bool {
	var v types.Object
	switch x := ast.Unparen(to).(type) {
	case *ast.Ident:
		v = f.pkg.Info.ObjectOf(x)
	case *ast.SelectorExpr:
		v = f.pkg.Info.Uses[x.Sel]
	}
	if v == nil || v == held {
		return v != nil
	}
	return v.Name() == held.Name() && v.Pkg() != nil && held.Pkg() != nil && v.Pkg().Path() == held.Pkg().Path() && v.Pkg() != held.Pkg() &&
		types.TypeString(v.Type(), nil) == types.TypeString(held.Type(), nil)
}

// reads reports whether an expression has a variable or a field in it.
func (f *function) reads(x ast.Expr, held types.Object) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok {
			found = found || f.assigns(e, held)
		}
		return !found
	})
	return found
}

// bindingsAt are those of one statement.
func (f *Finder) bindingsAt(fn *function, n *node, to, value ast.Expr, in *history.Instance) (list []binding) {
	for _, a := range f.events.byFunc[fn.id] {
		trace := f.trace(fn, a)
		for i, v := range trace {
			if v.node != n {
				continue
			}
			at := step{fn: fn, a: a, trace: trace, i: i}
			if sel, ok := ast.Unparen(to).(*ast.SelectorExpr); ok && in != nil {
				if o, ok := f.events.is(f.program, a, sel.X, at.after()); !ok || o.of != in {
					continue
				}
			}
			b := binding{time: at.time(), at: at}
			if t, ok := f.events.is(f.program, a, value, at.after()); ok {
				b.of = t.of
			}
			list = append(list, b)
		}
	}
	return list
}
