package reference

import (
	"go/ast"
	"go/parser"
	"go/types"
	"math"
	"math/big"
	"slices"
	"testing"

	"misstep/history"
	"misstep/history/timeline"
)

// TestPausesAt: hit conditions, as clients write them.
func TestPausesAt(t *testing.T) {
	for _, c := range []struct {
		hit    string
		pauses []int // of the first six hits
	}{
		{"3", []int{3}}, {"==3", []int{3}}, {"= 3", []int{3}},
		{">3", []int{4, 5, 6}}, {">=3", []int{3, 4, 5, 6}},
		{"<3", []int{1, 2}}, {"<= 3", []int{1, 2, 3}},
		{"!=3", []int{1, 2, 4, 5, 6}}, {"% 2", []int{2, 4, 6}}, {"%0", nil},
		{"nonsense", nil}, {"", nil}, {"~3", nil},
	} {
		var got []int
		for n := 1; n <= 6; n++ {
			if (&point{hit: c.hit}).pausesAt(n) {
				got = append(got, n)
			}
		}
		if !slices.Equal(got, c.pauses) {
			t.Errorf("%q pauses at %v, want %v", c.hit, got, c.pauses)
		}
	}
}

// TestHoles: the expressions in a log message, and what is around them.
func TestHoles(t *testing.T) {
	for _, c := range []struct {
		log          string
		texts, exprs []string
		ok           bool
	}{
		{"here", []string{"here"}, nil, true},
		{"at {x}", []string{"at ", ""}, []string{"x"}, true},
		{"{x}{ y } end", []string{"", "", " end"}, []string{"x", "y"}, true},
		{"{T{1}} and {m[K{}]}", []string{"", " and ", ""}, []string{"T{1}", "m[K{}]"}, true},
		{"open {x", []string{"open ", "x"}, nil, false},
		{"open {{x}", []string{"open ", "{x}"}, nil, false},
		{"close }", []string{"close }"}, nil, false},
		{"{}", []string{"", ""}, []string{""}, false},
		{"{x}}", []string{"", "}"}, []string{"x"}, false},
	} {
		texts, exprs, ok := holes(c.log)
		if !slices.Equal(texts, c.texts) || !slices.Equal(exprs, c.exprs) || ok != c.ok {
			t.Errorf("%q: %q and %q, %v", c.log, texts, exprs, ok)
		}
	}
}

// TestWhole: which numbers types of whole numbers have, and which floating-point numbers fit them.
func TestWhole(t *testing.T) {
	for _, c := range []struct {
		kind types.BasicKind
		in   []float64
		out  []float64
	}{
		{types.Int8, []float64{0, 127.9, -128.9}, []float64{128, -129, math.NaN(), math.Inf(1)}},
		{types.Uint8, []float64{0, 255.5, -0.5}, []float64{256, -1}},
		{types.Int32, []float64{2147483647, -2147483648}, []float64{2147483648, -2147483649}},
		{types.Uint64, []float64{0, 1 << 63}, []float64{-1, 1 << 64}},
		{types.Int, []float64{-1 << 63}, []float64{1 << 63, math.Inf(-1)}},
	} {
		for _, n := range c.in {
			if !fitsWhole(n, c.kind) {
				t.Errorf("%v does not fit %s", n, types.Typ[c.kind])
			}
		}
		for _, n := range c.out {
			if fitsWhole(n, c.kind) {
				t.Errorf("%v fits %s", n, types.Typ[c.kind])
			}
		}
	}
	if !hasWhole(types.Int8, big.NewInt(-128)) || hasWhole(types.Int8, big.NewInt(-6561)) || hasWhole(types.Uint8, big.NewInt(256)) {
		t.Error("an int8 is -6561, or none -128, or a uint8 256")
	}
}

