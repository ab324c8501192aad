package pointsto

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// instruction makes the constraints of an instruction. Instructions that are their
// values' rows, such as loads, have none before the value is used.
func (a *analysis) instruction(f *function, instr ssa.Instruction) {
	switch i := instr.(type) {
	case ssa.CallInstruction:
		a.call(i)
	case *ssa.Store:
		a.put(i.Addr, 0, i.Val)
	case *ssa.MapUpdate:
		a.put(i.Map, 0, i.Key)
		a.put(i.Map, a.lay.size(i.Key.Type()), i.Value)
	case *ssa.Send:
		a.put(i.Chan, 0, i.X)
	case *ssa.Select:
		for _, st := range i.States {
			if st.Dir == types.SendOnly {
				a.put(st.Chan, 0, st.Send)
			}
		}
		if a.lay.points(i.Type()) {
			a.makes(i)
		}
	case *ssa.Panic:
		a.copy(a.panics, a.value(i.X))
	case *ssa.Return:
		at := f.results
		for _, r := range i.Results {
			n := a.lay.size(r.Type())
			a.copyRow(at, a.value(r), n)
			at += n
		}
	case ssa.Value:
		if a.lay.points(i.Type()) {
			a.makes(i)
		}
	}
}

// put stores a value at an offset of what another points to.
func (a *analysis) put(dst ssa.Value, offset int, v ssa.Value) {
	if lay := a.lay.of(v.Type()); lay.points {
		a.store(a.value(dst), offset, a.value(v), lay.size)
	}
}

// makes makes the constraints of a value that has a row of its own.
func (a *analysis) makes(v ssa.Value) {
	at, lay := a.value(v), a.lay.of(v.Type())
	switch i := v.(type) {
	case *ssa.Alloc:
		to := a.lay.contents(lay)
		a.allocate(at, i, to.typ, to)
	case *ssa.MakeSlice, *ssa.MakeChan, *ssa.MakeMap:
		a.allocate(at, v, v.Type(), a.lay.contents(lay))
	case *ssa.Convert:
		if b, ok := i.X.Type().Underlying().(*types.Basic); ok && b.Kind() == types.Uintptr {
			for _, from := range origins(i.X) {
				a.on(a.value(from), spreadUse{at})
			}
		}
		if x := a.lay.of(i.X.Type()); !x.points && a.lay.contents(lay) != nil {
			if b, ok := i.X.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
				a.allocate(at, i, i.Type(), a.lay.contents(lay))
			}
		}
	case *ssa.MakeInterface:
		a.point(at, a.tag(i, i.X.Type(), a.value(i.X)).first)
	case *ssa.MakeClosure:
		inner := i.Fn.(*ssa.Function)
		for n, b := range i.Bindings {
			free := inner.FreeVars[n]
			a.copyRow(a.value(free), a.value(b), a.lay.size(free.Type()))
		}
		a.point(at, a.function(inner).object.first)
	case *ssa.Phi:
		for _, e := range i.Edges {
			a.copyRow(at, a.value(e), lay.size)
		}
	case *ssa.UnOp:
		if i.Op == token.ARROW {
			elem := i.X.Type().Underlying().(*types.Chan).Elem()
			a.load(at, a.value(i.X), 0, a.lay.size(elem))
		}
	case *ssa.Lookup:
		if m, ok := i.X.Type().Underlying().(*types.Map); ok && i.CommaOk {
			a.load(at, a.value(i.X), a.lay.size(m.Key()), a.lay.size(m.Elem()))
		}
	case *ssa.Next:
		if i.IsString {
			return
		}
		m := i.Iter.(*ssa.Range).X.Type().Underlying().(*types.Map)
		// The tuple is ok, key, value; what is not used has no type.
		k := a.lay.size(m.Key())
		for n, part := range []struct {
			t      types.Type
			offset int
		}{{m.Key(), 0}, {m.Elem(), k}} {
			if t := i.Type().(*types.Tuple).At(n + 1).Type(); a.lay.size(t) == a.lay.size(part.t) {
				a.load(at+lay.offsets[n+1], a.value(i.Iter), part.offset, a.lay.size(t))
			}
		}
	case *ssa.TypeAssert:
		a.on(a.value(i.X), assertUse{at, a.lay.of(i.AssertedType)})
	case *ssa.Select:
		// The tuple is index, ok, and the received values.
		n := 2
		for _, st := range i.States {
			if st.Dir == types.RecvOnly {
				elem := st.Chan.Type().Underlying().(*types.Chan).Elem()
				a.load(at+lay.offsets[n], a.value(st.Chan), 0, a.lay.size(elem))
				n++
			}
		}
	default:
		a.value(v)
	}
}
