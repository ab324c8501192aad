package gen_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"misstep/dap"
	"misstep/gen"
	"misstep/internal/source"
	"misstep/internal/testhouse"
)

// TestUnsafely: what is made of unsafe.Pointer where that is imported, and that nothing is elsewhere.
func TestUnsafely(t *testing.T) {
	const body = "type config struct{ limit int }\n\nfunc main() {\n\tc := &config{3}\n\tn, p := 1, %s\n\tprintln(c, n, (*config)(p))\n}\n"
	h := testhouse.New(t)
	for _, c := range []struct{ imports, pointer, text string }{
		{"import \"unsafe\"\n\n", "unsafe.Pointer(c)", strings.Replace(body, "%s", "unsafe.Pointer(c)", 1)},
		{"", "", strings.Replace(body, "%s", "c", 1)},
	} {
		p, err := h.Finder().Unpack(context.Background(), "unsafely", txtar.Parse([]byte("-- go.mod --\nmodule unsafely\n\ngo 1.23\n-- main.go --\npackage main\n\n"+c.imports+c.text)))
		if err != nil {
			t.Fatal(err)
		}
		src := h.Load(t, p)
		funcs := src.Funcs()
		fn := funcs[slices.IndexFunc(funcs, func(f source.Func) bool { return f.Name == "main.main" })]
		at := source.Place{File: fn.File, Line: fn.End - 1}
		pause := &dap.Pause{Reason: "breakpoint", Stack: []dap.Frame{{Func: fn.Name, File: at.File, Line: at.Line}}}
		scope := dap.Scope{Name: "Locals"}
		for _, name := range src.Locals(at) {
			scope.Vars = append(scope.Vars, dap.Variable{Name: name, Value: "1"})
		}
		pause.Scopes = []dap.Scope{scope}
		made := map[string]int{}
		forms := []string{"unsafe.Pointer(c)", "(*main.config)(unsafe.Pointer(c))", "(*int)(unsafe.Pointer(&n))", "(*main.config)(p).limit"}
		for i := range 4000 {
			text, _ := gen.Expression(rand.New(rand.NewPCG(uint64(i), 1)), src, pause, 0)
			for _, form := range forms {
				if strings.Contains(text, form) {
					made[form]++
				}
			}
		}
		for i, form := range forms {
			// Without unsafe.Pointer, what is converted is a pointer of the type already.
			if want := c.pointer != ""; (made[form] > 0) != want && (want || i < 3) {
				t.Errorf("with %q: %d of the form %s, wanted some: %t", c.imports, made[form], form, want)
			}
		}
	}
}
