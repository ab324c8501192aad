package omission

import (
	"cmp"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"misstep/history"
	"misstep/internal/source"
)

// changed is an object of which changes are looked for, or one of its fields.
type changed struct {
	of    *history.Instance
	field string
}

// A change is what may change an object, and which of that did not happen.
type change struct {
	of      *Subject
	ops     [][]*operation // of functions, by number
	omitted []*Balloon
}

// changes are those of an object, or of a field of it, before a step: the last that
// happened, and what was omitted.
func (e *explainer) changes(s step, object ast.Expr, field string, hops int) []*Reason {
	t, ok := e.f.events.is(e.f.program, s.a, object, s.after())
	if !ok {
		return nil
	}
	return e.changesOf(s, t.of, e.f.shortSource(s.fn, object), field, hops)
}

// changesOf are those of an instance.
func (e *explainer) changesOf(s step, of *history.Instance, name, field string, hops int) []*Reason {
	var list []*Reason
	c := e.change(changed{of, field}, name)
	if c == nil {
		return nil
	}
	happened := e.lastChanges(s, c)
	for _, h := range happened {
		last, op := h.step, h.op
		if e.length && op.intoElement() {
			continue // an element that is another makes nothing longer
		}
		if !e.seen.first(op.expr, last.a) {
			continue
		}
		r := e.reason(last.fn, op.expr, false)
		r.node, r.expr = op.node, op.expr
		r.Branch = e.f.ledTo(last, step{fn: last.fn, a: last.a, trace: last.trace, i: len(last.trace) - 1})
		switch x := op.expr.(type) {
		case *ast.AssignStmt:
			for _, v := range x.Rhs {
				r.Why = append(r.Why, e.value(last, v, part{-1, c.of.rest(op.field)}, hops-1)...)
			}
		case *ast.CallExpr:
			for _, v := range x.Args {
				if v != op.operand {
					_, field, _ := strings.Cut(c.of.Field, elements+".")
					r.Why = append(r.Why, e.value(last, v, part{-1, field}, hops-1)...)
				}
			}
			// What is put into it may be what the receiver holds, as of a template.
			if recv := last.fn.receiver(x); recv != nil && recv != op.operand {
				r.Why = append(r.Why, e.value(last, recv, whole, hops-1)...)
			}
		}
		if op.adds() {
			r.Why = append(r.Why, e.over(last, hops-1)...)
		}
		if op.adds() { // what was not added matters more than what was
			list = append(list, e.skipped(s, last)...)
		}
		list = append(list, r)
	}
	if len(happened) == 0 {
		list = append(list, e.madeWith(s, of, field, hops)...)
	}
	for _, b := range c.omitted {
		for _, op := range b.Operations {
			if op.Kind != Write || op.Distance > 1 || e.seen.known(op.expr, nil) {
				continue
			}
			if e.length && op.goal.op.intoElement() {
				continue
			}
			for _, br := range op.Branches[:min(len(op.Branches), maxReasons/2)] {
				if len(br.Moments) == 0 || br.Moments[0].Time >= s.time() {
					continue
				}
				e.seen.first(op.expr, nil)
				own := *br // others that it is a reason of have verdicts of their own
				list = append(list, &Reason{Text: op.written, Place: op.Place, Func: op.Func, Omitted: true, Maybe: !op.Sure, Branch: &own, node: op.node, expr: op.expr})
				if len(list) >= maxReasons/2 {
					return list
				}
			}
		}
	}
	return list
}

// over are the reasons of a step in a loop over elements for which it was done: what they are elements of, as there is no further one.
func (e *explainer) over(s step, hops int) []*Reason {
	at := s.trace[s.i].node.at
	for i := s.i - 1; i >= 0 && at != nil && hops > 0; i-- {
		loop, ok := s.trace[i].node.at.(*ast.RangeStmt)
		if !ok || at.Pos() < loop.Body.Pos() || loop.Body.End() < at.End() {
			continue
		}
		if !e.seen.first(loop, s.a) {
			return nil
		}
		r := e.reason(s.fn, loop, false)
		r.node = s.trace[i].node
		r.Why = e.value(step{fn: s.fn, a: s.a, trace: s.trace, i: i}, loop.X, whole, hops-1)
		return []*Reason{r}
	}
	return nil
}

// madeWith are the reasons of what the literal that made an object gave a field.
func (e *explainer) madeWith(s step, i *history.Instance, field string, hops int) []*Reason {
	if i.Made < 0 || field == "" {
		return nil
	}
	site := e.f.plan.Sites[i.Made]
	x, fn := e.f.events.exprs[i.Made], e.f.program.funcs[site.Func]
	if x == nil || fn == nil {
		return nil
	}
	if u, ok := ast.Unparen(x).(*ast.UnaryExpr); ok {
		x = u.X
	}
	lit, ok := ast.Unparen(x).(*ast.CompositeLit)
	if !ok {
		return nil
	}
	acts := e.f.events.byFunc[fn.id]
	for k := sortedBefore(acts, i.First+1) - 1; k >= 0; k-- {
		a := acts[k]
		if a.End >= 0 && a.End < i.First {
			continue
		}
		trace := e.f.trace(fn, a)
		for n := len(trace) - 1; n >= 0; n-- {
			if at := trace[n].node.at; at != nil && at.Pos() <= lit.Pos() && lit.End() <= at.End() && trace[n].time <= i.First {
				if !e.seen.first(lit, a) {
					return nil
				}
				return e.element(step{fn: fn, a: a, trace: trace, i: n}, lit, field, hops-1)
			}
		}
		break
	}
	return nil
}

