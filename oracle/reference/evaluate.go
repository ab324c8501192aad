package reference

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/history"
	"misstep/history/timeline"
)

// truth is the value of an expression at an execution of a statement by the
// goroutine of a track. What other goroutines may change, it does not know.
func (j *judge) truth(x *timeline.Activation, s timeline.Step, expr string) (history.Value, bool) {
	w := j.m.Watched(x, s)
	if w == nil || !slices.Contains(w.Exprs, expr) || j.m.Concurrent() && !j.m.lasting(x, s, expr) {
		return history.Value{}, false
	}
	snap, ok := j.m.Snaps.At(j.t.Goroutine, w.Path, w.Offset, s.Nth)
	if !ok {
		return history.Value{}, false
	}
	i := slices.IndexFunc(snap.Exprs, func(v history.Value) bool { return v.Name == expr })
	if i < 0 {
		return history.Value{}, false
	}
	return snap.Exprs[i], true
}

// early is the truth when the code of a breakpoint's line is reached, which may be later than
// the beginning of the statement.
func (j *judge) early(mo timeline.Moment, expr string) (history.Value, bool) {
	s := mo.Activation.Steps[mo.Step]
	if j.m.late(mo.Activation, s) && !j.m.lasting(mo.Activation, s, expr) {
		return history.Value{}, false
	}
	return j.truth(mo.Activation, s, expr)
}

// holds reports whether the condition of a breakpoint holds at an execution of its
// line.
func (j *judge) holds(p *point, n int) (holds, known bool) {
	mo := j.m.Moments[n]
	if p.condition == "true" || p.condition == "false" {
		if _, pkg := j.m.Code.Node(mo.Activation.Func); pkg != nil && !redefines(pkg) {
			return p.condition == "true", true
		}
	}
	v, ok := j.early(mo, p.condition)
	return v.Text == "true", ok && v.Kind == "bool"
}

// redefines reports whether a package gives true or false another meaning.
func redefines(pkg *history.Package) bool {
	for id := range pkg.Info.Defs {
		if id.Name == "true" || id.Name == "false" {
			return true
		}
	}
	return false
}

// message is what a log point prints at an execution of its line.
func (j *judge) message(p *point, n int) (string, bool) {
	texts, exprs := holes(p.log)
	mo := j.m.Moments[n]
	var b strings.Builder
	for i, text := range texts {
		b.WriteString(text)
		if i == len(exprs) {
			break
		}
		v, ok := j.early(mo, exprs[i])
		if !ok {
			return "", false
		}
		switch v.Kind {
		case "bool", "int", "int8", "int16", "int32", "int64", "uint", "uint16", "uint32", "uint64":
			b.WriteString(v.Text)
		default:
			return "", false
		}
	}
	return b.String(), true
}

// frame finds the activation and the step of a frame of the pause at which the
// session is, by the number of the frame on the stack.
func (j *judge) frame(p *dap.Pause, n int) (*timeline.Activation, int) {
	mo := j.m.Moments[j.at]
	x, at := mo.Activation, mo.Step
	for i, f := range p.Stack {
		if _, own := j.m.Files[f.File]; !own || wrapper(p, i) {
			if i == n {
				return nil, 0
			}
			continue
		}
		if i == n {
			return x, at
		}
		if x == nil {
			return nil, 0
		}
		x, at = x.Parent, x.Call
	}
	return nil, 0
}

