package omission

import (
	"go/ast"
	"go/types"
	"strings"

	"misstep/history"
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
	var list []*Reason
	t, ok := e.f.events.is(e.f.program, s.a, object, s.after())
	if !ok {
		return nil
	}
	c := e.change(changed{t.of, field}, e.f.shortSource(s.fn, object))
	if c == nil {
		return nil
	}
	if last, op := e.lastChange(s, c); last != nil && !e.seen[op.expr] {
		e.seen[op.expr] = true
		r := e.reason(last.fn, op.expr, false)
		r.node, r.expr = op.node, op.expr
		r.Branch = e.f.ledTo(*last, step{last.fn, last.a, last.trace, len(last.trace) - 1})
		switch x := op.expr.(type) {
		case *ast.AssignStmt:
			for _, v := range x.Rhs {
				r.Why = append(r.Why, e.value(*last, v, part{-1, c.of.rest(op.field)}, hops-1)...)
			}
		case *ast.CallExpr:
			for _, v := range x.Args {
				if v != op.operand {
					_, field, _ := strings.Cut(c.of.Field, elements+".")
					r.Why = append(r.Why, e.value(*last, v, part{-1, field}, hops-1)...)
				}
			}
		}
		list = append(list, r)
	} else if last == nil {
		list = append(list, e.madeWith(s, t.of, field, hops)...)
	}
	for _, b := range c.omitted {
		for _, op := range b.Operations {
			br := op.Branches[0]
			if op.Kind != Write || op.Distance > 1 || e.seen[op.expr] || len(br.Moments) == 0 || br.Moments[0].Time >= s.time() {
				continue
			}
			e.seen[op.expr] = true
			list = append(list, &Reason{Text: op.Text, Place: op.Place, Func: op.Func, Omitted: true, Branch: br, node: op.node, expr: op.expr})
			if len(list) == maxReasons/2 {
				return list
			}
		}
	}
	return list
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
	if !ok || e.seen[lit] {
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
				e.seen[lit] = true
				return e.element(step{fn, a, trace, n}, lit, field, hops-1)
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
	sub.Vars = map[types.Object]bool{}
	if k.field == "" || sub.Type != nil && sub.Of(k.field) == nil {
		list, ops, _ := e.f.find(e.ctx, sub, Options{Calls: reasonCalls})
		c = &change{sub, ops, list}
	}
	e.found[k] = c
	return c
}

// lastChange is the last change of an object before a step, where a history shows that it
// was it.
func (e *explainer) lastChange(s step, c *change) (*step, *operation) {
	var best *step
	var what *operation
	for id, ops := range c.ops {
		f, acts := e.f.program.funcs[id], e.f.events.byFunc[id]
		if len(acts) == 0 {
			continue
		}
		for _, op := range ops {
			if op.kind != Write || op.operand == nil {
				continue
			}
			end := sortedBefore(acts, s.time())
			for k := end - 1; k >= max(0, end-maxLooked); k-- {
				if best != nil && acts[k].End >= 0 && acts[k].End < best.time() {
					break
				}
				trace := e.f.trace(f, acts[k])
				for i := len(trace) - 1; i >= 0; i-- {
					if trace[i].node != op.node || trace[i].time >= s.time() {
						continue
					}
					if t, ok := e.f.events.is(e.f.program, acts[k], op.operand, trace[i].time); ok && c.of.at(f, t, goal{op: op, operand: op.operand}) == subject && (best == nil || trace[i].time > best.time()) {
						best, what = &step{f, acts[k], trace, i}, op
					}
					break
				}
			}
		}
	}
	return best, what
}
