package reference

import (
	"go/token"
	"go/types"
	"testing"
)

// TestTypeText: types as debuggers write them. One of C's, which go/types does not know, has no text that could be
// held against what is shown, wherever it stands.
func TestTypeText(t *testing.T) {
	unknown := types.Typ[types.Invalid]
	pkg := types.NewPackage("main", "main")
	named := types.NewNamed(types.NewTypeName(token.NoPos, pkg, "pair", nil), types.NewStruct(nil, nil), nil)
	for _, c := range []struct {
		typ  types.Type
		want string
		ok   bool
		ofC  bool
	}{
		{types.Typ[types.Int], "int", true, false},
		{types.NewPointer(named), "*main.pair", true, false},
		{types.NewMap(types.Typ[types.String], types.NewSlice(types.Typ[types.Bool])), "map[string][]bool", true, false},
		{types.Typ[types.UnsafePointer], "", false, false},
		{unknown, "", false, true},
		{types.NewSlice(types.NewPointer(unknown)), "", false, true},
		{types.NewMap(types.Typ[types.String], unknown), "", false, true},
	} {
		got, ok := typeText(c.typ)
		if ok != c.ok || ok && got != c.want || ofC(c.typ) != c.ofC {
			t.Errorf("%s: %q, %t, of C %t; want %q, %t, %t", c.typ, got, ok, ofC(c.typ), c.want, c.ok, c.ofC)
		}
	}
}
