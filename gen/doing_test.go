package gen_test

import (
	"go/ast"
	"go/parser"
	"math/rand/v2"
	"slices"
	"testing"

	"misstep/gen"
	"misstep/internal/source"
	"misstep/internal/testhouse"
)

// TestWithin: operands of a call may come of another that leaves a trace, and no other operand may be changed by that one.
func TestWithin(t *testing.T) {
	h := testhouse.New(t)
	seen := map[string]bool{}
	for _, p := range h.Find(t, "corpus/branches", "corpus/declarations", "corpus/strings") {
		src := h.Load(t, p)
		d := gen.NewDoer(src)
		r := rand.New(rand.NewPCG(1, 2))
		for _, f := range src.Funcs() {
			for line := f.Line; line < f.End; line++ {
				for range 20 {
					text, ok := d.CallAt(r, source.Place{File: f.File, Line: line}, nil)
					if !ok {
						continue
					}
					x, err := parser.ParseExpr(text)
					if err != nil {
						t.Fatalf("%s: %s: %v", p.Name, text, err)
					}
					inner, others := 0, 0
					for _, arg := range x.(*ast.CallExpr).Args {
						switch arg := arg.(type) {
						case *ast.CallExpr:
							if id, ok := arg.Fun.(*ast.Ident); ok && slices.ContainsFunc(src.Funcs(), func(f source.Func) bool { return f.Name == "main."+id.Name }) {
								inner++
							}
						case *ast.BasicLit:
						case *ast.Ident:
							if arg.Name != "true" && arg.Name != "false" && arg.Name != "nil" {
								others++
							}
						default:
							others++
						}
					}
					if inner > 1 || inner == 1 && others > 0 {
						t.Errorf("%s: when the operands of %s are read is not specified", p.Name, text)
					}
					if inner == 1 {
						seen[p.Name] = true
					}
				}
			}
		}
	}
	if len(seen) != 3 {
		t.Errorf("calls within calls were made up for %v alone", seen)
	}
}