// TestGoesBy: what a debugger may call a function.
func TestGoesBy(t *testing.T) {
	m := &Model{&timeline.Run{Plan: &history.Plan{Funcs: []history.Func{
		{Name: "main.f"}, {Name: "main.f.func", Literal: true}, {Name: "main.(*T).m"}, {Name: "main.(*T).m.func", Literal: true},
		{Name: "main.init"}, {Name: "main.init.func", Literal: true}, {Name: "example.test/p.g"}, {Name: "main.h[...]"},
		{Name: "main.function.func", Literal: true}, {Name: "main.func1"}, {Name: "main.func1.func.func", Literal: true}, {Name: "main.(*funcs).m.func", Literal: true},
	}}}}
	for _, c := range []struct {
		fn   int
		name string
		want bool
	}{
		{0, "main.f", true}, {0, "main.g", false}, {0, "main.f.func1", false}, {0, "main.f[go.shape.int]", true},
		{1, "main.f.func1", true}, {1, "main.f.func1.2", true}, {1, "main.f.func2.1.3", true}, {0, "main.f-range1", true}, {1, "main.f-range1", false}, {1, "main.f.func1-range1", true}, {1, "main.f.gowrap1", true},
		{1, "main.f[go.shape.int].func1", true}, {1, "main.f", false}, {1, "main.g.func1", false}, {1, "main.f.func1x", false}, {1, "main.f.funcx", false},
		{2, "main.(*T).m", true}, {2, "main.T.m", false}, {3, "main.(*T).m.func1", true}, {3, "main.(*T).n.func1", false},
		{4, "main.init", true}, {4, "main.init.0", true}, {4, "main.init.0.func1", false}, {4, "main.inits", false}, {5, "main.glob..func1", true}, {5, "main.init.func3", true}, {5, "main.f", false},
		{6, "p.g", true}, {6, "example.test/p.g", true}, {6, "other.test/q.g", false}, {7, "main.h[go.shape.int,go.shape.string]", true},
		{8, "main.function.func1", true}, {8, "main.funcs.func1", false}, {8, "main.function", false}, {9, "main.func1", true}, {9, "main.func2", false},
		{10, "main.func1.func1", true}, {10, "main.func1.func2.1", true}, {11, "main.(*funcs).m.func1", true}, {11, "main.(*function).m.func1", false},
	} {
		if got := m.goesBy(c.fn, c.name); got != c.want {
			t.Errorf("%s called %s: %v", m.Plan.Funcs[c.fn].Name, c.name, got)
		}
	}
}

