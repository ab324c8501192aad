package reference

import (
	"testing"

	"misstep/dap"
	"misstep/history"
)

// TestCompare: each kind of value is held against what is shown of it: the same is taken, and
// each way in which it may be wrong is told.
func TestCompare(t *testing.T) {
	value := func(kind, typ, text string, children ...history.Value) history.Value {
		return history.Value{Kind: kind, Type: typ, Text: text, Len: len(children), Children: children}
	}
	named := func(name string, v history.Value) history.Value {
		v.Name = name
		return v
	}
	shown := func(typ, text string, children ...dap.Variable) dap.Variable {
		return dap.Variable{Type: typ, Value: text, Children: children}
	}
	part := func(name string, v dap.Variable) dap.Variable {
		v.Name = name
		return v
	}
	one, two := value("int", "int", "1"), value("int", "int", "2")
	pair := value("struct", "main.pair", "", named("a", one), named("b", two))
	list := value("slice", "[]int", "", named("[0]", one), named("[1]", two))
	text := history.Value{Kind: "string", Type: "string", Text: `"abc"`, Len: 3}
	long := history.Value{Kind: "string", Type: "string", Text: `"abc"`, Len: 600}
	key := history.Value{Kind: "string", Type: "string", Text: `"k"`, Len: 1}
	table := history.Value{Kind: "map", Type: "map[string]int", Len: 1, Children: []history.Value{key, one}}
	structs := history.Value{Kind: "map", Type: "map[main.pair]main.pair", Len: 1, Children: []history.Value{pair, pair}}
	held := value("interface", "interface {}", "set", value("int", "int", "1"))
	pairShown := func(a, b string) dap.Variable {
		return shown("main.pair", "main.pair {…}", part("a", shown("int", a)), part("b", shown("int", b)))
	}
	for _, c := range []struct {
		name  string
		truth history.Value
		shown dap.Variable
		wrong string // what is told to be wrong; empty if nothing is
	}{
		{"int", one, shown("int", "1"), ""},
		{"int, with another value", one, shown("int", "2"), "v"},
		{"int, as another type", one, shown("int64", "1"), "v, its type"},
		{"int of a named type", value("int", "main.day", "1"), shown("main.day", "monday (1)"), ""},
		{"int of another named type", value("int", "main.day", "1"), shown("main.day", "tuesday (2)"), "v"},
		{"byte", value("uint8", "uint8", "200"), shown("byte", "200 = 0xc8"), ""},
		{"byte with a sign", value("uint8", "uint8", "200"), shown("uint8", "-56"), "v"},
		{"bool", value("bool", "bool", "true"), shown("bool", "false"), "v"},
		{"float", value("float64", "float64", "0.5"), shown("float64", "0.5"), ""},
		{"float, rounded", value("float64", "float64", "0.5"), shown("float64", "1"), "v"},
		{"float, not a number", value("float64", "float64", "NaN"), shown("float64", "NaN"), ""},
		{"float, no number at all", value("float64", "float64", "0.5"), shown("float64", "half"), "v"},
		{"complex", value("complex128", "complex128", "1 -2"), shown("complex128", "(1 + -2i)"), ""},
		{"complex, swapped", value("complex128", "complex128", "1 -2"), shown("complex128", "(-2 + 1i)"), "v"},
		{"string", text, shown("string", `"abc"`), ""},
		{"string without its end", text, shown("string", `"ab"`), "v"},
		{"string that goes on", text, shown("string", `"abcd"`), "v"},
		{"string, cut off", long, shown("string", `"ab...+598 more"`), ""},
		{"string, cut off, with another rest", long, shown("string", `"ab...+599 more"`), "v"},
		{"string, cut off, with another beginning", long, shown("string", `"ax...+598 more"`), "v"},
		{"pointer", value("pointer", "*int", "set", one), shown("*int", "*1", shown("int", "1")), ""},
		{"pointer to another value", value("pointer", "*int", "set", one), shown("*int", "*2", shown("int", "2")), "*v"},
		{"pointer shown as nil", value("pointer", "*int", "set", one), shown("*int", "*int nil"), "v"},
		{"nil pointer shown as one", value("pointer", "*int", "nil"), shown("*int", "*1", shown("int", "1")), "v"},
		{"nil pointer", value("pointer", "*int", "nil"), shown("*int", "*int nil"), ""},
		{"function", value("func", "func()", "main.f"), shown("func()", "main.f"), ""},
		{"function of another name", value("func", "func()", "main.f"), shown("func()", "main.g"), "v"},
		{"function literal with another number", value("func", "func()", "main.f.func2"), shown("func()", "main.f.func1"), ""},
		{"function literal elsewhere", value("func", "func()", "main.f.func2"), shown("func()", "main.g.func1"), "v"},
		{"nil function", value("func", "func()", "nil"), shown("func()", "main.f"), "v"},
		{"channel", value("chan", "chan int", "1/3"), shown("chan int", "chan int 1/3"), ""},
		{"channel with another buffer", value("chan", "chan int", "1/3"), shown("chan int", "chan int 1/2"), "v"},
		{"nil channel", value("chan", "chan int", "nil"), shown("chan int", "chan int nil"), ""},
		{"interface", held, shown("interface {}(int)", "interface {}(int) 1", part("data", shown("int", "1"))), ""},
		{"interface with another type", held, shown("interface {}(string)", "…", part("data", shown("int", "1"))), "v, its type"},
		{"interface with another value", held, shown("interface {}(int)", "interface {}(int) 2", part("data", shown("int", "2"))), "v.(data)"},
		{"interface without its value", held, shown("interface {}(int)", "interface {}(int) 1"), "v.(data)"},
		{"interface shown as nil", held, shown("interface {}", "interface {} nil"), "v"},
		{"struct", pair, pairShown("1", "2"), ""},
		{"struct with another field", pair, pairShown("1", "3"), "v.b"},
		{"struct without its last field", pair, shown("main.pair", "…", part("a", shown("int", "1"))), "v.b"},
		{"struct with one field more", pair, shown("main.pair", "…", part("a", shown("int", "1")), part("b", shown("int", "2")), part("c", shown("int", "3"))), "v"},
		{"struct with a field of another name", pair, shown("main.pair", "…", part("a", shown("int", "1")), part("x", shown("int", "2"))), "v.b"},
		{"struct that is not expanded", pair, dap.Variable{Type: "main.pair", Value: "…", Cut: "depth"}, ""},
		{"slice", list, shown("[]int", "[]int len: 2, cap: 2, [1,2]", part("[0]", shown("int", "1")), part("[1]", shown("int", "2"))), ""},
		{"slice of another length", list, shown("[]int", "[]int len: 3, cap: 3, [1,2]", part("[0]", shown("int", "1")), part("[1]", shown("int", "2"))), "v"},
		{"slice with its elements swapped", list, shown("[]int", "[]int len: 2, cap: 2, [2,1]", part("[0]", shown("int", "2")), part("[1]", shown("int", "1"))), "v[0]"},
		{"slice without its last element", list, shown("[]int", "[]int len: 2, cap: 2, [1,2]", part("[0]", shown("int", "1"))), "v[1]"},
		{"nil slice", history.Value{Kind: "slice", Type: "[]int", Text: "nil"}, shown("[]int", "[]int len: 0, cap: 0, nil"), ""},
		{"nil slice shown as an empty one", history.Value{Kind: "slice", Type: "[]int", Text: "nil"}, shown("[]int", "[]int len: 0, cap: 0, []"), "v"},
		{"map", table, shown("map[string]int", "map…", part(`"k"`, shown("string: int", "1"))), ""},
		{"map with another value", table, shown("map[string]int", "map…", part(`"k"`, shown("string: int", "2"))), `v["k"]`},
		{"map with another key", table, shown("map[string]int", "map…", part(`"x"`, shown("string: int", "1"))), `v["k"]`},
		{"map without its entry", table, shown("map[string]int", "map…"), `v["k"]`},
		{"map with one entry more", table, shown("map[string]int", "map…", part(`"k"`, shown("string: int", "1")), part(`"l"`, shown("string: int", "1"))), "v"},
		{"map of structs", structs, shown("map[main.pair]main.pair", "map…", part("[key]", pairShown("1", "2")), part("[val]", pairShown("1", "2"))), ""},
		{"map of structs with another value", structs, shown("map[main.pair]main.pair", "map…", part("[key]", pairShown("1", "2")), part("[val]", pairShown("1", "3"))), "v[{1 2}].b"},
		{"unknown", history.Value{Kind: history.Unknown, Type: "int"}, shown("int", "9"), ""},
		{"unreadable", one, shown("int", "(unreadable read out of bounds)"), "v"},
		{"type of a package in a folder", value("int", "example.test/a/b.T", "1"), shown("b.T", "1"), ""},
		{"a channel of channels", value("chan", "chan<- <-chan int", "nil"), shown("chan<- (<-chan int)", "chan<- (<-chan int) nil"), ""},
		{"one of the other direction", value("chan", "<-chan <-chan func(int)", "nil"), shown("<-chan (<-chan func(int))", "<-chan (<-chan func(int)) nil"), ""},
		{"a channel of others", value("chan", "chan (<-chan int)", "nil"), shown("chan<- (chan int)", "chan<- (chan int) nil"), "v, its type"},
		{"a type of a function that is embedded", value("struct", "struct { main.I }", ""), shown("struct { I = main.I·3 }", "struct { I = main.I·3 } {}"), ""},
		{"type declared in a function", value("int", "main.T", "1"), shown("main.T·2", "1"), ""},
	} {
		if what, want, got := differ(c.truth, c.shown, "v"); what != c.wrong {
			t.Errorf("%s: %q is wrong (%s, not %s), want %q", c.name, what, want, got, c.wrong)
		}
	}
}

