package omission

import (
	"go/ast"
	"go/types"

	"misstep/history"
)

// A field that is promoted through an embedded pointer lies in an object that the text does not name: which one that is follows from what
// the object around it held, or there is only one of the type.

// promoted is the object that a selection leads to through embedded pointers; nil if it does not, or that is not known.
func (e *explainer) promoted(s step, x *ast.SelectorExpr) *history.Instance {
	sel := s.fn.pkg.Info.Selections[x]
	if sel == nil || sel.Kind() != types.FieldVal {
		return nil
	}
	of, _ := embedded(sel)
	if of == nil {
		return nil
	}
	if owner, ok := e.f.events.is(e.f.program, s.a, x.X, s.after()); ok {
		if i := e.heldIn(owner.of, pathToPointer(sel)); i != nil {
			return i
		}
	}
	var one *history.Instance
	for _, i := range e.f.events.instances.All {
		if t := e.f.ofInstances("", []*history.Instance{i}).Type; t == nil || !types.Identical(t, of) {
			continue
		}
		if one != nil {
			return nil
		}
		one = i
	}
	return one
}

// heldIn is what a field of an object held the last time that this was seen; nil if it was not.
func (e *explainer) heldIn(owner *history.Instance, field string) (last *history.Instance) {
	var when int64
	for _, fn := range e.f.program.funcs {
		if fn == nil || len(e.f.events.byFunc[fn.id]) == 0 {
			continue
		}
		acts := e.f.events.byFunc[fn.id]
		for x, h := range fn.holdings() {
			if h.given || h.field != field {
				continue
			}
			for _, a := range acts[max(0, len(acts)-maxLooked):] {
				if o, ok := e.f.events.is(e.f.program, a, h.owner, a.End); !ok || o.of != owner {
					continue
				}
				if t, ok := e.f.events.is(e.f.program, a, x, a.End); ok && t.time >= when {
					last, when = t.of, t.time
				}
			}
		}
	}
	return last
}

// pathToPointer is the path of the embedded pointer that a selection leads through, if that is the only one.
func pathToPointer(sel *types.Selection) string {
	t := sel.Recv()
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	path, pointers := "", 0
	for _, n := range sel.Index()[:len(sel.Index())-1] {
		st, ok := t.Underlying().(*types.Struct)
		if !ok || pointers > 0 && isPointer(st.Field(n).Type()) {
			return ""
		}
		if pointers == 0 {
			path = joined(path, st.Field(n).Name())
		}
		t = st.Field(n).Type()
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
			pointers++
		}
	}
	return path
}
