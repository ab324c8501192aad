package reference

import (
	"cmp"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"misstep/dap"
	"misstep/gen"
	"misstep/history"
	"misstep/internal/source"
)

// Probes are the expressions and assignments that a program is recorded with, so
// that the truth about them is known: those that a session will use, and more for
// sessions to choose from.
type Probes struct {
	// Source, if not nil, is where expressions are made up for.
	Source *source.Source
	// Exprs and Sets are wanted wherever they make sense.
	Exprs []string
	Sets  []history.Assignment
}

// Wanted are the probes that actions need.
func Wanted(actions []dap.Action) Probes {
	var p Probes
	for _, a := range actions {
		switch a.Kind {
		case dap.Evaluate:
			p.Exprs = append(p.Exprs, a.Name)
		case dap.SetVar:
			p.Sets = append(p.Sets, history.Assignment{Name: a.Name, Value: a.Value})
		case dap.Break:
			if a.Condition != "" {
				p.Exprs = append(p.Exprs, a.Condition)
			}
			_, exprs := holes(a.Log)
			p.Exprs = append(p.Exprs, exprs...)
		}
	}
	return p
}

// holes cuts a log message at its expressions.
func holes(log string) (texts, exprs []string) {
	for {
		before, rest, ok := strings.Cut(log, "{")
		expr, after, closed := strings.Cut(rest, "}")
		if !ok || !closed {
			return append(texts, log), exprs
		}
		texts, exprs, log = append(texts, before), append(exprs, expr), after
	}
}

// How many expressions, conditions, calls and assignments are made up for a statement.
const eachExprs, eachConditions, eachCalls, eachSets = 8, 2, 2, 3

// ask chooses for a statement. What it makes up follows from the place alone.
func (p *Probes) ask(plan func(path string) string) func(*history.Package, ast.Stmt, []string) ([]string, []history.Assignment) {
	return func(pkg *history.Package, stmt ast.Stmt, vars []string) (exprs []string, sets []history.Assignment) {
		// Some sense only inside of a function that is not generic: elsewhere one
		// expression has many types.
		add := func(text string, truth bool) {
			if text == "" || slices.Contains(exprs, text) || strings.Contains(text[1:], "call ") {
				return
			}
			if t := check(pkg, stmt.Pos(), text); t != nil && (!truth || isBool(t)) && visible(pkg, stmt.Pos(), text, vars) {
				exprs = append(exprs, text)
			}
		}
		set := func(s history.Assignment) {
			_, v := pkg.Scope(stmt.Pos()).LookupParent(s.Name, stmt.Pos())
			if slices.Contains(vars, s.Name) && !slices.Contains(sets, s) && assignable(pkg, stmt.Pos(), s) && !forwarded(pkg, stmt, v) {
				sets = append(sets, s)
			}
		}
		for _, x := range p.Exprs {
			add(x, false)
		}
		for _, s := range p.Sets {
			set(s)
		}
		if p.Source == nil {
			return exprs, sets
		}
		position := pkg.Fset.PositionFor(stmt.Pos(), false)
		at := source.Place{File: plan(position.Filename), Line: position.Line}
		h := fnv.New64a()
		h.Write([]byte(at.String()))
		r := rand.New(rand.NewPCG(h.Sum64(), 0x70726f6265))
		for range eachExprs {
			if x, ok := gen.ExpressionAt(r, p.Source, at, vars, false); ok {
				add(x, false)
			}
		}
		for range eachCalls {
			if x, ok := gen.CallAt(r, p.Source, at, vars); ok {
				add(x, false)
			}
		}
		for range eachConditions {
			if x, ok := gen.ExpressionAt(r, p.Source, at, vars, true); ok {
				add(x, true)
			}
		}
		for range eachSets {
			if len(vars) > 0 {
				name := vars[r.IntN(len(vars))]
				if v := another(r, pkg, stmt.Pos(), name); v != "" {
					set(history.Assignment{Name: name, Value: v})
				}
			}
		}
		return exprs, sets
	}
}

