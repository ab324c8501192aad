package pointsto

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// origins are the pointers that a number was computed from, in the patterns that
// unsafe.Pointer's documentation allows.
func origins(v ssa.Value) []ssa.Value {
	switch v := v.(type) {
	case *ssa.Convert:
		if b, ok := v.X.Type().Underlying().(*types.Basic); ok && b.Kind() == types.UnsafePointer {
			return []ssa.Value{v.X}
		}
		return origins(v.X)
	case *ssa.ChangeType:
		return origins(v.X)
	case *ssa.BinOp:
		return append(origins(v.X), origins(v.Y)...)
	}
	return nil
}

type spreadUse struct{ dst int }

// apply points to all of the object, as a computed pointer may.
func (u spreadUse) apply(a *analysis, target int) {
	o := a.of(target)
	for i := range o.lay.size {
		a.point(u.dst, o.first+i)
	}
}
