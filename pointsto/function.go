package pointsto

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// function is what is known of a function.
type function struct {
	fn      *ssa.Function
	object  *Object
	params  []int // the receiver first
	types   []types.Type
	results int
	taken   bool
}

// function makes the rows of a function, which is not taken in before it is called.
func (a *analysis) function(fn *ssa.Function) *function {
	f := a.funcs[fn]
	if f == nil {
		f = &function{fn: fn}
		a.funcs[fn] = f
		f.object = a.object(&Object{At: fn, Fn: fn, Type: fn.Type()}, a.lay.of(fn.Type()))
		f.types = parameters(fn)
		for _, t := range f.types {
			f.params = append(f.params, a.slotsFor(t))
		}
		f.results = a.slotsFor(fn.Signature.Results())
	}
	return f
}

// slotsFor is a new row for values of a type.
func (a *analysis) slotsFor(t types.Type) int {
	lay := a.lay.of(t)
	if !lay.points {
		return a.nothing(lay.size)
	}
	return a.row(lay.size)
}

// parameters are the types of a function's parameters, of which the receiver is one.
func parameters(fn *ssa.Function) []types.Type {
	var list []types.Type
	if len(fn.Params) > 0 {
		for _, p := range fn.Params {
			list = append(list, p.Type())
		}
		return list
	}
	// Those of functions without bodies are not made before they are built.
	if r := fn.Signature.Recv(); r != nil {
		list = append(list, r.Type())
	}
	for v := range fn.Signature.Params().Variables() {
		list = append(list, v.Type())
	}
	return list
}

// take takes a function in that is called.
func (a *analysis) take(fn *ssa.Function) *function {
	f := a.function(fn)
	if !f.taken {
		f.taken = true
		for i, p := range fn.Params {
			a.values[p] = f.params[i]
		}
		a.pending = append(a.pending, f)
	}
	return f
}

// body makes the constraints of a function.
func (a *analysis) body(f *function) {
	name := nameOf(f.fn)
	if m := also[name]; m != nil {
		m(a, f)
	}
	if m := models[name]; m != nil {
		m(a, f)
		return
	}
	if isOpaque(f.fn) {
		a.library(f)
		return
	}
	for _, b := range f.fn.Blocks {
		for _, instr := range b.Instrs {
			a.instruction(f, instr)
		}
	}
}

// nameOf is a function's name, for an instance that of the generic function.
func nameOf(fn *ssa.Function) string {
	if fn.Origin() != nil {
		fn = fn.Origin()
	}
	return fn.String()
}

// packageOf is the package that declares a function, or nil.
func packageOf(fn *ssa.Function) *types.Package {
	if fn.Origin() != nil {
		fn = fn.Origin()
	}
	switch {
	case fn.Pkg != nil:
		return fn.Pkg.Pkg
	case fn.Object() != nil:
		return fn.Object().Pkg()
	case fn.Parent() != nil:
		return packageOf(fn.Parent())
	}
	return nil
}

// isOpaque reports whether a function's body is not looked at: because its package is
// described by tables, or as there is none.
func isOpaque(fn *ssa.Function) bool {
	if fn.Synthetic != "" && fn.Origin() == nil && len(fn.Blocks) > 0 && fn.Name() != "init" {
		return false // a wrapper, which calls what may be opaque
	}
	pkg := packageOf(fn)
	if pkg != nil && !byBody(pkg.Path()) {
		return true
	}
	return len(fn.Blocks) == 0
}
