package pointsto

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// value is the row of a value.
func (a *analysis) value(v ssa.Value) int {
	if at, ok := a.values[v]; ok {
		return at
	}
	at := a.row(a.lay.size(v.Type()))
	a.values[v] = at
	switch v := v.(type) {
	case *ssa.Function:
		a.point(at, a.function(v).object.start)
	case *ssa.Global:
		a.point(at, a.global(v).start)
	}
	return at
}

func (a *analysis) global(g *ssa.Global) *Object {
	o := a.globals[g]
	if o == nil {
		t := g.Type().Underlying().(*types.Pointer).Elem()
		o = a.object(&Object{At: g, Type: t}, a.lay.size(t))
		a.globals[g] = o
	}
	return o
}

// function is what is known of a function; it is not taken in before it is called.
func (a *analysis) function(fn *ssa.Function) *function {
	f := a.funcs[fn]
	if f == nil {
		f = &function{fn: fn}
		f.object = a.object(&Object{At: fn, Fn: fn, Type: fn.Type()}, 1)
		f.results = a.row(a.lay.size(fn.Signature.Results()))
		a.funcs[fn] = f
	}
	return f
}

// take takes a function in that is called.
func (a *analysis) take(fn *ssa.Function) *function {
	f := a.function(fn)
	if !f.taken {
		f.taken = true
		// Parameters and bodies are there once the package is built.
		if fn.Pkg != nil {
			fn.Pkg.Build()
		} else if fn.Origin() != nil && fn.Origin().Pkg != nil {
			fn.Origin().Pkg.Build()
		}
		a.pending = append(a.pending, fn)
	}
	return f
}

// body makes the constraints of a function.
func (a *analysis) body(fn *ssa.Function) {
	if a.intrinsic(fn) {
		return
	}
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			a.instruction(fn, instr)
		}
	}
}

// allocate makes an object for an instruction, and lets a slot point to it.
func (a *analysis) allocate(dst int, v ssa.Value, t types.Type, n int) *Object {
	o := a.object(&Object{At: v, Type: t}, n)
	a.point(dst, o.start)
	return o
}

