// Package random makes Go programs that nobody has written, so that a debugger, and misstep
// itself, is tried on what no example shows.
//
// A program is a few functions of random statements and a main function that calls them and
// prints what they return. The statements are those of the language specification ("Statements"
// and "Declarations and scope"), nested in each other, each in several forms: with and without an
// initialisation, a condition, a label, a value; on lines of their own or together on one. The
// expressions in them are of a few types, and call functions, methods and function literals.
//
// A program made from a seed is always the same. It compiles, is deterministic (maps that are
// ranged over have one entry, goroutines are waited for, a select has one case that is ready),
// ends after a few thousand statements (each loop has at most three iterations, and a function
// only calls those after it), and neither crashes nor reads anything. It is written as a person
// would indent it, and gofmt may disagree about what is on one line.
//
// What it does not have: packages beside the standard library's fmt, recursion, unsafe, and data
// races.
package random

import (
	"fmt"
	"math/rand"
	"strings"
)

// Program is the text of a program's only file.
func Program(seed int64) string {
	w := &writer{rand: rand.New(rand.NewSource(seed)), functions: 3}
	w.functions += w.rand.Intn(3)
	w.line("package main")
	w.line("")
	w.line("import \"fmt\"")
	w.line("")
	for _, l := range strings.Split(strings.TrimSpace(declarations), "\n") {
		w.line("%s", l)
	}
	for n := range w.functions {
		w.function(n)
	}
	w.line("")
	w.line("func main() {")
	for n := range w.functions {
		w.line("\tfmt.Println(f%d(%d, []int{%s}, %q))", n, w.rand.Intn(5), w.numbers(3), "ab"[:1+w.rand.Intn(2)])
	}
	w.line("}")
	return w.text.String()
}

// declarations are of the types and functions that the statements use.
const declarations = `
type pair struct {
	a, b int
}

func (p pair) sum() int {
	return p.a + p.b
}

func (p *pair) add(n int) {
	p.a += n
	p.b++
}

type named struct {
	pair
	name string
}

type shape interface{ sum() int }

type count int

func (c count) sum() int { return int(c) }

type box[T any] struct{ v T }

func (b box[T]) get() T {
	return b.v
}

func pick[T any](ok bool, x, y T) T {
	if ok {
		return x
	}
	return y
}

func all(xs ...int) (n int) {
	for _, x := range xs {
		n += x
	}
	return
}

func two(n int) (int, string) {
	if n%2 == 0 {
		return n, "even"
	}
	return n + 1, "odd"
}

func upto(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

func safe(f func() int) (n int) {
	defer func() {
		if r := recover(); r != nil {
			n = -1
		}
	}()
	return f()
}`

// A writer writes a program.
type writer struct {
	rand      *rand.Rand
	text      strings.Builder
	functions int
	depth     int // of the block that is written, from 1 in a function's body
	names     int // that were declared
	scopes    []scope
	fn        int     // the function that is written
	loops     []*mark // around, in the function or literal that is written
	calls     int     // of others that it has
	room      int     // statements that the function may still have
	literal   int     // function literals around
	result    string  // what the function or literal around returns: its type, or empty
}

// A scope has the variables of a block by their types.
type scope map[string][]string

// A mark is a statement that a break, and if it is a loop a continue, may name.
type mark struct {
	label string
	loop  bool
	used  bool
}

func (w *writer) line(format string, args ...any) {
	if s := fmt.Sprintf(format, args...); s != "" {
		w.text.WriteString(strings.Repeat("\t", w.depth) + s)
	}
	w.text.WriteByte('\n')
}

// one returns one of several.
func one[T any](w *writer, of ...T) T { return of[w.rand.Intn(len(of))] }

// chance reports true in one of n cases.
func (w *writer) chance(n int) bool { return w.rand.Intn(n) == 0 }

func (w *writer) numbers(n int) string {
	var out []string
	for range n {
		out = append(out, fmt.Sprint(w.rand.Intn(9)-2))
	}
	return strings.Join(out, ", ")
}

// function writes the nth function. All have the same parameters; those with a named result may
// change it in what they defer.
func (w *writer) function(n int) {
	w.fn, w.room, w.names, w.calls, w.result = n, 14+w.rand.Intn(14), 0, 0, "int"
	w.line("")
	result := one(w, "int", "(r int)")
	w.line("func f%d(n int, xs []int, s string) %s {", n, result)
	w.scopes = []scope{{"int": {"n"}, "[]int": {"xs"}, "string": {"s"}}}
	if result != "int" {
		w.scopes[0]["int"] = append(w.scopes[0]["int"], "r")
	}
	w.depth++
	w.line("sum := 0")
	w.scopes[0]["int"] = append(w.scopes[0]["int"], "sum")
	w.statements(3 + w.rand.Intn(4))
	w.line("return %s", one(w, "sum", "sum + n", "sum*2 - n", w.expression("int", 2)))
	w.depth--
	w.line("}")
}

// block writes statements between braces, without the braces themselves, with variables of its
// own: name and type in turns.
func (w *writer) block(n int, declared ...string) {
	s := scope{}
	for i := 0; i+1 < len(declared); i += 2 {
		s[declared[i+1]] = append(s[declared[i+1]], declared[i])
	}
	w.scopes = append(w.scopes, s)
	w.depth++
	if w.depth > 4 {
		n = min(n, 1)
	}
	w.statements(n)
	w.depth--
	w.scopes = w.scopes[:len(w.scopes)-1]
}

// fresh declares a variable.
func (w *writer) fresh(typ string) string {
	w.names++
	name := fmt.Sprintf("%s%d", map[string]string{"int": "v", "[]int": "l", "string": "t", "bool": "ok", "pair": "p", "*pair": "q", "map[string]int": "m", "func(int) int": "g", "shape": "h"}[typ], w.names)
	return name
}

func (w *writer) declare(name, typ string) {
	s := w.scopes[len(w.scopes)-1]
	s[typ] = append(s[typ], name)
}

// variable is a variable of a type that is in scope, or empty.
func (w *writer) variable(typ string) string {
	var all []string
	for _, s := range w.scopes {
		all = append(all, s[typ]...)
	}
	if len(all) == 0 {
		return ""
	}
	return one(w, all...)
}
