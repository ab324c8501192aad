package reference

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"misstep/dap"
	"misstep/finding"
	"misstep/history"
	"misstep/history/timeline"
	"misstep/oracle"
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

// message holds a message against what a log point prints at an execution of its line: its
// own text, and the values of its expressions. Known is false if the truth about one is not
// known; the parts before it are compared.
func (j *judge) message(p *point, n int, got string) (bad mismatch, known bool) {
	texts, exprs := holes(p.log)
	mo := j.m.Moments[n]
	rest := got
	for i, text := range texts {
		after, ok := strings.CutPrefix(rest, text)
		if !ok {
			return mismatch{"", strconv.Quote(text), strconv.Quote(rest)}, true
		}
		if i == len(exprs) {
			if after != "" {
				return mismatch{"", "no more", strconv.Quote(after)}, true
			}
			break
		}
		v, ok := j.early(mo, exprs[i])
		if !ok || v.Kind == "panic" {
			return mismatch{}, false
		}
		shown := after
		if quoted, err := strconv.QuotedPrefix(after); err == nil {
			shown = quoted
		} else if next := texts[i+1]; next != "" {
			shown, _, _ = strings.Cut(after, next)
		} else if i+1 < len(exprs) {
			return mismatch{}, false // where the value ends is not known
		}
		rest = after[len(shown):]
		v.Children, v.Type = nil, ""
		if m := compare(v, dap.Variable{Value: shown}, exprs[i]); m != (mismatch{}) {
			return m, true
		}
	}
	return mismatch{}, true
}

// frame finds the activation and the step of a frame of the pause at which the
// session is, by the number of the frame on the stack.
func (j *judge) frame(p *dap.Pause, n int) (*timeline.Activation, int) {
	mo := j.m.Moments[j.at]
	x, at := mo.Activation, mo.Step
	for i, f := range p.Stack {
		if _, own := j.m.Files[f.File]; !own || j.m.wrapper(p, i) {
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
		j.unjudged(finding.Answers, unplaced, 1)
		return
	}
	x, at := j.frame(p, a.Frame)
	if x == nil || at < 0 || at >= len(x.Steps) {
		j.missed(rule)
		j.unjudged(finding.Answers, foreign, 1)
		return
	}
	s := x.Steps[at]
	vars, now, why := j.recorded(p, x, s, a.Frame, j.at)
	lasting := j.m.lasting(x, s, a.Name) && !j.m.sets(x, s, a.Name)
	if why == changed || p.Stack[a.Frame].Line < s.First || p.Stack[a.Frame].Line > s.Last || !now && !lasting {
		j.missed(rule)
		j.unjudged(finding.Answers, cmp.Or(why, within), 1)
		return
	}
	truth, ok := history.Value{}, false
	if a.Frame == 0 && j.m.Moments[j.at].Call == 0 || lasting {
		truth, ok = j.truth(x, s, a.Name)
	}
	if v, leads := resolve(vars, a.Name); leads && !ok && why == "" && (!j.m.Concurrent() || lasting) {
		truth, ok = v, true
	}
	if !ok {
		j.missed(rule)
		j.unjudged(finding.Answers, noTruth, 1)
		return
	}
	// What a call panics with is an answer, too.
	if v := out.Value; v != nil && truth.Kind == "panic" && strings.HasPrefix(a.Name, "call ") && strings.HasPrefix(v.Type+v.Value, "interface {}") {
		j.answered(rule)
		return
	}
	switch {
	case out.Kind == dap.Refused || out.Value == nil:
		if truth.Kind == "panic" {
			j.answered(rule)
			return
		}
		lacks := j.m.lacks(x, s, vars, a.Name, out.Text, j.session)
		if lacks == "" && strings.HasPrefix(a.Name, "call ") && strings.Contains(out.Text, "call stopped") && len(j.points) > 0 {
			lacks = "a breakpoint in what it calls"
		}
		if lacks != "" {
			j.missed(rule)
			j.unjudged(finding.Answers, lacks, 1)
			return
		}
		j.judged(finding.Answers, 1)
		j.check(i, rule, false, dap.DiffVariables, a.Name, cmp.Or(truth.Text, truth.Kind), out.Text)
	case truth.Kind == "panic":
		j.judged(finding.Answers, 1)
		j.check(i, rule, false, dap.DiffVariables, a.Name, Panics, out.Value.Value)
	case truth.Kind == history.Unknown:
		j.missed(rule)
		j.unjudged(finding.Answers, unsteady, 1)
	default:
		v := *out.Value
		if len(v.Children) == 1 && v.Children[0].Name == "~r0" && truth.Kind != "struct" {
			v = v.Children[0] // what a call gives is shown as a list of results
		}
		what, want, got := differ(truth, v, a.Name)
		j.check(i, rule, what == "", dap.DiffVariables, what, want, got)
		j.judged(finding.Answers, 1)
	}
}

func (j *judge) answered(rule string) {
	j.made(rule)
	j.judged(finding.Answers, 1)
}

// noTruth is why an answer is not judged.
const noTruth = "the recorded program did not evaluate it"

// lacks says why a refusal is none to judge: Delve's expressions have not what it asks for,
// or the linker has left it out. It is empty where the truth does not allow that.
func (m *Model) lacks(x *timeline.Activation, s timeline.Step, vars []history.Value, expr, text string, seen *oracle.Seen) string {
	e, err := parser.ParseExpr(strings.TrimPrefix(expr, "call "))
	if err != nil {
		return ""
	}
	has := func(is func(ast.Node) bool) bool {
		found := false
		ast.Inspect(e, func(n ast.Node) bool {
			found = found || n != nil && is(n)
			return !found
		})
		return found
	}
	for _, l := range limits {
		if strings.Contains(text, l.text) && has(l.is) {
			return l.why
		}
	}
	switch {
	case strings.Contains(text, "key not found") && missing(vars, expr):
		return "a map without the key"
	case strings.Contains(text, "operations on non-finite floats not implemented"):
		return "numbers that are not finite"
	case strings.Contains(text, "stack object passed to escaping pointer") && strings.HasPrefix(expr, "call "):
		return "a call that might keep an address on the stack"
	case strings.HasPrefix(expr, "call ") && strings.Contains(text, "has no member") && !m.linkedMethods(x, s, e, seen):
		return "a method that the linker left out"
	}
	_, pkg := m.Code.Node(x.Func)
	if pkg != nil && strings.Contains(text, "could not find symbol") {
		var names []string
		ast.Inspect(e, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if v, ok := pkg.Types.Scope().Lookup(id.Name).(*types.Var); ok && v.Parent() == pkg.Types.Scope() {
					names = append(names, packagePath(pkg)+"."+v.Name())
				}
			}
			return true
		})
		if len(names) > 0 && !linked(seen, names) {
			return "a variable that the linker left out"
		}
	}
	return ""
}

