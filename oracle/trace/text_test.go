package trace

import (
	"testing"

	"misstep/dap"
)

// TestTexts: what is shown of a value is held against itself and its parts; each kind of contradiction is seen, and
// what cannot be compared is not counted.
func TestTexts(t *testing.T) {
	v := func(typ, value string, parts ...dap.Variable) dap.Variable {
		return dap.Variable{Name: "v", Type: typ, Value: value, Children: parts}
	}
	part := func(name, typ, value string) dap.Variable { return dap.Variable{Name: name, Type: typ, Value: value} }
	element := func(n string) dap.Variable { return part("["+n+"]", "int", n) }
	for _, c := range []struct {
		name string
		v    dap.Variable
		held int
		ok   bool
	}{
		{"one base", v("int", "5"), 0, true},
		{"two bases", v("int", "42 = 0x2a"), 1, true},
		{"two bases that differ", v("int", "42 = 0x0"), 0, false},
		{"a constant", v("main.color", "red (1) = 0x1"), 1, true},
		{"a constant as zero", v("main.color", "red (1) = 0x0"), 0, false},
		{"constants", v("main.flag", "a|b (3) = 0x3"), 1, true},
		{"a negative number", v("int", "-39 = 0xffffffffffffffd9"), 1, true},
		{"a negative number of one byte", v("int8", "-39 = 0xd9"), 1, true},
		{"a negative number, cut off", v("int", "-390 = 0x7a"), 0, false},
		{"the largest number", v("uint64", "18446744073709551615 = 0xffffffffffffffff"), 1, true},
		{"a long number in few digits", v("uint32", "258 = 0x2"), 0, false},
		{"as the adapter said it", dap.Variable{Name: "v", Type: "main.t", Value: "0x…", Raw: "4096 = 0x1001"}, 0, false},
		{"a string like it", v("string", `"1 = 0x2"`), 0, true},

		{"a map", v("map[string]int", `map[string]int ["a": 1, ]`), 1, true},
		{"no map", v("map[string]int", "map[string]int nil"), 1, true},
		{"a map that was assigned", v("map[string]int", "nil"), 0, true},
		{"a map of another type", v("map[string]int", `map[string]bool ["a": 1, ]`), 0, false},
		{"a map without its type", v("map[string]int", `["a": 1, ]`), 0, false},
		{"a map that nobody can read", v("map[string]int", "(unreadable read out of bounds)"), 0, true},
		{"a map of a type with a folder", v("map[string]a/b.T", `map[string]b.T ["a": {}, ]`), 0, true},
		{"a slice", v("[]int", "[]int len: 2, cap: 4, [0,1]", element("0"), element("1")), 1, true},
		{"a slice that lacks an element", v("[]int", "[]int len: 2, cap: 4, [0,1]", element("0")), 0, false},
		{"a slice that is not shown whole", dap.Variable{Name: "v", Type: "[]int", Value: "[]int len: 2, cap: 4, [0,1]", Children: []dap.Variable{element("0")}, Cut: "count"}, 0, true},
		{"the first elements", v("[]int", "[]int len: 3, cap: 4, [0,1,...+1 more]", element("0"), element("1")), 1, true},
		{"the first elements, and one too few", v("[]int", "[]int len: 3, cap: 4, [0,1,...+1 more]", element("0")), 0, false},
		{"all elements, of which the text has the first", v("[]int", "[]int len: 3, cap: 4, [0,...+2 more]", element("0"), element("1"), element("2")), 1, true},
		{"more elements than there are", v("[]int", "[]int len: 1, cap: 4, [0]", element("0"), element("1")), 0, false},
		{"a slice whose text is cut off", v("[]int", "[]int len: 3, cap: 4, [0,...", element("0")), 0, true},
		{"a pointer to a slice", v("*main.stack", "*main.stack len: 1, cap: 2, [1]", part("", "main.stack", "main.stack len: 1, cap: 2, […]")), 1, true},
		{"a pointer to a number", v("*int", "*5"), 1, true},
		{"a pointer whose address is shown", v("*main.t", "(*main.t)(0x…)"), 1, true},
		{"a pointer to nothing", v("*main.t", "*main.t nil"), 1, true},
		{"a pointer that was assigned", v("*main.t", "nil"), 1, true},
		{"a pointer of C's to anything", v("*void", "unsafe.Pointer(0x0)"), 0, true},
		{"a string of C's", v("*const char", `"abc"`), 0, true},
		{"a pointer that nobody can read", v("*main.t", "(unreadable read out of bounds)"), 1, true},
		{"a pointer that is shown as what it points to", v("*main.t", "main.t {n: 1}"), 0, false},
		{"a pointer without a text", v("*main.t", ""), 0, true},

		{"a struct", v("main.t", `main.t {n: 3, s: "x", ok: true}`, part("n", "int", "3"), part("s", "string", `"x"`), part("ok", "bool", "true")), 1, true},
		{"a struct of another type in its text", v("main.i", `main.i(main.t) {n: 3}`, part("data", "main.t", "main.t {n: 3}")), 1, true},
		{"a struct with another number", v("main.t", "main.t {n: 4}", part("n", "int", "3")), 0, false},
		{"a struct without a name", v("struct { main.a int }", "struct { main.a int } {a: 3}", part("a", "int", "3")), 1, true},
		{"a struct without a name, and the client asks for no types", v("", "struct { main.a int } {a: 3}", part("a", "", "3")), 0, true},
		{"a struct whose number is longer", v("main.t", "main.t {n: 33}", part("n", "int", "3")), 0, false},
		{"a struct whose field is in two bases", v("main.t", "main.t {n: 16}", part("n", "int", "16 = 0x10")), 2, true},
		{"a struct whose field's type is named as the field's own text has it", v("main.t", "main.t {i: catalog.Item {n: 1}, q: (*\"catalog.Price\")(0xc0)}", part("i", "a.b/catalog.Item", "catalog.Item {n: 1}"), part("q", "*a.b/catalog.Price", "*catalog.Price {n: 2}")), 2, true},
		{"a struct whose field's type has its folder in the text", v("main.t", "main.t {i: a.b/catalog.Item {n: 1}}", part("i", "a.b/catalog.Item", "catalog.Item {n: 1}")), 0, false},
		{"a slice of interfaces whose types have their folders in the text", v("[]a.b/s.I", "[]s.I len: 1, cap: 1, [a.b/s.I(*a.b/s.T) {n: 1}]", part("[0]", "a.b/s.I(*a.b/s.T)", "s.I(*s.T) {n: 1}")), 0, false},
		{"a struct whose pointer's type is whole in an expression", v("main.t", "main.t {q: (*\"a.b/catalog.Price\")(0xc0)}", part("q", "*a.b/catalog.Price", "*catalog.Price {n: 2}")), 1, true},
		{"a struct that is cut off", v("main.t", "main.t {n: 4,...+1 more}", part("n", "int", "3")), 0, true},
		{"a struct of structs", v("main.t", "main.t {u: main.u {n: 4}}", v("main.u", "main.u {n: 4}", part("n", "int", "5"))), 1, false},
	} {
		n, first := texts("", []dap.Variable{c.v})
		if n != c.held || (first == nil) != c.ok {
			t.Errorf("%s: %d hold, %v", c.name, n, first)
		}
	}
}