// TestLine: the line that a value is shown as agrees with its parts.
func TestLine(t *testing.T) {
	part := func(name, value string, of ...dap.Variable) dap.Variable {
		return dap.Variable{Name: name, Value: value, Children: of}
	}
	for _, c := range []struct {
		v    dap.Variable
		what string // that differs; empty if nothing does
	}{
		{part("", "main.T {a: 1, b: true}", part("a", "1"), part("b", "true")), ""},
		{part("", "main.T {a: 2, b: true}", part("a", "1"), part("b", "true")), "x.a, in one line"},
		{part("", "main.T {a: 1, b: false}", part("a", "1"), part("b", "true")), "x.b, in one line"},
		{part("", `main.T {s: "a, {b", n: 2}`, part("s", `"a, {b"`), part("n", "3")), "x.n, in one line"},
		{part("", `main.T {s: "\"}", n: 2}`, part("s", `"\"}"`), part("n", "3")), "x.n, in one line"},
		{part("", "[]int len: 3, cap: 3, [1,2,3]", part("[0]", "1"), part("[1]", "2"), part("[2]", "3")), ""},
		{part("", "[]int len: 3, cap: 3, [1,2,3]", part("[0]", "1"), part("[1]", "3"), part("[2]", "2")), "x[1], in one line"},
		{part("", "[]any [[]int len: 1, cap: 1, [4],1,main.T {x: 2}]", part("[0]", "[]int len: 1, cap: 1, [4]"), part("[1]", "1"), part("[2]", "main.T {x: 2}")), ""},
		{part("", "[]any [[]int len: 1, cap: 1, [4],2]", part("[0]", "[]int len: 1, cap: 1, [4]"), part("[1]", "1")), "x[1], in one line"},
		{part("", "main.T {len: 1, cap: 2, n: 3}", part("len", "1"), part("cap", "3"), part("n", "3")), "x.cap, in one line"},
		{part("", `main.T {_: 0, a: 1, _: ""}`, part("_", "0"), part("a", "1"), part("_", `""`)), ""},
		{part("", "[3]int [1,2,3]", part("[0]", "1"), part("[1]", "2"), part("[2]", "4")), "x[2], in one line"},
		{part("", "main.T {in: main.U {a: 1}}", part("in", "main.U {a: 2}", part("a", "2"))), "x.in, in one line"},
		{part("", "main.T {in: main.U {a: 2}}", part("in", "main.U {a: 2}", part("a", "2"))), ""},
		{part("", "main.T {in: (*main.U)(0x…), n: 1}", part("in", "*main.U {a: 2}"), part("n", "1")), ""},
		{part("", "*main.T {a: 1}", part("", "main.T {a: 1}")), ""},
		{part("", "*main.T {a: 1}", part("", "main.T {a: 2}")), "x, in one line"},
		{part("", "any(main.T) {a: 1}", part("data", "main.T {a: 2}")), "x, in one line"},
		{part("", "*main.T {a: 1, b: ...}", part("", "main.T {a: 2}")), ""},
		{part("", "[]int len: 9, cap: 9, [1,2,...+7 more]", part("[0]", "1"), part("[1]", "3")), "x[1], in one line"},
		{part("", "[]int len: 9, cap: 9, [1,2,...+7 more]", part("[0]", "1"), part("[1]", "2"), part("[2]", "9")), ""},
		{part("", "main.T {a: 1", part("a", "2")), ""}, // cut off
		{part("", "main.T a: 1}", part("a", "2")), ""},
		{part("", "7", part("a", "2")), ""},
		{part("", "f(1)", part("a", "2")), ""},
		{dap.Variable{Value: "main.T {a: 1}", Cut: "depth", Children: []dap.Variable{part("a", "2")}}, ""},
		{part("", "main.T {c: main.red (1)}", part("c", "main.blue (2)")), ""}, // constants have names
	} {
		if got := compareLine(c.v, "x"); got.what != c.what {
			t.Errorf("%s: %v, want %q", c.v.Value, got, c.what)
		}
	}
}

