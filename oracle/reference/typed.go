package reference

import (
	"go/types"
	"strconv"
	"strings"

	"misstep/dap"
	"misstep/finding"
	"misstep/history"
)

// typed judges a variable that has no value yet, or one that is not known, by its type; why is
// the reason if the type cannot be held against what is shown. It reports false after a
// finding.
func (j *judge) typed(i int, t types.Type, v dap.Variable, why string) bool {
	if ofC(t) {
		why = "of a type of C's, which the recorder does not know"
	}
	want, ok := typeText(t)
	if !ok || v.Type == "" || ownLayout(v.Type) {
		j.unjudged(finding.Variables, why, 1)
		return true
	}
	if !sameType(history.Value{Type: want}, v.Type) && !types.IsInterface(t) {
		j.check(i, "R3-value", false, dap.DiffVariables, v.Name+", its type", want, v.Type)
		return false
	}
	j.judged(finding.Variables, 1)
	j.made("R3-value")
	return true
}

// ofC reports whether a type is, or has, one that go/types does not know. What is C's has none, see package history/record.
func ofC(t types.Type) bool { return strings.Contains(types.TypeString(t, nil), "invalid type") }

// typeText is a type as debuggers write it; ok is false for those that they write in several
// ways.
func typeText(t types.Type) (text string, ok bool) {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return t.Name(), t.Kind() != types.UnsafePointer && t.Kind() != types.Invalid && t.Info()&types.IsUntyped == 0
	case *types.Named:
		if t.TypeArgs() != nil || t.Obj().Pkg() == nil {
			return t.Obj().Name(), t.TypeArgs() == nil
		}
		if t.Obj().Pkg().Name() == "main" {
			return "main." + t.Obj().Name(), true
		}
		return t.Obj().Pkg().Path() + "." + t.Obj().Name(), true
	case *types.Pointer:
		text, ok = typeText(t.Elem())
		return "*" + text, ok
	case *types.Slice:
		text, ok = typeText(t.Elem())
		return "[]" + text, ok
	case *types.Array:
		text, ok = typeText(t.Elem())
		return "[" + strconv.FormatInt(t.Len(), 10) + "]" + text, ok
	case *types.Map:
		key, ok := typeText(t.Key())
		elem, ok2 := typeText(t.Elem())
		return "map[" + key + "]" + elem, ok && ok2
	}
	return "", false
}
