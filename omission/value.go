package omission

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"time"

	"misstep/internal/source"
)

// A part says what of an expression's value is of interest.
type part struct {
	result int    // of a call with several; -1 is all
	field  string // of a struct; empty is all
}

var whole = part{result: -1}

// value are the reasons of an expression's value at a step.
func (e *explainer) value(s step, x ast.Expr, p part, hops int) []*Reason {
	if time.Now().After(e.until) {
		e.f.hurried = true
		return nil
	}
	if hops <= 0 || x == nil || len(e.seen) > maxSteps || e.ctx.Err() != nil {
		return nil
	}
	if p.field != "" {
		if list, ok := e.fieldOf(s, x, p, hops); ok {
			return list
		}
	}
	info := s.fn.pkg.Info
	var list []*Reason
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if info.Types[n.Fun].IsType() {
				return true
			}
			if of := s.fn.measured(n); of != nil && !e.length {
				e.length = true
				list = append(list, e.value(s, of, whole, hops)...)
				e.length = false
				return false
			}
			of := whole
			if n == ast.Unparen(x) {
				of = p
			}
			if got, known := e.returned(s, n, of, hops); known {
				list = append(list, got...)
				return false
			}
			list = append(list, e.contents(s, n, hops)...)
		case *ast.SelectorExpr:
			if sel := info.Selections[n]; sel != nil && sel.Kind() == types.FieldVal {
				got, _ := e.fieldOf(s, n, whole, hops)
				list = append(list, got...)
				if container(sel.Type()) {
					list = append(list, e.changes(s, n, "", hops)...)
				}
				return false
			}
		case *ast.IndexExpr:
			if container(info.TypeOf(n.X)) {
				list = append(list, e.changes(s, n.X, "", hops)...)
			}
		case *ast.Ident:
			if v, ok := info.Uses[n].(*types.Var); ok && !v.IsField() {
				_, isMap := source.Core(v.Type()).(*types.Map)
				if isMap { // what is in it matters more than where it was made
					list = append(list, e.changes(s, n, "", hops)...)
				}
				list = append(list, e.variable(s, v, whole, hops)...)
				if container(v.Type()) && !isMap {
					list = append(list, e.changes(s, n, "", hops)...)
				}
			}
		}
		return true
	})
	return distinct(list)
}

// measured is the slice that a call of len or cap is about; nil if it is another call.
func (f *function) measured(x *ast.CallExpr) ast.Expr {
	id, ok := ast.Unparen(x.Fun).(*ast.Ident)
	if !ok || !f.pkg.Info.Types[x.Fun].IsBuiltin() || id.Name != "len" && id.Name != "cap" {
		return nil
	}
	if _, slice := typeOf(f, x.Args[0]).Underlying().(*types.Slice); !slice {
		return nil
	}
	return x.Args[0]
}

// fieldOf are the reasons of what a field of an expression's value held; false if it is none
// that has fields.
func (e *explainer) fieldOf(s step, x ast.Expr, p part, hops int) ([]*Reason, bool) {
	info := s.fn.pkg.Info
	switch x := ast.Unparen(x).(type) {
	case *ast.CompositeLit:
		return e.element(s, x, p.field, hops), true
	case *ast.UnaryExpr:
		if lit, ok := ast.Unparen(x.X).(*ast.CompositeLit); ok && x.Op == token.AND {
			return e.element(s, lit, p.field, hops), true
		}
		if x.Op == token.AND {
			return e.fieldOf(s, x.X, p, hops)
		}
	case *ast.Ident:
		v, ok := info.ObjectOf(x).(*types.Var)
		if !ok {
			return nil, false
		}
		if aggregate(v.Type()) {
			return append(e.variable(s, v, part{-1, p.field}, hops), e.changes(s, x, p.field, hops)...), true
		}
		if isPointer(v.Type()) {
			list := e.changes(s, x, p.field, hops)
			if len(list) == 0 {
				list = e.variable(s, v, part{-1, p.field}, hops) // the one it points to is made there
			}
			return list, true
		}
	case *ast.SelectorExpr:
		if sel := info.Selections[x]; sel == nil || sel.Kind() != types.FieldVal {
			return nil, false
		}
		object, field, _ := s.fn.operand(x)
		if object == nil {
			of := e.promoted(s, x)
			if of == nil || isPointer(typeOf(s.fn, x)) && p.field != "" {
				return nil, true
			}
			return e.changesOf(s, of, e.f.shortSource(s.fn, x.X), joined(field, p.field), hops), true
		}
		if field == "" {
			return nil, true
		}
		if isPointer(typeOf(s.fn, x)) && p.field != "" {
			return e.changes(s, x, p.field, hops), true
		}
		if at := ast.Unparen(object); container(typeOf(s.fn, object)) {
			return e.changes(s, at, joined(field, p.field), hops), true
		}
		return e.fieldOf(s, object, part{-1, joined(field, p.field)}, hops)
	case *ast.IndexExpr:
		if isPointer(typeOf(s.fn, x)) && p.field != "" {
			return e.changes(s, x, p.field, hops), true
		}
		if container(info.TypeOf(x.X)) {
			field := p.field
			if _, slice := source.Core(info.TypeOf(x.X)).(*types.Slice); slice {
				field = joined(elements, field)
			} else {
				field = ""
			}
			return e.changes(s, x.X, field, hops), true
		}
	case *ast.StarExpr:
		return e.changes(s, x.X, p.field, hops), true
	case *ast.CallExpr:
		if id, ok := ast.Unparen(x.Fun).(*ast.Ident); ok && id.Name == "append" && info.Types[x.Fun].IsBuiltin() {
			var list []*Reason
			for _, v := range x.Args[1:] {
				list = append(list, e.value(s, v, part{-1, strings.TrimPrefix(strings.TrimPrefix(p.field, elements), ".")}, hops)...)
			}
			return list, true
		}
		if !info.Types[x.Fun].IsType() {
			return e.returned(s, x, p, hops)
		}
	}
	return nil, false
}