func (a *analysis) instruction(fn *ssa.Function, instr ssa.Instruction) {
	v, isValue := instr.(ssa.Value)
	if isValue {
		if _, calls := instr.(ssa.CallInstruction); !calls && !a.lay.pointerlike(v.Type()) {
			return
		}
	}
	same := func(x ssa.Value) { a.copyRow(a.value(v), a.value(x), a.lay.size(v.Type())) }
	switch i := instr.(type) {
	case *ssa.Alloc:
		t := i.Type().Underlying().(*types.Pointer).Elem()
		a.allocate(a.value(i), i, t, a.lay.size(t))
	case *ssa.MakeSlice, *ssa.MakeChan, *ssa.MakeMap:
		a.allocate(a.value(v), v, v.Type(), a.lay.content(v.Type()))
	case *ssa.MakeInterface:
		if !a.lay.pointerlike(i.X.Type()) {
			// What it holds points to nothing, but its type says which methods are called.
			o := a.object(&Object{At: i, Instr: i, Type: i.X.Type(), Tag: true}, 1)
			a.point(a.value(i), o.start)
			return
		}
		o := a.object(&Object{At: i, Instr: i, Type: i.X.Type(), Tag: true}, a.lay.size(i.X.Type()))
		a.copyRow(o.start, a.value(i.X), o.size)
		a.point(a.value(i), o.start)
	case *ssa.MakeClosure:
		inner := i.Fn.(*ssa.Function)
		for n, b := range i.Bindings {
			free := inner.FreeVars[n]
			a.copyRow(a.value(free), a.value(b), a.lay.size(free.Type()))
		}
		a.point(a.value(i), a.function(inner).object.start)
	case *ssa.Phi:
		for _, e := range i.Edges {
			same(e)
		}
	case *ssa.ChangeType:
		same(i.X)
	case *ssa.ChangeInterface:
		same(i.X)
	case *ssa.Convert:
		if a.lay.size(i.X.Type()) == a.lay.size(i.Type()) && a.lay.pointerlike(i.X.Type()) {
			same(i.X)
		} else if _, slice := i.Type().Underlying().(*types.Slice); slice {
			a.allocate(a.value(i), i, i.Type(), 1) // of a string
		}
	case *ssa.MultiConvert:
		if a.lay.size(i.X.Type()) == a.lay.size(i.Type()) {
			same(i.X)
		}
	case *ssa.SliceToArrayPointer:
		same(i.X)
	case *ssa.Slice:
		same(i.X)
	case *ssa.FieldAddr:
		t := i.X.Type().Underlying().(*types.Pointer).Elem()
		a.shift(a.value(i), a.value(i.X), a.lay.offset(t, i.Field))
	case *ssa.Field:
		a.copyRow(a.value(i), a.value(i.X)+a.lay.offset(i.X.Type(), i.Field), a.lay.size(i.Type()))
	case *ssa.IndexAddr:
		a.copy(a.value(i), a.value(i.X))
	case *ssa.Index:
		if _, array := i.X.Type().Underlying().(*types.Array); array {
			same(i.X)
		}
	case *ssa.UnOp:
		n := a.lay.size(i.Type())
		switch i.Op {
		case token.MUL:
			a.load(a.value(i), a.value(i.X), 0, n)
		case token.ARROW:
			elem := i.X.Type().Underlying().(*types.Chan).Elem()
			a.load(a.value(i), a.value(i.X), 0, a.lay.size(elem))
		}
	case *ssa.Lookup:
		if m, ok := i.X.Type().Underlying().(*types.Map); ok {
			a.load(a.value(i), a.value(i.X), a.lay.size(m.Key()), a.lay.size(m.Elem()))
		}
	case *ssa.Range:
		a.copy(a.value(i), a.value(i.X))
	case *ssa.Next:
		if i.IsString {
			return
		}
		m := i.Iter.(*ssa.Range).X.Type().Underlying().(*types.Map)
		// The tuple is ok, key, value; what is not used has no type.
		t := i.Type().(*types.Tuple)
		if a.lay.size(t.At(1).Type()) == a.lay.size(m.Key()) {
			a.load(a.value(i)+a.lay.extract(t, 1), a.value(i.Iter), 0, a.lay.size(m.Key()))
		}
		if a.lay.size(t.At(2).Type()) == a.lay.size(m.Elem()) {
			a.load(a.value(i)+a.lay.extract(t, 2), a.value(i.Iter), a.lay.size(m.Key()), a.lay.size(m.Elem()))
		}
	case *ssa.Extract:
		t := i.Tuple.Type().(*types.Tuple)
		a.copyRow(a.value(i), a.value(i.Tuple)+a.lay.extract(t, i.Index), a.lay.size(i.Type()))
	case *ssa.TypeAssert:
		a.assert(i)
	case *ssa.Select:
		a.selects(i)
	case *ssa.Store:
		if a.lay.pointerlike(i.Val.Type()) {
			a.store(a.value(i.Addr), 0, a.value(i.Val), a.lay.size(i.Val.Type()))
		}
	case *ssa.MapUpdate:
		k := a.lay.size(i.Key.Type())
		a.store(a.value(i.Map), 0, a.value(i.Key), k)
		a.store(a.value(i.Map), k, a.value(i.Value), a.lay.size(i.Value.Type()))
	case *ssa.Send:
		a.store(a.value(i.Chan), 0, a.value(i.X), a.lay.size(i.X.Type()))
	case *ssa.Panic:
		a.copy(a.panics, a.value(i.X))
	case *ssa.Return:
		at := a.function(fn).results
		for _, r := range i.Results {
			n := a.lay.size(r.Type())
			a.copyRow(at, a.value(r), n)
			at += n
		}
	case ssa.CallInstruction:
		a.call(i)
	}
}

// assert makes the constraints of x.(T).
func (a *analysis) assert(i *ssa.TypeAssert) {
	dst, t := a.value(i), i.AssertedType
	inner, isInterface := t.Underlying().(*types.Interface)
	a.on(a.value(i.X), func(a *analysis, target int) {
		o := a.of(target)
		switch {
		case !o.Tag:
		case isInterface:
			if types.Implements(o.Type, inner) {
				a.point(dst, target)
			}
		case types.Identical(o.Type, t) && a.lay.pointerlike(t):
			a.copyRow(dst, o.start, o.size)
		}
	})
}

