package action

import (
	"testing"

	"misstep/dap"
)

// TestLoads: what is left of a variable where strings and arrays are loaded in part, so that both
// sessions show it.
func TestLoads(t *testing.T) {
	part := func(name, value string) dap.Variable { return dap.Variable{Name: name, Type: "int", Value: value} }
	four := []dap.Variable{part("[0]", "1"), part("[1]", "2"), part("[2]", "3"), part("[3]", "4")}
	for _, c := range []struct {
		name  string
		alike func(*dap.Variable, bool)
		with  bool
		v     dap.Variable
		value string
		parts int
	}{
		{"a long string", shortStrings, false, dap.Variable{Type: "string", Value: `"0123456789"`}, `"01234567" and 2 more`, 0},
		{"its beginning, as Delve says it", shortStrings, true, dap.Variable{Type: "string", Value: `"01234567...+2 more"`}, `"01234567" and 2 more`, 0},
		{"its beginning, as others do", shortStrings, true, dap.Variable{Type: "string", Value: `"01234567"...+2 more`}, `"01234567" and 2 more`, 0},
		{"a long one that is cut itself", shortStrings, false, dap.Variable{Type: "string", Value: `"0123456789...+7 more"`}, `"01234567" and 9 more`, 0},
		{"a short string", shortStrings, false, dap.Variable{Type: "string", Value: `"a\n"`}, `"a\n" and 0 more`, 0},
		{"a number", shortStrings, false, part("n", "5"), "5", 0},
		{"a value of parts", shortStrings, false, dap.Variable{Type: "[]int", Value: "[]int len: 4, cap: 4, [1,2,3,4]", Children: four}, "", 4},
		{"a map", shortStrings, false, dap.Variable{Type: "map[string]int", Value: "map…", Children: four}, "", 0},
		{"a text that looks like parts", shortStrings, false, dap.Variable{Type: "main.name", Value: "{"}, "", 0},

		{"an array", firstElements(shortArray), false, dap.Variable{Type: "[4]int", Value: "[4]int [1,2,3,4]", Children: four}, "", 3},
		{"an array of which three are loaded", firstElements(shortArray), true, dap.Variable{Type: "[4]int", Value: "[4]int [1,2,3,...+1 more]", Children: four[:3], Cut: "count"}, "", 3},
		{"a struct", firstElements(shortArray), false, dap.Variable{Type: "main.t", Value: "main.t {a: 1}", Children: []dap.Variable{part("a", "1"), part("b", "2"), part("c", "3"), part("d", "4")}}, "", 4},

		{"a number with its type", untyped, false, part("n", "5"), "5", 0},
		{"a map with its type", untyped, false, dap.Variable{Type: "map[string]int", Value: "map…", Children: four}, "map…", 0},
		{"a pointer", untyped, true, dap.Variable{Value: "*5"}, "", 0},

		{"a string with escapes", rawStrings, false, dap.Variable{Type: "string", Value: `"a\n\"b\""`}, "a\n\"b\"", 0},
		{"one without", rawStrings, true, dap.Variable{Type: "string", Value: "a\n\"b\""}, "a\n\"b\"", 0},
		{"one that begins with a quote", rawStrings, true, dap.Variable{Type: "string", Value: `"a"`}, `"a"`, 0},
		{"a number beside", rawStrings, false, part("n", "5"), "5", 0},
	} {
		v := c.v
		c.alike(&v, c.with)
		if v.Value != c.value || len(v.Children) != c.parts || v.Cut != "" {
			t.Errorf("%s: %q with %d parts, cut %q; want %q with %d", c.name, v.Value, len(v.Children), v.Cut, c.value, c.parts)
		}
	}
	if four[3].Value != "4" {
		t.Error("what was shown has been changed")
	}
	entry := dap.Variable{Name: `"a\tb"`, Value: "1"}
	if rawStrings(&entry, false); entry.Name != "a\tb" {
		t.Errorf("an entry of a map is called %q", entry.Name)
	}
}

// TestWorks: that less is loaded is seen where there is more, and only there.
func TestWorks(t *testing.T) {
	for _, c := range []struct {
		name        string
		effect      func(*dap.Variable) (bool, string, string)
		v           dap.Variable
		able, wrong bool
	}{
		{"the beginning of a string", shortened, dap.Variable{Type: "string", Value: `"01234567...+2 more"`}, true, false},
		{"a whole string", shortened, dap.Variable{Type: "string", Value: `"0123456789"`}, true, true},
		{"a beginning that is too short", shortened, dap.Variable{Type: "string", Value: `"0123...+6 more"`}, true, true},
		{"a short string", shortened, dap.Variable{Type: "string", Value: `"01234567"`}, false, false},
		{"bytes as a string", shortened, dap.Variable{Name: "string()", Type: "string", Value: `"0123456789"`}, false, false},
		{"a number", shortened, dap.Variable{Type: "int", Value: "123456789"}, false, false},
		{"the first elements", fewElements, dap.Variable{Type: "[]int", Value: "[]int len: 5, cap: 8, [1,2,3,...+2 more]"}, true, false},
		{"all elements", fewElements, dap.Variable{Type: "[]int", Value: "[]int len: 5, cap: 8, [1,2,3,4,5]"}, true, true},
		{"the first elements of an array", fewElements, dap.Variable{Type: "[4]int", Value: "[4]int [1,2,3,...+1 more]"}, true, false},
		{"all elements of an array", fewElements, dap.Variable{Type: "[4]int", Value: "[4]int [1,2,3,4]"}, true, true},
		{"few elements", fewElements, dap.Variable{Type: "[]int", Value: "[]int len: 3, cap: 3, [1,2,3]"}, false, false},
		{"a text that is cut off", fewElements, dap.Variable{Type: "[]int", Value: "[]int len: 5, cap: 8, [1,2,..."}, false, false},
	} {
		if able, want, got := c.effect(&c.v); able != c.able || (got != "") != c.wrong {
			t.Errorf("%s: %t, %q and %q", c.name, able, want, got)
		}
	}
}
