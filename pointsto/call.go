package pointsto

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// call makes the constraints of a call, of whatever kind.
func (a *analysis) call(site ssa.CallInstruction) {
	c := site.Common()
	results := -1
	v, _ := site.(*ssa.Call)
	if v != nil && a.lay.points(v.Type()) {
		results = a.value(v)
	}
	if b, ok := c.Value.(*ssa.Builtin); ok {
		a.builtin(v, b.Name(), c.Args, results)
		return
	}
	if c.IsInvoke() {
		a.on(a.value(c.Value), invokeUse{site})
		return
	}
	if fn := c.StaticCallee(); fn != nil {
		a.connect(site, fn, -1)
		return
	}
	a.on(a.value(c.Value), enterUse{site})
}

// results is the row of a call's results, or -1.
func (a *analysis) results(site ssa.CallInstruction) int {
	if v, ok := site.(*ssa.Call); ok && a.lay.points(v.Type()) {
		return a.value(v)
	}
	return -1
}

type invokeUse struct{ site ssa.CallInstruction }

// apply calls the method of a value in an interface.
func (u invokeUse) apply(a *analysis, target int) {
	o := a.of(target)
	c := u.site.Common()
	switch {
	case !o.Tag:
	case o.group != nil:
		a.borrow(u.site, o.group, c.Method.Signature(), passing[c.Method.Name()])
	default:
		if m := a.method(o.lay, c.Method); m != nil && a.mayCall(c, m.Signature) {
			a.connect(u.site, m, o.start)
		}
	}
}

type enterUse struct{ site ssa.CallInstruction }

// apply calls a function value.
func (u enterUse) apply(a *analysis, target int) {
	switch o := a.of(target); {
	case o.Fn != nil && a.mayCall(u.site.Common(), o.Fn.Signature):
		a.connect(u.site, o.Fn, -1)
	case o.group != nil && !o.Tag:
		if sig, ok := o.Type.Underlying().(*types.Signature); ok {
			a.borrow(u.site, o.group, sig, false)
		}
	}
}

// mayCall reports whether a dynamic call can be one of a function: an object of another type may be thought to be there, with
// a method of the same name and other results.
func (a *analysis) mayCall(c *ssa.CallCommon, fn *types.Signature) bool {
	sig := c.Signature()
	return a.sameRows(sig.Params(), fn.Params()) && a.sameRows(sig.Results(), fn.Results())
}

// sameRows reports whether two lists of parameters have rows of the same lengths.
func (a *analysis) sameRows(x, y *types.Tuple) bool {
	if x.Len() != y.Len() {
		return false
	}
	for i := range x.Len() {
		if p, q := a.lay.of(x.At(i).Type()), a.lay.of(y.At(i).Type()); p.size != q.size || p.points != q.points {
			return false
		}
	}
	return true
}

type lookup struct {
	typ    int
	method *types.Func
}

// method is the method of a dynamic type; nil if it has none, as may be after a
// conversion that the type system knows nothing of.
func (a *analysis) method(lay *layout, m *types.Func) *ssa.Function {
	key := lookup{lay.id, m}
	fn, ok := a.lookups[key]
	if !ok {
		if sel := a.prog.MethodSets.MethodSet(lay.typ).Lookup(m.Pkg(), m.Name()); sel != nil {
			fn = a.prog.MethodValue(sel)
		}
		a.lookups[key] = fn
	}
	return fn
}

// connect passes a call's arguments to a function, with the row of the receiver of an
// interface's method, and its results back.
func (a *analysis) connect(site ssa.CallInstruction, fn *ssa.Function, receiver int) {
	fns := a.callees[site]
	if fns == nil {
		fns = map[*ssa.Function]bool{}
		a.callees[site] = fns
	}
	f := a.take(fn)
	known := fns[fn]
	fns[fn] = true
	params := f.params
	types := f.types
	if receiver >= 0 {
		if len(params) == 0 {
			return
		}
		// A receiver may come with each new object.
		if to := a.receiver(site, f); to >= 0 && a.lay.points(types[0]) {
			a.copyRow(to, receiver, a.lay.size(types[0]))
		}
		params, types = params[1:], types[1:]
	}
	if known {
		return
	}
	args := site.Common().Args
	if l := locals[nameOf(fn)]; l != nil {
		a.localCall(site, f, l)
		return
	}
	for n, x := range args {
		if n < len(params) && a.lay.points(types[n]) {
			a.copyRow(params[n], a.value(x), a.lay.size(types[n]))
		}
	}
	if to := a.results(site); to >= 0 {
		a.copyRow(to, f.results, a.lay.size(fn.Signature.Results()))
	}
}

// receiver is where the receiver of an interface's method goes.
func (a *analysis) receiver(site ssa.CallInstruction, f *function) int {
	if locals[nameOf(f.fn)] != nil {
		return -1
	}
	return f.params[0]
}

func (a *analysis) builtin(v *ssa.Call, name string, args []ssa.Value, results int) {
	// Elements of slices of what does not point are not followed.
	elements := func(x ssa.Value) *layout {
		if s, ok := x.Type().Underlying().(*types.Slice); ok {
			if lay := a.lay.of(s.Elem()); lay.points {
				return lay
			}
		}
		return nil
	}
	switch name {
	case "append":
		if v == nil {
			return
		}
		o := a.object(&Object{At: v, Type: v.Type()}, a.lay.contents(a.lay.of(v.Type())))
		a.copy(results, a.value(args[0]))
		a.point(results, o.first)
		lay := elements(v)
		if lay == nil {
			return
		}
		a.copyRow(o.start, a.loaded(a.value(args[0]), 0, lay.size), lay.size)
		if len(args) > 1 && elements(args[1]) != nil {
			a.store(results, 0, a.loaded(a.value(args[1]), 0, lay.size), lay.size)
		}
	case "copy":
		if lay := elements(args[0]); lay != nil && elements(args[1]) != nil {
			a.store(a.value(args[0]), 0, a.loaded(a.value(args[1]), 0, lay.size), lay.size)
		}
	case "Add":
		if results >= 0 {
			a.on(a.value(args[0]), spreadUse{results})
		}
	case "recover":
		if results >= 0 {
			a.copy(results, a.panics)
			a.point(results, a.group("faults").opaque().first)
		}
	}
}