// TestLong: what is cut off of a long number is not compared, what is shown of it is.
func TestLong(t *testing.T) {
	float := history.Value{Kind: "float64", Text: "1.7976931348623157e+308"}
	number := history.Value{Kind: "complex128", Text: "1.5 1.7976931348623157e+308"}
	both := history.Value{Kind: "complex128", Text: "1.7976931348623157e+308 2"}
	for _, c := range []struct {
		v     history.Value
		shown string
		same  bool
	}{
		{float, "17976931348623157000...", true},
		{float, "17976931348623158000...", false},
		{number, "(1.5 + 17976931348623157000...", true},
		{number, "(1.5 + 17976931348623158000...", false},
		{number, "(2.5 + 17976931348623157000...", false},
		{both, "(17976931348623157000...", true},
		{both, "(17976931348623158000...", false},
		{history.Value{Kind: "complex128", Text: "1.5 2"}, "(1.5 + 2i)", true},
		{history.Value{Kind: "complex128", Text: "1.5 2"}, "(1.5 + 3i)", false},
		{history.Value{Kind: "complex128", Text: "1.5 2"}, "1.5", false},
	} {
		same := sameFloat
		if c.v.Kind == "complex128" {
			same = sameComplex
		}
		if got := same(c.v, c.shown); got != c.same {
			t.Errorf("%s shown as %s: %v", c.v.Text, c.shown, got)
		}
	}
}