// TestSameAs: an expression that only names what is shown is answered as that is shown.
func TestSameAs(t *testing.T) {
	when := dap.Variable{Name: "when", Type: "time.Time", Value: "time.Time(2022-01-01T00:00:00Z){wall: 0, ext: 1}"}
	p := &dap.Pause{Scopes: []dap.Scope{{Vars: []dap.Variable{
		{Name: "n", Type: "int", Value: "5"},
		{Name: "e", Type: "main.event", Value: "main.event {when: …}", Children: []dap.Variable{when}},
		{Name: "p", Type: "*main.event", Value: "*main.event {…}"},
		{Name: "l", Type: "[]time.Time", Value: "[]time.Time len: 1, cap: 1, […]", Children: []dap.Variable{{Name: "[0]", Type: when.Type, Value: when.Value}}},
	}}}}
	for _, c := range []struct {
		name, typ, value string
		able, ok         bool
	}{
		{"n", "int", "5", true, true},
		{"n", "int", "6", true, false},
		{"m", "int", "6", false, true},
		{"n + 1", "int", "6", false, true},
		{"e.when", "time.Time", when.Value, true, true},
		{"e.when", "time.Time", "time.Time(2022-01-01T00:00:00Z){wall: 0, …}", true, true},
		{"e.when", "time.Time", "time.Time {wall: 0, ext: 1}", true, false},
		{"l[0]", "time.Time", "time.Time {wall: 0, ext: 1}", true, false},
		{"p", "*main.event", "(*main.event)(0x…)", false, true},
	} {
		able, got := sameAs(p.Scopes, dap.Action{Kind: dap.Evaluate, Name: c.name}, dap.Output{Kind: dap.Answered, Value: &dap.Variable{Type: c.typ, Value: c.value}})
		if able != c.able || (got == nil) != c.ok {
			t.Errorf("%s shown as %s: %v, %v", c.name, c.value, able, got)
		}
	}
}

