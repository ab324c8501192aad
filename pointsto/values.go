package pointsto

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// value is the row of a value. A value that always holds what another does has the
// other's row, so that nothing need be copied (offline variable substitution).
func (a *analysis) value(v ssa.Value) int {
	if at, ok := a.values[v]; ok {
		return at
	}
	at := a.newValue(v)
	a.values[v] = at
	return at
}

func (a *analysis) newValue(v ssa.Value) int {
	lay := a.lay.of(v.Type())
	switch v := v.(type) {
	case *ssa.Function:
		at := a.row(1)
		a.point(at, a.function(v).object.first)
		return at
	case *ssa.Global:
		at := a.row(1)
		a.point(at, a.global(v).first)
		return at
	case *ssa.Const, *ssa.Builtin:
		return a.nothing(lay.size)
	}
	if !lay.points {
		return a.nothing(lay.size)
	}
	switch v := v.(type) {
	case *ssa.ChangeType:
		return a.value(v.X)
	case *ssa.ChangeInterface:
		return a.value(v.X)
	case *ssa.SliceToArrayPointer:
		return a.value(v.X)
	case *ssa.Range:
		return a.value(v.X)
	case *ssa.IndexAddr:
		return a.value(v.X)
	case *ssa.Slice:
		return a.value(v.X)
	case *ssa.Index:
		return a.value(v.X)
	case *ssa.Convert:
		if x := a.lay.of(v.X.Type()); x.points && x.size == lay.size {
			return a.value(v.X)
		}
	case *ssa.MultiConvert:
		if x := a.lay.of(v.X.Type()); x.points && x.size == lay.size {
			return a.value(v.X)
		}
	case *ssa.FieldAddr:
		of := a.lay.contents(a.lay.of(v.X.Type()))
		return a.shifted(a.value(v.X), a.lay.underlying(of).offsets[v.Field])
	case *ssa.Field:
		return a.value(v.X) + a.lay.underlying(a.lay.of(v.X.Type())).offsets[v.Field]
	case *ssa.Extract:
		return a.value(v.Tuple) + a.lay.of(v.Tuple.Type()).offsets[v.Index]
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return a.loaded(a.value(v.X), 0, lay.size)
		}
	case *ssa.Lookup:
		if m, ok := v.X.Type().Underlying().(*types.Map); ok && !v.CommaOk {
			return a.loaded(a.value(v.X), a.lay.size(m.Key()), lay.size)
		}
	case *ssa.Call:
		if b, ok := v.Call.Value.(*ssa.Builtin); ok {
			switch b.Name() {
			case "ssa:wrapnilchk", "Slice", "SliceData":
				return a.value(v.Call.Args[0])
			}
		}
	}
	return a.row(lay.size)
}

func (a *analysis) global(g *ssa.Global) *Object {
	o := a.globals[g]
	if o == nil {
		t := g.Type().Underlying().(*types.Pointer).Elem()
		o = a.object(&Object{At: g, Type: t}, a.lay.of(t))
		a.globals[g] = o
		if g.Pkg != nil && !byBody(g.Pkg.Pkg.Path()) {
			a.group(groupOf(g.Pkg.Pkg.Path())).shares(o)
		}
	}
	return o
}

// A tagged is what tells values in interfaces apart: the type, and the row of the value.
type tagged struct{ typ, row int }

// tag is a value in an interface.
func (a *analysis) tag(at ssa.Value, t types.Type, row int) *Object {
	lay := a.lay.of(t)
	key := tagged{lay.id, -1}
	if lay.points {
		key.row = a.find(row)
	}
	o := a.tags[key]
	if o == nil {
		o = a.object(&Object{At: at, Type: t, Tag: true}, lay)
		a.tags[key] = o
		if lay.points {
			a.copyRow(o.start, row, lay.size)
		}
	}
	return o
}

// allocate makes an object for an instruction, and lets a slot point to it.
func (a *analysis) allocate(dst int, v ssa.Value, t types.Type, lay *layout) *Object {
	o := a.object(&Object{At: v, Type: t}, lay)
	a.point(dst, o.first)
	return o
}
