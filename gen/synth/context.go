package synth

import (
	"fmt"
	"go/ast"
	"go/token"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// The context of a fragment: a program with values of all kinds of types, of which only what a fragment uses stays. Each
// declaration is a line by the name that it declares.

type declared struct {
	name, text string
	shown      string // what is printed of a variable at the end
}

// globals are declarations of the package. What one of them uses comes before it.
var globals = []declared{
	{name: "limit", text: "const limit = 3"},
	{name: "count", text: "var count int"},
	{name: "keep", text: "func keep(vs ...any) { count += len(vs) }"},
	{name: "never", text: "var never bool"},
	{name: "point", text: "type point struct{ x, y int }"},
	{name: "point.sum", text: "func (p point) sum() int { return p.x + p.y }"},
	{name: "point.move", text: "func (p *point) move(n int) { p.x += n }"},
	{name: "shape", text: "type shape interface{ sum() int }"},
	{name: "number", text: "type number interface{ ~int | ~float64 }"},
	{name: "pair", text: "type pair[K comparable, V any] struct {\nkey K\nvalue V\n}"},
	{name: "double", text: "func double[T number](v T) T { return v + v }"},
	{name: "apply", text: "func apply(f func(int) int, n int) int { return f(n) }"},
	{name: "add", text: "func add(ns ...int) int { return len(ns) }"},
	{name: "both", text: "func both() (int, string) { return 1, \"a\" }"},
	{name: "each", text: "func each(yield func(int, string) bool) { _ = yield(1, \"a\") && yield(2, \"b\") }"},
	{name: "filled", text: "func filled() chan int {\nch := make(chan int, 8)\nch <- 5\nch <- 6\nreturn ch\n}"},
}

// locals are declarations of the function that a fragment stands in.
var locals = []declared{
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

// identifiers gives leaves of derivations: identifiers of the context, and now and then what is shorter than a derivation.
type identifiers struct {
	r      *rand.Rand
	fresh  int
	vars   []string // that the fragment declares
	types  []string
	mostly map[string][]string
}

func (ids *identifiers) leaf(d *derivation, production string) (string, bool) {
	if s, ok := shortcuts[production]; ok && ids.r.IntN(10) < s.of {
		return ids.pick(production, s.texts), true
	}
	switch production {
	case "string_lit":
		if d.path[len(d.path)-1] == "ImportPath" {
			return shortcuts["ImportPath"].texts[ids.r.IntN(2)], true
		}
	case "identifier":
		return ids.identifier(d), true
	case "QualifiedIdent":
		var fit []string
		for _, q := range qualified {
			if q.typ == slices.Contains(d.path, "TypeName") {
				fit = append(fit, q.pkg+"."+q.name)
			}
		}
		return fit[ids.r.IntN(len(fit))], true
	}
	return "", false
}

// few is how many of a list an attempt mostly takes from, so that what it takes belongs together now and then.
const few = 3

// pick takes one of a list, by the name of what it stands for.
func (ids *identifiers) pick(of string, list []string) string {
	if ids.mostly[of] == nil {
		for range few {
			ids.mostly[of] = append(ids.mostly[of], list[ids.r.IntN(len(list))])
		}
	}
	if ids.r.IntN(4) > 0 {
		list = ids.mostly[of]
	}
	return list[ids.r.IntN(len(list))]
}

// identifier is one that may stand where the derivation is.
func (ids *identifiers) identifier(d *derivation) string {
	around := d.path[len(d.path)-1]
	outer := ""
	if len(d.path) > 1 {
		outer = d.path[len(d.path)-2]
	}
	if around == "PackageName" {
		if outer == "ImportSpec" {
			return "alias"
		}
		return qualified[ids.r.IntN(len(qualified))].pkg
	}
	switch around {
	case "Label":
		switch outer {
		case "GotoStmt":
			return "done"
		case "BreakStmt", "ContinueStmt":
			return "loop"
		}
		ids.fresh++
		return fmt.Sprintf("again%d", ids.fresh)
	case "TypeDef", "AliasDecl":
		ids.fresh++
		name := fmt.Sprintf("made%d", ids.fresh)
		ids.types = append(ids.types, name)
		return name
	case "IdentifierList", "TypeSwitchGuard":
		if outer == "TypeParamDecl" {
			ids.fresh++
			name := fmt.Sprintf("T%d", ids.fresh)
			ids.types = append(ids.types, name)
			return name
		}
		if ids.r.IntN(12) == 0 {
			return "_"
		}
		ids.fresh++
		name := fmt.Sprintf("v%d", ids.fresh)
		ids.vars = append(ids.vars, name)
		return name
	case "TypeName":
		if len(ids.types) > 0 && ids.r.IntN(3) == 0 {
			return ids.types[ids.r.IntN(len(ids.types))]
		}
	case "OperandName":
		if len(ids.vars) > 0 && ids.r.IntN(4) == 0 {
			return ids.vars[ids.r.IntN(len(ids.vars))]
		}
	}
	if list := names[around]; list != nil {
		return ids.pick(around, list)
	}
	return "n"
}

// places are the kinds of place that a statement may stand at.
var places = []string{"main", "function", "loop", "case"}

// A chunk is a part of a program's text. Those of a group other than 0 are left out together if nothing uses them.
type chunk struct {
	text  string
	group int
}

// join is the program that chunks make, without some groups.
func join(chunks []chunk, without map[int]bool) string {
	var b strings.Builder
	for _, c := range chunks {
		if c.group == 0 || !without[c.group] {
			b.WriteString(c.text + "\n")
		}
	}
	return b.String()
}

// named is an identifier of a package.
var named = regexp.MustCompile(`[a-z] *\. *[A-Z]`)

// program puts a fragment into the context: a declaration of the package or of imports, or a statement at a place. Call is
// what main does beside.
func program(fragment, start, place, call string) (chunks []chunk, groups int) {
	add := func(format string, args ...any) { chunks = append(chunks, chunk{fmt.Sprintf(format, args...), 0}) }
	add("package main\n")
	if start == "ImportDecl" {
		add("%s\n", fragment)
		if place != "main" {
			add("import \"os\"\n\nvar _ = os.Args\n")
		}
	}
	imported := map[string]bool{}
	for _, q := range qualified {
		if named.MatchString(fragment) && strings.Contains(strings.ReplaceAll(fragment, " ", ""), q.pkg+"."+q.name) && !imported[q.pkg] {
			imported[q.pkg] = true
			add("import %q\n", q.pkg)
		}
	}
	for _, g := range globals {
		groups++
		chunks = append(chunks, chunk{g.text + "\n", groups})
	}
	if start == "TopLevelDecl" {
		add("%s\n", fragment)
	}
	if place == "main" {
		add("func main() {")
	} else {
		add("func work() (res int, err error) {")
	}
	first := groups
	for _, l := range locals {
		groups++
		chunks = append(chunks, chunk{l.text, groups})
	}
	if start == "Expression" {
		fragment = "keep(" + fragment + ")"
	}
	if start == "Statement" || start == "Expression" {
		switch place {
		case "loop":
			add("loop:\nfor i := range 2 {\nif i > 5 {\ncontinue loop\n}\n%s\n}", fragment)
		case "case":
			add("switch k {\ncase 3:\n%s\ndefault:\nn = 1\n}", fragment)
		default:
			add("%s", fragment)
		}
	}
	if strings.Contains(fragment, "goto done") {
		add("done:")
	}
	for i, l := range locals {
		chunks = append(chunks, chunk{fmt.Sprintf("println(%s)", l.shown), first + 1 + i})
	}
	if place != "main" {
		add("return\n}\n\nfunc main() {\nres, err := work()\nprintln(res, err == nil)")
	}
	if call != "" {
		add("%s", call)
	}
	add("}")
	return chunks, groups
}

// OfContext reports whether a statement is a declaration of a variable of the context.
func OfContext(s ast.Stmt) bool {
	var name string
	switch s := s.(type) {
	case *ast.AssignStmt:
		if id, ok := s.Lhs[0].(*ast.Ident); ok && s.Tok == token.DEFINE {
			name = id.Name
		}
	case *ast.DeclStmt:
		if g, ok := s.Decl.(*ast.GenDecl); ok && g.Tok == token.VAR && len(g.Specs) == 1 {
			name = g.Specs[0].(*ast.ValueSpec).Names[0].Name
		}
	}
	return slices.ContainsFunc(locals, func(l declared) bool { return l.name == name })
}

// Within is the fragment within the statement of the context that it stands in, if it does.
func Within(s ast.Stmt) ast.Stmt {
	switch outer := s.(type) {
	case *ast.LabeledStmt:
		if loop, ok := outer.Stmt.(*ast.RangeStmt); ok && outer.Label.Name == "loop" && len(loop.Body.List) > 1 {
			return loop.Body.List[1] // after what uses the label
		}
	case *ast.SwitchStmt:
		tag, ok := outer.Tag.(*ast.Ident)
		if len(outer.Body.List) == 0 {
			return s
		}
		if first, is := outer.Body.List[0].(*ast.CaseClause); ok && is && tag.Name == "k" && len(first.Body) > 0 {
			return first.Body[0]
		}
	}
	return s
}