// TestParts: a complex number's parts are those of its text.
func TestParts(t *testing.T) {
	number := func(text, first, second string) []dap.Variable {
		return []dap.Variable{{Name: "c", Type: "complex128", Value: text, Children: []dap.Variable{{Name: "real", Value: first}, {Name: "imaginary", Value: second}}}}
	}
	for _, c := range []struct {
		vars []dap.Variable
		held int
		what string
	}{
		{number("(1 + -2.5i)", "1", "-2.5"), 1, ""},
		{number("(1e+20 + +Infi)", "1e+20", "+Inf"), 1, ""},
		{number("(1 + -2.5i)", "-2.5", "1"), 0, "c, its real part"},
		{number("1", "1", "0"), 0, ""},
	} {
		held, bad := texts("", c.vars)
		if held != c.held || (bad == nil) != (c.what == "") || bad != nil && bad.what != c.what {
			t.Errorf("%s: %d, %v", c.vars[0].Value, held, bad)
		}
	}
}

// TestUnread: a reason for which a variable is not shown is a finding if the debugger is at fault, wherever the variable is.
func TestUnread(t *testing.T) {
	none := func(string) bool { return false }
	for text, wrong := range map[string]bool{
		"empty OP stack":                                            false,
		"DWARF stack index out of bounds":                           true,
		"invalid instruction 0x12":                                  true,
		"register 17 not available":                                 true,
		"bad swiss map type, group type lacks some required fields": true,
		"could not find loclist entry at 0x1 for address 0x2":       false,
		"read out of bounds":                                        false,
		"input/output error":                                        false,
		"could not load swiss table index field: is nil":            false,
	} {
		vars := []dap.Variable{{Name: "a", Value: "1"}, {Name: "s", Value: "main.t {…}", Children: []dap.Variable{{Name: "x", Value: "(unreadable " + text + ")"}}}}
		looked, what, _ := unread("", vars, none)
		if looked != 1 || (what == "s.x") != wrong {
			t.Errorf("%s: %d looked at, %q is wrong", text, looked, what)
		}
	}
	escaped := []dap.Variable{{Name: "m", Value: "(unreadable no address for escaped variable)"}}
	for early, wrong := range map[bool]string{false: "m", true: ""} {
		if looked, what, _ := unread("", escaped, func(name string) bool { return name == "m" && early }); looked != 1 || what != wrong {
			t.Errorf("a variable on the heap, early %v: %d looked at, %q is wrong", early, looked, what)
		}
	}
	if looked, what, _ := unread("", []dap.Variable{{Name: "s", Value: `"(unreadable DWARF stack underflow)"`}}, none); looked != 0 || what != "" {
		t.Error("a string that says so is none")
	}
}