// evaluate judges what an expression gave, where the truth was computed.
func (j *judge) evaluate(i int, a dap.Action, out *dap.Output) {
	const rule = "R9-evaluate"
	p := j.pause(i)
	// What was recorded at this moment was so before the assignment.
	if j.fresh || p == nil || j.track == nil || j.lost || j.at < j.t.Lo || j.at >= j.t.Hi || a.Frame >= len(p.Stack) {
		j.missed(rule)
		return
	}
	x, at := j.frame(p, a.Frame)
	if x == nil || at < 0 || at >= len(x.Steps) {
		j.missed(rule)
		return
	}
	s := x.Steps[at]
	mo := j.m.Moments[j.at]
	late := a.Frame > 0 || mo.Call > 0 || j.behind || j.m.late(x, s) || p.Stack[a.Frame].Line != s.First
	if p.Stack[a.Frame].Line < s.First || p.Stack[a.Frame].Line > s.Last || late && !j.m.lasting(x, s, a.Name) {
		j.missed(rule)
		return
	}
	truth, ok := j.truth(x, s, a.Name)
	if !ok {
		j.missed(rule)
		return
	}
	// What a call panics with is an answer, too.
	if v := out.Value; v != nil && truth.Kind == "panic" && strings.HasPrefix(a.Name, "call ") && strings.HasPrefix(v.Type+v.Value, "interface {}") {
		j.made(rule)
		return
	}
	if out.Kind == dap.Refused || out.Value == nil {
		j.check(i, rule, truth.Kind == "panic" || limits(out.Text) || j.m.dropped(x, a.Name, out.Text), dap.DiffVariables, a.Name, cmp.Or(truth.Text, truth.Kind), out.Text)
		return
	}
	if truth.Kind == "panic" {
		j.check(i, rule, false, dap.DiffVariables, a.Name, Panics, out.Value.Value)
		return
	}
	what, want, got := differ(truth, *out.Value, a.Name)
	j.check(i, rule, what == "", dap.DiffVariables, what, want, got)
}

// limits reports whether an answer says that Delve's expression language has not what
// Go has: slices with three indices, zero values of keys that a map has not,
// operators, calls that could keep an address on the stack.
func limits(text string) bool {
	for _, s := range []string{"3-index slice expressions not supported", "key not found", "not implemented", "operator", "stack object passed to escaping pointer"} {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}

// dropped reports whether an answer says that a package's variable or a method is not
// there: the linker leaves out those that nothing uses.
func (m *Model) dropped(x *timeline.Activation, expr, text string) bool {
	if strings.HasPrefix(expr, "call ") && strings.Contains(text, "has no member") {
		return true
	}
	_, name, ok := strings.Cut(text, "could not find symbol value for ")
	_, pkg := m.Code.Node(x.Func)
	if !ok || pkg == nil {
		return false
	}
	v, ok := pkg.Types.Scope().Lookup(name).(*types.Var)
	return ok && v.Parent() == pkg.Types.Scope()
}

// pause is the last one before an event.
func (j *judge) pause(i int) *dap.Pause {
	for i--; i >= 0; i-- {
		if j.events[i].Action.Kind.Resumes() || j.events[i].Action.Kind == dap.Restart {
			return j.events[i].Output.Pause
		}
	}
	return nil
}

// lasting reports whether an expression has the same value during a statement's calls
// as before it: it reads only local variables of flat types that nothing else can
// reach.
func (m *Model) lasting(x *timeline.Activation, s timeline.Step, text string) bool {
	node, pkg := m.Code.Node(x.Func)
	expr, err := parser.ParseExpr(text)
	if err != nil || pkg == nil || s.Node == nil {
		return false
	}
	ok := true
	scope := pkg.Scope(s.Node.Pos())
	ast.Inspect(expr, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr, *ast.StarExpr, *ast.IndexExpr, *ast.SliceExpr:
			ok = false
		case *ast.Ident:
			_, obj := scope.LookupParent(n.Name, s.Node.Pos())
			switch obj := obj.(type) {
			case *types.Var:
				ok = ok && private(pkg, node, obj)
			case *types.TypeName, *types.Builtin, *types.Const, *types.Nil:
			default:
				ok = false
			}
		}
		return ok
	})
	return ok
}

// private reports whether a variable of a function has a basic type, and only the
// function's own statements change it.
func private(pkg *history.Package, fn ast.Node, v *types.Var) bool {
	if _, basic := v.Type().Underlying().(*types.Basic); !basic || v.Pos() < fn.Pos() || v.Pos() > fn.End() {
		return false
	}
	ok := true
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.UnaryExpr:
			if id, is := ast.Unparen(n.X).(*ast.Ident); is && n.Op == token.AND && pkg.Info.Uses[id] == v {
				ok = false
			}
		case *ast.FuncLit:
			if n == fn {
				return true
			}
			ast.Inspect(n.Body, func(n ast.Node) bool {
				if id, is := n.(*ast.Ident); is && pkg.Info.Uses[id] == v {
					ok = false
				}
				return ok
			})
		case *ast.SelectorExpr:
			// A method with a pointer receiver takes the address.
			if id, is := ast.Unparen(n.X).(*ast.Ident); is && pkg.Info.Uses[id] == v {
				ok = false
			}
		}
		return ok
	})
	return ok
}
