package gen_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"misstep/dap"
	"misstep/gen"
	"misstep/internal/testhouse"
)

// TestWrong: what makes no sense is of many forms, the same for the same seed, and calls nothing but what leaves no trace.
func TestWrong(t *testing.T) {
	h := testhouse.New(t)
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module program\n\ngo 1.26\n", "main.go": wrongProgram} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	src := h.Load(t, h.Find(t, dir)[0])
	p := &dap.Pause{
		Stack:  []dap.Frame{{Func: "main.outer", File: "main.go", Line: 8}, {Func: "main.main", File: "main.go", Line: 13}},
		Scopes: []dap.Scope{{Name: "Locals", Vars: []dap.Variable{{Name: "f", Type: "func() int"}, {Name: "(n)", Type: "int"}, {Name: "b", Children: []dap.Variable{{Name: "n"}}}}}},
	}
	all := func() (texts []string) {
		r := rand.New(rand.NewPCG(1, 1))
		for range 2000 {
			if text, ok := gen.Wrong(r, src, p, r.IntN(2)); ok {
				texts = append(texts, text)
			}
		}
		return texts
	}
	texts := all()
	for i, text := range all() {
		if text != texts[i] {
			t.Fatalf("%q, and then %q", texts[i], text)
		}
	}
	whole := strings.Join(texts, "\n")
	for _, form := range []string{"f.", "b.n", ".(", "[", "*", "&", "<<", "len(", "append(", "{", "nil", "runtime.frame(", "call pure(", "\n\n", "\"", "int("} {
		if !strings.Contains(whole, form) {
			t.Errorf("nothing with %q", form)
		}
	}
	if strings.Contains(whole, "call prints") || strings.Contains(whole, "call outer") {
		t.Error("a call that leaves a trace")
	}
	if _, ok := gen.Wrong(rand.New(rand.NewPCG(1, 1)), src, p, 2); ok {
		t.Error("something for a frame that there is not")
	}
}

const wrongProgram = `package main

func pure(n int) int { return n + 1 }

func prints(n int) { println(n) }

func outer(n int) (f func() int) {
	prints(pure(n))
	return func() int { return n }
}

func main() {
	println(outer(1)())
}
`