// rest is what of a value, that is given to a field, or to one around the field of interest,
// is of interest.
func (s *Subject) rest(field string) string {
	wanted := numbers.ReplaceAllString(s.Field, elements)
	if field == "" || !strings.HasPrefix(wanted, field) {
		return ""
	}
	return strings.TrimPrefix(strings.TrimPrefix(wanted, field), ".")
}

// reasonCalls is how many functions chains to changes may have.
const reasonCalls = 3

// change finds what may change an object, or a field of it; nil if there is no such.
func (e *explainer) change(k changed, name string) *change {
	c, ok := e.found[k]
	if ok {
		return c
	}
	sub := e.f.ofInstances(name, e.f.grown([]*history.Instance{k.of}))
	if !aggregate(sub.Type) {
		sub.Vars = map[types.Object]bool{} // what is assigned to it is another step
	}
	if k.field == "" || sub.Type != nil && sub.Of(k.field) == nil {
		list, ops, _ := e.f.find(e.ctx, sub, Options{Calls: reasonCalls})
		c = &change{sub, ops, list}
	}
	e.found[k] = c
	return c
}

// A happened is a change that happened, and when last.
type happened struct {
	step
	op *operation
}

// maxChanges is how many changes of an object are followed that each add to it.
const maxChanges = 6

// lastChanges are the last change of an object before a step, where a history shows that it
// was it; of what changes add to, as a writer, the last of each place, the latest first.
func (e *explainer) lastChanges(s step, c *change) []happened {
	var list []happened
	for id, ops := range c.ops {
		f, acts := e.f.program.funcs[id], e.f.events.byFunc[id]
		if len(acts) == 0 {
			continue
		}
		for _, op := range ops {
			if op.kind != Write || op.operand == nil {
				continue
			}
			end := sortedBefore(acts, s.time()+1)
			for k := end - 1; k >= max(0, end-maxLooked); k-- {
				if len(list) > 0 && !op.adds() && acts[k].End >= 0 && acts[k].End < list[0].time() {
					break
				}
				if at, ok := e.happenedIn(s, c, f, acts[k], op); ok {
					list = append(list, happened{at, op})
					slices.SortStableFunc(list, func(x, y happened) int { return cmp.Compare(y.time(), x.time()) })
					break
				}
			}
		}
	}
	if len(list) == 0 || !list[0].op.adds() {
		return list[:min(len(list), 1)]
	}
	list = slices.DeleteFunc(list, func(h happened) bool { return !h.op.adds() })
	return list[:min(len(list), maxChanges)]
}

// happenedIn is when an operation happened last in an activation to an object, before a step.
func (e *explainer) happenedIn(s step, c *change, f *function, a *history.Activation, op *operation) (step, bool) {
	trace := e.f.trace(f, a)
	for i := len(trace) - 1; i >= 0; i-- {
		before := trace[i].time < s.time()
		if a == s.a {
			before = i < s.i // not each step has an event
		}
		if trace[i].node != op.node || !before {
			continue
		}
		at := step{fn: f, a: a, trace: trace, i: i}
		t, ok := e.f.events.is(e.f.program, a, op.operand, trace[i].time)
		if !ok {
			// A statement that calls something before it stores does not say what it stores into. If it is one of a type, and there
			// was one of that type only, it was that.
			return at, e.f.only(c.of, typeOf(f, op.operand))
		}
		return at, c.of.at(f, t, goal{op: op, operand: op.operand}) == subject
	}
	return step{}, false
}

// intoElement reports whether an operation stores into an element of the slice that its field holds.
func (op *operation) intoElement() bool {
	st, ok := op.expr.(*ast.AssignStmt)
	if !ok {
		return false
	}
	field := op.field[strings.LastIndexByte(op.field, '.')+1:]
	for _, x := range st.Lhs {
		for x != nil {
			switch y := ast.Unparen(x).(type) {
			case *ast.IndexExpr:
				_, slice := typeOf(op.fn, y.X).Underlying().(*types.Slice)
				return slice
			case *ast.SelectorExpr:
				if y.Sel.Name == field {
					return false
				}
				x = y.X
			case *ast.StarExpr:
				x = y.X
			default:
				x = nil
			}
		}
	}
	return false
}

// adds reports whether a change leaves what was there before: a call of a method or a
// function, as of a writer, or an element of a map or a slice.
func (op *operation) adds() bool {
	switch x := op.expr.(type) {
	case *ast.CallExpr:
		return true
	case *ast.AssignStmt:
		for _, l := range x.Lhs {
			if at, ok := ast.Unparen(l).(*ast.IndexExpr); ok && at.X == op.operand {
				if _, isMap := source.Core(typeOf(op.fn, at.X)).(*types.Map); isMap {
					return true
				}
			}
		}
	}
	return op.field == elements
}

// only reports whether a subject is the only object of a type, or one that a pointer to the type is, in the run.
func (f *Finder) only(s *Subject, t types.Type) bool {
	if s.Type == nil || len(s.Instances) != 1 {
		return false
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if !types.Identical(t, s.Type) && !s.embeddedIn(t) {
		return false
	}
	mine := byFirst(s.Instances)[0]
	return !slices.ContainsFunc(f.events.instances.All, func(i *history.Instance) bool { return i != mine && i.Type == mine.Type })
}

// embeddedIn reports whether a struct embeds an interface that the subject may be.
func (s *Subject) embeddedIn(t types.Type) bool {
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range st.Fields() {
		if f.Embedded() && types.IsInterface(f.Type()) && s.fits(f.Type()) {
			return true
		}
	}
	return false
}
