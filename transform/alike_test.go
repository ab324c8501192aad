package transform

import (
	"slices"
	"testing"

	"misstep/dap"
)

// TestValueOfMap: where the package has another path, the entries of a map are in the same order as before.
func TestValueOfMap(t *testing.T) {
	held := func(pkg string) dap.Variable {
		entry := func(typ, value string) []dap.Variable {
			return []dap.Variable{{Name: "[key 0]", Type: typ, Value: value}, {Name: "[val 0]", Type: "int", Value: value}}
		}
		v := dap.Variable{Name: "m", Type: "map[interface {}]int", Value: "map", Children: slices.Concat(entry("interface {}("+pkg+".card)", "1"), entry("interface {}(int)", "2"))}
		dap.SortEntries(&v)
		return v
	}
	r := &Relation{Package: "example.test/all"}
	before, after := r.value(held("main")), r.value(held("example.test/all"))
	same := func(a, b dap.Variable) bool { return a.Name == b.Name && a.Type == b.Type && a.Value == b.Value }
	if len(before.Children) != 4 || !slices.EqualFunc(before.Children, after.Children, same) {
		t.Errorf("before: %+v; after: %+v", before.Children, after.Children)
	}
}