func (a *analysis) selects(i *ssa.Select) {
	// The tuple is index, ok, and the received values.
	at := a.value(i) + 2
	for _, st := range i.States {
		elem := st.Chan.Type().Underlying().(*types.Chan).Elem()
		n := a.lay.size(elem)
		if st.Dir == types.SendOnly {
			a.store(a.value(st.Chan), 0, a.value(st.Send), n)
			continue
		}
		a.load(at, a.value(st.Chan), 0, n)
		at += n
	}
}

// call makes the constraints of a call, of whatever kind.
func (a *analysis) call(site ssa.CallInstruction) {
	c := site.Common()
	results := -1
	if v, ok := site.(ssa.Value); ok {
		results = a.value(v)
	}
	if b, ok := c.Value.(*ssa.Builtin); ok {
		a.builtin(site, b.Name(), c.Args, results)
		return
	}
	args := make([]int, len(c.Args))
	for n, x := range c.Args {
		args[n] = a.value(x)
	}
	if c.IsInvoke() {
		a.on(a.value(c.Value), func(a *analysis, target int) {
			o := a.of(target)
			if !o.Tag {
				return
			}
			if m := a.lookup(o.Type, c.Method); m != nil {
				a.connect(site, m, append([]int{o.start}, args...), results)
			}
		})
		return
	}
	if fn := c.StaticCallee(); fn != nil {
		if mc, ok := c.Value.(*ssa.MakeClosure); ok {
			a.value(mc)
		}
		a.connect(site, fn, args, results)
		return
	}
	a.on(a.value(c.Value), func(a *analysis, target int) {
		if o := a.of(target); o.Fn != nil {
			a.connect(site, o.Fn, args, results)
		}
	})
}

// lookup is the method of a dynamic type.
func (a *analysis) lookup(t types.Type, m *types.Func) *ssa.Function {
	sel := a.prog.MethodSets.MethodSet(t).Lookup(m.Pkg(), m.Name())
	if sel == nil {
		return nil // a conversion that reflection or unsafe made
	}
	return a.prog.MethodValue(sel)
}

// connect passes arguments to a function and its results back.
func (a *analysis) connect(site ssa.CallInstruction, fn *ssa.Function, args []int, results int) {
	if site != nil {
		if a.callees[site] == nil {
			a.callees[site] = map[*ssa.Function]bool{}
		}
		if a.callees[site][fn] {
			// The receiver may be another object of the same type.
			a.arguments(fn, args)
			return
		}
		a.callees[site][fn] = true
	}
	f := a.take(fn)
	a.arguments(fn, args)
	if results >= 0 {
		if t := fn.Signature.Results(); a.lay.pointerlike(t) {
			a.copyRow(results, f.results, a.lay.size(t))
		}
	}
}

func (a *analysis) arguments(fn *ssa.Function, args []int) {
	for n, p := range fn.Params {
		if n < len(args) && a.lay.pointerlike(p.Type()) {
			a.copyRow(a.value(p), args[n], a.lay.size(p.Type()))
		}
	}
}

func (a *analysis) builtin(site ssa.CallInstruction, name string, args []ssa.Value, results int) {
	switch name {
	case "append":
		v := site.(ssa.Value)
		s, ok := v.Type().Underlying().(*types.Slice)
		if !ok {
			return
		}
		n := a.lay.size(s.Elem())
		o := a.object(&Object{At: v, Instr: site, Type: v.Type()}, n)
		a.copy(results, a.value(args[0]))
		a.point(results, o.start)
		if !a.lay.pointerlike(s.Elem()) {
			return
		}
		a.load(o.start, a.value(args[0]), 0, n)
		if len(args) > 1 {
			if _, slice := args[1].Type().Underlying().(*types.Slice); slice {
				row := a.row(n)
				a.load(row, a.value(args[1]), 0, n)
				a.store(results, 0, row, n)
			}
		}
	case "copy":
		if s, ok := args[0].Type().Underlying().(*types.Slice); ok && a.lay.pointerlike(s.Elem()) {
			n := a.lay.size(s.Elem())
			row := a.row(n)
			a.load(row, a.value(args[1]), 0, n)
			a.store(a.value(args[0]), 0, row, n)
		}
	case "recover":
		if results >= 0 {
			a.copy(results, a.panics)
		}
	case "ssa:wrapnilchk":
		a.copy(results, a.value(args[0]))
	case "Slice", "SliceData", "Add":
		a.copy(results, a.value(args[0]))
	}
}