// limits are what Delve's expression language has not: the text of the refusal, and what in
// an expression it is about.
var limits = []struct {
	text string
	is   func(ast.Node) bool
	why  string
}{
	{"3-index slice expressions not supported", func(n ast.Node) bool { s, ok := n.(*ast.SliceExpr); return ok && s.Slice3 }, "a slice with three indices"},
	{"not implemented", func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit, *ast.CompositeLit, *ast.TypeAssertExpr:
			return true
		}
		return false
	}, "an expression that Delve has not"},
	{"operator <- not supported", func(n ast.Node) bool { u, ok := n.(*ast.UnaryExpr); return ok && u.Op == token.ARROW }, "an operator that Delve has not"},
}

// linkedMethods reports whether the binary has all methods that an expression calls, as far as
// their receivers are no interfaces.
func (m *Model) linkedMethods(x *timeline.Activation, s timeline.Step, e ast.Expr, seen *oracle.Seen) bool {
	_, pkg := m.Code.Node(x.Func)
	if pkg == nil || s.Node == nil || seen.Debuggee == nil || seen.Debuggee.Build == nil || seen.Debuggee.Build.Symbols == nil {
		return false
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	if types.CheckExpr(pkg.Fset, pkg.Types, s.Node.Pos(), e, info) != nil {
		return false
	}
	all := true
	for _, sel := range info.Selections {
		fn, ok := sel.Obj().(*types.Func)
		if !ok {
			continue
		}
		t := fn.Signature().Recv().Type()
		ptr, isPtr := t.(*types.Pointer)
		if isPtr {
			t = ptr.Elem()
		}
		named, ok := t.(*types.Named)
		if !ok || types.IsInterface(named) || named.TypeArgs() != nil || named.Obj().Pkg() == nil {
			return false
		}
		path := named.Obj().Pkg().Path()
		if named.Obj().Pkg().Name() == "main" {
			path = "main"
		}
		receiver := named.Obj().Name()
		if isPtr {
			receiver = "(*" + receiver + ")"
		}
		all = all && seen.Debuggee.Build.Symbols.Has(path+"."+receiver+"."+fn.Name())
	}
	return all
}

// packagePath is how symbols name a package.
func packagePath(pkg *history.Package) string {
	if pkg.Types.Name() == "main" {
		return "main"
	}
	path, _, _ := strings.Cut(pkg.Path, " ")
	return path
}

// linked reports whether the binary has symbols with all of these names.
func linked(seen *oracle.Seen, names []string) bool {
	if seen.Debuggee == nil || seen.Debuggee.Build == nil || seen.Debuggee.Build.Symbols == nil {
		return false
	}
	for _, name := range names {
		if !seen.Debuggee.Build.Symbols.Has(name) {
			return false
		}
	}
	return true
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
