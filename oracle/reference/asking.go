package reference

import (
	"go/ast"
	"math/rand/v2"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/gen"
	"misstep/history"
	"misstep/history/timeline"
)

// callsAt are the calls that a program was recorded with before a statement.
func callsAt(w *history.Watched) (calls []string) {
	if w == nil {
		return nil
	}
	return callsOf(w.Exprs)
}

// callsOf are those of some expressions that call a function of the program.
func callsOf(exprs []string) []string {
	return slices.DeleteFunc(slices.Clone(exprs), func(x string) bool { return !strings.HasPrefix(x, "call ") })
}

// ask is an expression to evaluate, or the variables to show, in any frame.
func (t *Tour) ask(p *dap.Pause) (dap.Action, bool) {
	frame := 0
	if len(p.Stack) > 1 && t.r.IntN(3) == 0 {
		frame = 1 + t.r.IntN(min(len(p.Stack)-1, 4))
	}
	if frame == 0 && t.r.IntN(10) == 0 {
		look := []func(*rand.Rand, *dap.Pause) (dap.Action, bool){gen.Memory, gen.Prompt}[t.r.IntN(2)]
		if a, ok := look(t.r, p); ok {
			return a, true
		}
	}
	if _, own := t.m.Files[p.Stack[frame].File]; frame > 0 && own && t.r.IntN(2) == 0 {
		return dap.Action{Kind: dap.Vars, Frame: frame}, true
	}
	expr, ok := t.computed(p, frame)
	return dap.Action{Kind: dap.Evaluate, Frame: frame, Name: expr}, ok
}

// computed is an expression that the program was recorded with where a frame is.
func (t *Tour) computed(p *dap.Pause, frame int) (string, bool) {
	var exprs []string
	if w := t.m.LineAt(p.Stack[frame].File, p.Stack[frame].Line).Watched; w != nil {
		exprs = w.Exprs
	} else if frame == 0 {
		exprs = t.ofEntry(p.Top())
	}
	if len(exprs) == 0 {
		return "", false
	}
	expr := exprs[t.r.IntN(len(exprs))]
	return expr, frame == 0 || !strings.HasPrefix(expr, "call ")
}

// ofEntry are the expressions of its parameters that a function's first statement was recorded with, if a frame is where that function
// begins.
func (t *Tour) ofEntry(f dap.Frame) (exprs []string) {
	for n, fn := range t.m.Plan.Funcs {
		node, _ := t.m.Code.Node(n)
		d, ok := node.(*ast.FuncDecl)
		if !ok || d.Body == nil || len(d.Body.List) == 0 || fn.Line != f.Line || t.m.Plan.Files[fn.File].Name != f.File {
			continue
		}
		_, pkg := t.m.Code.Node(n)
		w := t.m.LineAt(f.File, pkg.Fset.PositionFor(d.Body.List[0].Pos(), false).Line).Watched
		if w == nil {
			continue
		}
		x := &timeline.Activation{Activation: &history.Activation{Func: n}, Steps: []timeline.Step{{}, {Node: d.Body.List[0]}}}
		for _, e := range w.Exprs {
			if t.m.ofParameters(x, e) {
				exprs = append(exprs, e)
			}
		}
	}
	return exprs
}

// elsewhere asks about a goroutine that has not paused.
func (t *Tour) elsewhere(v gen.View) (dap.Action, bool) {
	own := func(file string) bool {
		_, recorded := t.m.Files[file]
		return recorded
	}
	return gen.Elsewhere(t.r, own, v, t.computed)
}

// declared finds the functions and methods of a name.
func (m *Model) declared(name string) (all []gen.Declared) {
	for n, f := range m.Plan.Funcs {
		node, _ := m.Code.Node(n)
		if d, ok := node.(*ast.FuncDecl); ok && d.Name.Name == name {
			all = append(all, gen.Declared{Decl: d, File: m.Plan.Files[f.File].Name, First: f.Line, Last: f.EndLine})
		}
	}
	return all
}
