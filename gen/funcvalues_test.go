package gen_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"misstep/gen"
	"misstep/internal/source"
	"misstep/internal/testhouse"
)

const functionValues = `-- go.mod --
module values

go 1.23
-- main.go --
package main

import (
	"strings"
	"sync"
)

type operation struct {
	name string
	do   func(a, b int) int
}

type size uint8

func (s size) times(n int) size { return s * size(n) }

func adder(n int) func(int) int { return func(m int) int { return n + m } }

func counter() func() uint { n := uint(0); return func() uint { n++; return n } }

func each(yield func(string) bool) { _ = yield("a") && yield("b") }

var table = map[string]func(int) int{"inc": adder(1), "dbl": func(n int) int { return 2 * n }}

var seen int

func main() {
	ops := []operation{{"add", func(a, b int) int { return a + b }}, {"mul", func(a, b int) int { return a * b }}}
	f := size.times
	g := size(3).times
	h := adder(3)
	next := counter()
	note := func(n int8) int8 { seen++; return n }
	trim := strings.TrimSpace
	once := sync.OnceValue[int32](func() int32 { return 3 })
	short := func(s string) bool { return len(s) < 9 }
	again := func(n int16) int16 { return n }
	again = func(n int16) int16 { if n > 0 { return again(n - 1) }; return n }
	for s := range each {
		seen += len(s)
	}
	println(f(2, 3), g(4), h(5), next(), note(6), trim(" x "), short("y"), again(7), once(), ops[0].do(8, 9), table["inc"](10))
}
`

// TestFunctionValues: what a variable, a part of one or a call gives is called, if nothing that it may be leaves a trace.
func TestFunctionValues(t *testing.T) {
	h := testhouse.New(t)
	p, err := h.Finder().Unpack(context.Background(), "values", txtar.Parse([]byte(functionValues)))
	if err != nil {
		t.Fatal(err)
	}
	src := h.Load(t, p)
	funcs := src.Funcs()
	fn := funcs[slices.IndexFunc(funcs, func(f source.Func) bool { return f.Name == "main.main" })]
	at := source.Place{File: fn.File, Line: fn.End - 1}
	made := map[string]int{}
	heads := []string{"f(", "g(", "h(", "].do(", `table["`, "adder(", "next(", "note(", "trim(", "once(", "short(", "again("}
	for i := range 4000 {
		text, ok := gen.CallAt(rand.New(rand.NewPCG(uint64(i), 1)), src, at, src.Locals(at))
		if !ok {
			continue
		}
		for _, head := range heads {
			if strings.Contains(strings.ReplaceAll(text, "main.", ""), " "+head) || strings.HasPrefix(head, "]") && strings.Contains(text, head) {
				made[head]++
			}
		}
	}
	for i, head := range heads {
		// The last six change something, cannot be looked into, are called by a loop's iterator, or call themselves.
		if want := i < 6; (made[head] > 0) != want {
			t.Errorf("%d calls with %s, wanted some: %v", made[head], head, want)
		}
	}
	t.Log(made)
}