// check is the type of an expression at a place; nil if it has none there.
func check(pkg *history.Package, pos token.Pos, text string) types.Type {
	x, err := parser.ParseExpr(strings.TrimPrefix(text, "call "))
	if err != nil {
		return nil
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	if err := types.CheckExpr(pkg.Fset, pkg.Types, pos, x, info); err != nil {
		return nil
	}
	tv := info.Types[x]
	if !tv.IsValue() || tv.Type == nil || tv.IsNil() {
		return nil
	}
	if tv.Value != nil && tv.Value.Kind() == constant.Int && !representable(tv) {
		return nil
	}
	return tv.Type
}

// visible tells whether all local variables of an expression are among those that a
// statement can see: in a function literal, those that it uses.
func visible(pkg *history.Package, pos token.Pos, text string, vars []string) bool {
	x, err := parser.ParseExpr(strings.TrimPrefix(text, "call "))
	if err != nil {
		return false
	}
	ok := true
	ast.Inspect(x, func(n ast.Node) bool {
		if sel, is := n.(*ast.SelectorExpr); is {
			ast.Inspect(sel.X, func(n ast.Node) bool {
				if id, is := n.(*ast.Ident); is {
					ok = ok && known(pkg, pos, id.Name, vars)
				}
				return true
			})
			return false
		}
		if id, is := n.(*ast.Ident); is {
			ok = ok && known(pkg, pos, id.Name, vars)
		}
		return ok
	})
	return ok
}

func known(pkg *history.Package, pos token.Pos, name string, vars []string) bool {
	if slices.Contains(vars, name) {
		return true
	}
	_, obj := pkg.Scope(pos).LookupParent(name, pos)
	v, local := obj.(*types.Var)
	return !local || v.Parent() == pkg.Types.Scope()
}

// representable tells whether a constant fits the type that a variable of its value
// has.
func representable(tv types.TypeAndValue) bool {
	b, ok := types.Default(tv.Type).Underlying().(*types.Basic)
	if !ok || b.Kind() != types.Int {
		return true
	}
	_, exact := constant.Int64Val(tv.Value)
	return exact
}

func isBool(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

// assignable tells whether an assignment type-checks at a place.
func assignable(pkg *history.Package, pos token.Pos, s history.Assignment) bool {
	t, v := check(pkg, pos, s.Name), check(pkg, pos, s.Value)
	return t != nil && v != nil && types.AssignableTo(types.Default(v), t)
}

// another is a value for a variable of a basic type; empty for others.
func another(r *rand.Rand, pkg *history.Package, pos token.Pos, name string) string {
	t := check(pkg, pos, name)
	switch t {
	case types.Typ[types.Int]:
		return strconv.Itoa(r.IntN(5))
	case types.Typ[types.Bool]:
		return strconv.FormatBool(r.IntN(2) == 0)
	}
	return ""
}

type probeKey struct {
	path   string
	offset int
}

// watched is what is asked at the statement of a step; nil if nothing is.
func (m *Model) watched(x *act, s step) *history.Watched {
	_, pkg := m.code.Node(x.Func)
	if s.node == nil || pkg == nil {
		return nil
	}
	f := m.plan.Files[m.plan.Funcs[x.Func].File]
	return m.probes[probeKey{f.Path, pkg.Fset.File(s.node.Pos()).Offset(s.node.Pos())}]
}

// truth is the value of an expression at an execution of a statement by the
// goroutine of a track. What other goroutines may change, it does not know.
func (j *judge) truth(x *act, s step, expr string) (history.Value, bool) {
	w := j.m.watched(x, s)
	if w == nil || !slices.Contains(w.Exprs, expr) || j.m.concurrent() && !j.m.lasting(x, s, expr) {
		return history.Value{}, false
	}
	snap, ok := j.m.snaps.At(j.t.goroutine, w.Path, w.Offset, s.nth)
	if !ok {
		return history.Value{}, false
	}
	i := slices.IndexFunc(snap.Exprs, func(v history.Value) bool { return v.Name == expr })
	if i < 0 {
		return history.Value{}, false
	}
	return snap.Exprs[i], true
}

// holds tells whether the condition of a breakpoint holds at an execution of its
// line.
func (j *judge) holds(p *point, n int) (holds, known bool) {
	mo := j.m.moments[n]
	if p.condition == "true" || p.condition == "false" {
		if _, pkg := j.m.code.Node(mo.act.Func); pkg != nil && !redefines(pkg) {
			return p.condition == "true", true
		}
	}
	v, ok := j.truth(mo.act, mo.act.steps[mo.step], p.condition)
	return v.Text == "true", ok && v.Kind == "bool"
}

// redefines tells whether a package gives true or false another meaning.
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
	mo := j.m.moments[n]
	var b strings.Builder
	for i, text := range texts {
		b.WriteString(text)
		if i == len(exprs) {
			break
		}
		v, ok := j.truth(mo.act, mo.act.steps[mo.step], exprs[i])
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
func (j *judge) frame(p *dap.Pause, n int) (*act, int) {
	mo := j.m.moments[j.at]
	x, at := mo.act, mo.step
	for i, f := range p.Stack {
		if _, own := j.m.files[f.File]; !own || wrapper(p, i) {
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
		x, at = x.parent, x.call
	}
	return nil, 0
}

// evaluate judges what an expression gave, where the truth was computed.
func (j *judge) evaluate(i int, a dap.Action, out *dap.Output) {
	const rule = "R9-evaluate"
	p := j.pause(i)
	if p == nil || j.track == nil || j.lost || j.at < j.t.lo || j.at >= j.t.hi || a.Frame >= len(p.Stack) {
		j.missed(rule)
		return
	}
	x, at := j.frame(p, a.Frame)
	if x == nil || at < 0 || at >= len(x.steps) {
		j.missed(rule)
		return
	}
	s := x.steps[at]
	mo := j.m.moments[j.at]
	if !s.clear || p.Stack[a.Frame].Line != s.first || a.Frame == 0 && mo.call > 0 || a.Frame > 0 && !j.m.lasting(x, s, a.Name) {
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
		j.check(i, rule, truth.Kind == "panic" || limits(out.Text) || j.m.dropped(x, out.Text), dap.DiffVariables, a.Name, cmp.Or(truth.Text, truth.Kind), out.Text)
		return
	}
	if truth.Kind == "panic" {
		j.check(i, rule, false, dap.DiffVariables, a.Name, "a panic", out.Value.Value)
		return
	}
	what, want, got := differ(truth, *out.Value, a.Name)
	j.check(i, rule, what == "", dap.DiffVariables, what, want, got)
}

// limits tells whether an answer says that Delve's expression language has not what
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

// dropped tells whether an answer says that a package's variable is not there: the
// linker leaves out those that nothing uses.
func (m *Model) dropped(x *act, text string) bool {
	_, name, ok := strings.Cut(text, "could not find symbol value for ")
	_, pkg := m.code.Node(x.Func)
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

// lasting tells whether an expression has the same value during a statement's calls
// as before it: it reads only local variables of flat types that nothing else can
// reach.
func (m *Model) lasting(x *act, s step, text string) bool {
	node, pkg := m.code.Node(x.Func)
	expr, err := parser.ParseExpr(text)
	if err != nil || pkg == nil || s.node == nil {
		return false
	}
	ok := true
	scope := pkg.Scope(s.node.Pos())
	ast.Inspect(expr, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr, *ast.StarExpr, *ast.IndexExpr, *ast.SliceExpr:
			ok = false
		case *ast.Ident:
			_, obj := scope.LookupParent(n.Name, s.node.Pos())
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

// private tells whether a variable of a function has a basic type, and only the
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
