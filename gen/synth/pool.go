package synth

// The pool is what fragments are made of and stand in: a program with values of all kinds of types, of which only what a
// fragment uses stays, and short strings of the productions.

// globals are declarations of the package. What one of them uses comes before it.
var globals = []string{
	"const limit = 3",
	"var count int",
	"func keep(vs ...any) { count += len(vs) }",
	"var never bool",
	"type point struct{ x, y int }",
	"func (p point) sum() int { return p.x + p.y }",
	"func (p *point) move(n int) { p.x += n }",
	"type shape interface{ sum() int }",
	"type number interface{ ~int | ~float64 }",
	"type pair[K comparable, V any] struct {\nkey K\nvalue V\n}",
	"func double[T number](v T) T { return v + v }",
	"func apply(f func(int) int, n int) int { return f(n) }",
	"func add(ns ...int) int { return len(ns) }",
	"func both() (int, string) { return 1, \"a\" }",
	"func each(yield func(int, string) bool) { _ = yield(1, \"a\") && yield(2, \"b\") }",
	"func filled() chan int {\nch := make(chan int, 8)\nch <- 5\nch <- 6\nreturn ch\n}",
}

// locals are declarations of the function that a fragment stands in, and what is printed of their variables at the end.
var locals = []struct{ name, text, shown string }{
	{"n", "n := 2", "n"},
	{"k", "k := 3", "k"},
	{"s", "s := \"ab\"", "s"},
	{"b", "b := true", "b"},
	{"f", "f := 1.5", "f"},
	{"c", "c := 1i", "c"},
	{"xs", "xs := []int{1, 2, 3}", "len(xs)"},
	{"arr", "arr := [3]int{4, 5, 6}", "arr[0]"},
	{"m", "m := map[string]int{\"a\": 1}", "len(m)"},
	{"t", "t := point{3, 4}", "t.x"},
	{"p", "p := &point{1, 2}", "p.x"},
	{"sh", "var sh shape = point{5, 6}", "sh != nil"},
	{"v", "var v any = 7", "v != nil"},
	{"e", "var e error", "e == nil"},
	{"ch", "ch := filled()", "len(ch)"},
	{"fn", "fn := func(a int) int { return a + 1 }", "fn != nil"},
	{"pr", "pr := pair[string, int]{\"k\", 1}", "pr.key"},
}

// qualified are identifiers of packages, and whether they are types.
var qualified = []struct {
	pkg, name string
	typ       bool
}{
	{"math", "Pi", false}, {"strings", "ToUpper", false}, {"errors", "New", false}, {"strings", "Builder", true}, {"time", "Duration", true}, {"time", "Second", false},
}

// expressions stand for an Expression that nothing is wanted of.
var expressions = []string{
	"n", "k", "s", "b", "f", "c", "xs", "xs", "arr", "m", "t", "p", "sh", "v", "e", "ch", "fn", "pr", "limit", "nil", "1", "2", "0", "\"a\"", "true", "1.5",
	"xs[0]", "m[\"a\"]", "t.x", "len(xs)", "<-ch", "n < 3", "n == k", "n + 1", "fn(n)", "both()", "p.sum()", "p.move(1)", "add(xs...)", "double(n)", "each", "*p", "&t",
	"point{1, 2}", "[]int{1}", "func() { n++ }", "func() { n++ }()", "func(a int) int { return a }", "v.(int)", "println(n)", "int64(n)", "string(s)",
}

// typesOf stand for a Type.
var typesOf = []string{"int", "string", "bool", "float64", "any", "error", "point", "*point", "[]int", "[3]int", "map[string]int", "chan int", "func()", "func(int) int", "shape", "number", "pair[string, int]", "comparable"}

// statements stand for a Statement.
var statements = []string{"n++", "k += n", "println(n)", "s += \"c\"", "xs[0] = n", "t.x = k"}

// names are what identifiers are taken from, by the production around them.
var names = map[string][]string{
	"Selector":   {"x", "y", "sum", "move", "key", "value", "Error"},
	"FieldName":  {"x", "y", "key", "value"},
	"MethodName": {"sum", "move", "made"},
	"TypeName":   {"int", "string", "point", "any", "pair", "number", "comparable", "error", "float64"},
	"OperandName": {
		"n", "k", "s", "b", "f", "c", "xs", "arr", "m", "t", "p", "sh", "v", "e", "ch", "fn", "pr", "limit", "nil", "true", "len", "both", "add", "double", "apply", "each", "println",
		"cap", "append", "copy", "delete", "make", "new", "min", "max", "complex", "real", "imag", "clear", "string", "int",
	},
	"FunctionName":   {"made"},
	"QualifiedIdent": {"Pi", "ToUpper", "New", "Builder", "Duration", "Second"},
}

// shortcuts are strings for productions that nothing is wanted of, and of ten times how often they are taken.
var shortcuts = map[string]struct {
	of    int
	texts []string
}{
	"Expression":    {7, expressions},
	"Type":          {8, typesOf},
	"Statement":     {8, statements},
	"ArrayLength":   {9, []string{"3", "2", "limit"}},
	"Channel":       {9, []string{"ch"}},
	"RecvExpr":      {9, []string{"<-ch"}},
	"Condition":     {8, []string{"b", "n < 9", "n == k"}},
	"PrimaryExpr":   {7, []string{"xs", "arr", "m", "s", "t", "p", "sh", "v", "fn", "pr", "make", "new", "append", "add", "add", "apply", "double", "[]int", "e", "each", "n"}},
	"LiteralType":   {8, []string{"[]int", "[3]int", "point", "map[string]int", "pair[string, int]", "[]point", "map[point]int", "[]any", "[][]int"}},
	"Receiver":      {10, []string{"(p point)", "(p *point)", "(point)"}},
	"StatementList": {4, []string{"n++ ;", "println(k) ;", "k = n ; n = 4 ;"}},
	"ImportPath":    {10, []string{"\"math\"", "\"strings\""}},
}