// element are the reasons of the value that a literal gives a field.
func (e *explainer) element(s step, lit *ast.CompositeLit, field string, hops int) []*Reason {
	first, rest, _ := strings.Cut(field, ".")
	for i, elt := range lit.Elts {
		name, x := "", elt
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok {
				name = id.Name
			}
			x = kv.Value
		} else if st, ok := typeOf(s.fn, lit).Underlying().(*types.Struct); ok && i < st.NumFields() {
			name = st.Field(i).Name()
		}
		if name == first && e.seen.first(elt, s.a) {
			r := e.reason(s.fn, elt, false)
			r.Text = fmt.Sprintf("%s: %s", name, e.f.shortSource(s.fn, x))
			r.Why = e.value(s, x, part{-1, rest}, hops-1)
			return []*Reason{r}
		}
	}
	if st := structOf(typeOf(s.fn, lit)); st != nil && fieldNamed(st, first) && e.seen.first(lit, s.a) {
		r := e.reason(s.fn, lit, false)
		r.Lacks = fmt.Sprintf("it leaves out %s", first)
		return []*Reason{r}
	}
	return nil
}

// fieldNamed reports whether a struct has a field of a name itself.
func fieldNamed(st *types.Struct, name string) bool {
	for v := range st.Fields() {
		if v.Name() == name {
			return true
		}
	}
	return false
}

// argument are the reasons of a parameter's value: those of what it was given.
func (e *explainer) argument(s step, param int, p part, hops int) []*Reason {
	at, c := e.f.calledFrom(s.fn, s.a)
	if c == nil {
		return nil
	}
	return e.value(at, c.argument(s.fn, param), p, hops) // it is the same value
}

// returned are the reasons of what a call gave: the return statements that were executed,
// and those that were not. It is not known of functions that are not recorded.
func (e *explainer) returned(s step, x *ast.CallExpr, p part, hops int) (list []*Reason, known bool) {
	defer func() { list = distinct(list) }()
	n := slices.IndexFunc(s.fn.calls, func(c *call) bool { return c.expr == x })
	if n < 0 {
		return nil, false
	}
	if fn := s.fn.calls[n].external; fn != nil {
		if path := ofModule(fn); path != "" {
			e.outside = append(e.outside, path)
		}
		return nil, false
	}
	for _, a := range s.trace[s.i].calls {
		if !slices.Contains(s.fn.calls[n].callees, a.Func) || e.f.program.funcs[a.Func] == nil {
			continue
		}
		fn := e.f.program.funcs[a.Func]
		at, ret := e.f.lastReturn(fn, a)
		if ret == nil || !e.seen.first(ret, a) {
			continue
		}
		r := e.reason(fn, ret, false)
		r.node = at.trace[at.i].node
		r.Branch = e.f.ledTo(at, step{fn: fn, a: a, trace: at.trace, i: len(at.trace) - 1})
		switch {
		case len(ret.Results) == 0:
			for i, v := range fn.results() {
				if p.result < 0 || i == p.result {
					r.Why = append(r.Why, e.variable(at, v, part{-1, p.field}, hops-1)...)
				}
			}
		case len(ret.Results) == 1:
			r.Why = e.value(at, ret.Results[0], p, hops-1)
		case p.result >= 0 && p.result < len(ret.Results):
			r.Why = e.value(at, ret.Results[p.result], part{-1, p.field}, hops-1)
		default:
			for _, x := range ret.Results {
				r.Why = append(r.Why, e.value(at, x, whole, hops-1)...)
			}
		}
		r.Why = e.control(r, hops-1)
		list = append(list, r)
		for _, other := range fn.graph.nodes {
			if _, ok := other.at.(*ast.ReturnStmt); ok && other != r.node && !e.seen.known(other.at, a) {
				list = append(list, e.omitted(at, other)...)
			}
		}
		break
	}
	return list, true
}

// contents are the reasons of what a function that is not recorded may have read: changes of
// the objects that it was given.
func (e *explainer) contents(s step, x *ast.CallExpr, hops int) []*Reason {
	var list []*Reason
	for _, c := range s.fn.calls {
		if c.expr != x {
			continue
		}
		for _, v := range c.operands {
			if !isPointer(typeOf(s.fn, v)) && !aggregate(typeOf(s.fn, v)) {
				continue
			}
			if t, ok := e.f.events.is(e.f.program, s.a, v, s.after()); ok {
				e.read = append(e.read, t.of)
			}
			list = append(list, e.changes(s, v, "", hops)...)
		}
	}
	return list
}