// TestTouches: what a statement may change that variables lead to.
func TestTouches(t *testing.T) {
	for text, want := range map[string]bool{
		"x = 1": false, "x = f(y)": false, "x = append(x, 1)": true, "copy(a, b)": true, "delete(m, 1)": true, "clear(m)": true, "close(c)": true,
		"x = len(y)": false, "x = <-c": true, "x = -c": false, "x = func() int { return <-c }": false, "x = y[<-c]": true,
	} {
		if got := touches(statement(t, text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// TestChanges: which local variables a step changes, and whether that is all it does.
func TestChanges(t *testing.T) {
	for _, c := range []struct {
		text string
		part history.Part
		vars []string
		all  bool
	}{
		{"x = 1", 0, []string{"x"}, true}, {"x, y := 1, 2", 0, []string{"x", "y"}, true}, {"x++", 0, []string{"x"}, true},
		{"x.f = 1", 0, nil, false}, {"x[0]++", 0, nil, false}, {"*x = 1", 0, nil, false}, {"x = append(x, 1)", 0, []string{"x"}, false},
		{"for i, v := range xs { }", 0, []string{"i", "v"}, true}, {"for range xs { }", 0, nil, true}, {"for i := range (<-c) { }", 0, []string{"i"}, false},
		{"for ; <-c; { }", history.Condition, nil, false}, {"for ; <-c; { }", history.Head, nil, true}, {"for x < 3 { }", history.Condition, nil, true},
		{"if x { }", 0, nil, true}, {"if <-c { }", 0, nil, false},
		{"switch x { }", 0, nil, true}, {"switch { }", 0, nil, true}, {"switch <-c { }", 0, nil, false}, {"switch x.(type) { }", 0, nil, true},
		{"var x, y int", 0, []string{"x", "y"}, true}, {"var x = <-c", 0, []string{"x"}, false}, {"const k = 1", 0, []string{"k"}, true},
		{"{ }", 0, nil, true}, {"L: x++", 0, nil, true}, {"break", 0, nil, true}, {"f()", 0, nil, false}, {"go f()", 0, nil, false}, {"c <- 1", 0, nil, false}, {"return", 0, nil, false},
	} {
		assigned := map[string]bool{}
		all := changes(&timeline.Step{Node: statement(t, c.text), Part: c.part}, assigned)
		if all != c.all || c.all && len(assigned) != len(c.vars) {
			t.Errorf("%s: %v, %v", c.text, assigned, all)
		}
		for _, v := range c.vars {
			if !assigned[v] {
				t.Errorf("%s: %s is not among %v", c.text, v, assigned)
			}
		}
	}
	if changes(&timeline.Step{Node: statement(t, "x = 1"), Library: true}, map[string]bool{}) || changes(&timeline.Step{Node: statement(t, "x = 1"), Children: make([]*timeline.Activation, 1)}, map[string]bool{}) {
		t.Error("what is called may change anything")
	}
}

// TestResolve: what an expression leads to in recorded variables, and where that is not known.
func TestResolve(t *testing.T) {
	number := func(name, text string) history.Value { return history.Value{Name: name, Kind: "int", Text: text} }
	str := func(name, text string) history.Value { return history.Value{Name: name, Kind: "string", Text: text} }
	structure := history.Value{Name: "s", Kind: "struct", Children: []history.Value{number("a", "1"), number("b", "2")}}
	vars := []history.Value{
		number("i", "1"), str("k", `"b"`), structure,
		{Name: "p", Kind: "pointer", Text: "set", Children: []history.Value{{Kind: "struct", Children: structure.Children}}},
		{Name: "none", Kind: "pointer", Text: "nil"},
		{Name: "xs", Kind: "slice", Len: 2, Children: []history.Value{number("[0]", "7"), number("[1]", "8")}},
		{Name: "m", Kind: "map", Len: 2, Children: []history.Value{str("", `"a"`), number("", "5"), str("", `"b"`), number("", "6")}},
		{Name: "u", Kind: history.Unknown},
	}
	for expr, want := range map[string]string{
		"i": "1", "(i)": "1", "s.a": "1", "s.b": "2", "p.b": "2", "(*p).a": "1", "xs[0]": "7", "xs[1]": "8", "xs[i]": "8", "xs[0x1]": "8",
		`m["a"]`: "5", "m[k]": "6", "m[`b`]": "6",
		`m["c"]`: "", "xs[2]": "", "s.c": "", "none.a": "", "*none": "", "u": "", "z": "", "i + 1": "", "xs[i+1]": "", "i.a": "", "*i": "", "m[u]": "", "f()": "", ")": "", "xs['a']": "",
	} {
		v, ok := resolve(vars, expr)
		if ok != (want != "") || v.Text != want {
			t.Errorf("%s: %q %v, want %q", expr, v.Text, ok, want)
		}
	}
	for expr, want := range map[string]bool{
		`m["a"]`: false, `m["c"]`: true, "m[k]": false, "m[z]": true, `z["a"]`: true, "xs[1]": false, "i + 1": false, `m["a"] + m["c"]`: true, ")": true,
	} {
		if got := missing(vars, expr); got != want {
			t.Errorf("%s may lack its key: %v", expr, got)
		}
	}
}

// statement parses one.
func statement(t *testing.T, text string) ast.Stmt {
	t.Helper()
	e, err := parser.ParseExpr("func() { " + text + " }")
	if err != nil {
		t.Fatal(text, err)
	}
	return e.(*ast.FuncLit).Body.List[0]
}
