package omission

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"misstep/history"
)

// An Assertion is what a test said had failed: a place in a recorded file.
type Assertion struct {
	File string
	Line int
}

func (a Assertion) String() string { return fmt.Sprintf("%s:%d", a.File, a.Line) }

// What tests print of the place at which they failed: package testing before the message,
// testify in the message, a panic in its stack.
var failedAt = []*regexp.Regexp{
	regexp.MustCompile(`(?m)^\s*Error Trace:\s+(\S+\.go):(\d+)`),
	regexp.MustCompile(`(?m)^\s+(\S+\.go):(\d+): `),
	regexp.MustCompile(`(?m)^\s+(\S+_test\.go):(\d+) \+0x`),
}

// Failed finds the first assertion that failed in what a test printed; false if there is
// none.
func Failed(output []byte) (Assertion, bool) {
	for _, re := range failedAt {
		if m := re.FindSubmatch(output); m != nil {
			line, err := strconv.Atoi(string(m[2]))
			return Assertion{string(m[1]), line}, err == nil
		}
	}
	return Assertion{}, false
}

// maxRead is how many objects of an assertion are looked at.
const maxRead = 6

// A Reading is what an assertion looks at: objects, the nearest first, and the expressions
// whose values decided.
type Reading struct {
	Subjects []*Subject
	Values   []*Reason
	// Parts are the reasons of what the value's object, or a part of it, was given: of these only what did not happen counts, as what did
	// is no answer to what is missing of it.
	Parts []*Reason
	// Outside are packages of other modules that gave the values, and are not recorded.
	Outside []string
	// From are the objects that the values were read from.
	From []*history.Instance
}

// Read finds what an assertion looks at.
func (f *Finder) Read(ctx context.Context, at Assertion) (*Reading, error) {
	file, err := f.fileAt(at.File)
	if err != nil {
		return nil, err
	}
	fn := f.program.funcs[max(f.around(file, at.Line), 0)]
	if f.around(file, at.Line) < 0 || fn == nil {
		return nil, fmt.Errorf("%s is in no recorded function", at)
	}
	r := &Reading{}
	exprs := fn.asserted(at.Line)
	var names []string
	for _, x := range exprs {
		for _, name := range fn.read(x, 2) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for _, name := range names {
		if len(r.Subjects) == maxRead {
			break
		}
		if s, err := f.Subject(fmt.Sprintf("%s:%d:%s", f.plan.Files[file].Name, at.Line, name)); err == nil {
			if !slices.ContainsFunc(r.Subjects, func(other *Subject) bool { return s.Name == other.Name && s.Field == other.Field }) {
				r.Subjects = append(r.Subjects, s)
			}
		}
	}
	if s, ok := f.stepAt(fn, at.Line); ok {
		e := f.explainer(ctx)
		for _, x := range exprs {
			e.seen = steps{}
			r.Values = append(r.Values, e.value(s, x, whole, maxHops)...)
		}
		r.Outside, r.From = e.outside, e.read
	}
	return r, nil
}

// fileAt is the recorded file that a test names: by its path, or by its name in the folder
// of the package.
func (f *Finder) fileAt(name string) (int, error) {
	found := -1
	for i, file := range f.plan.Files {
		switch {
		case file.Path == name || file.Name == name:
			return i, nil
		case filepath.Base(file.Path) == filepath.Base(name) && (found < 0 || strings.Count(file.Name, "/") < strings.Count(f.plan.Files[found].Name, "/")):
			found = i
		}
	}
	if found < 0 {
		return 0, fmt.Errorf("%s is no file that was recorded", name)
	}
	return found, nil
}

// asserted are the expressions that the statement in a line, which reports a failure, goes
// by: the conditions around it, or the arguments of an assertion.
func (f *function) asserted(line int) []ast.Expr {
	at := func(pos token.Pos) int { return f.pkg.Fset.PositionFor(pos, false).Line }
	var stack, around []ast.Node
	ast.Inspect(f.node, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		if _, ok := n.(*ast.ExprStmt); ok && at(n.Pos()) <= line && line <= at(n.End()) {
			around = slices.Clone(stack)
		}
		return true
	})
	if around == nil {
		// The line of a condition.
		ast.Inspect(f.node, func(n ast.Node) bool {
			if s, ok := n.(*ast.IfStmt); ok && at(s.Pos()) == line {
				around = []ast.Node{s}
			}
			return true
		})
	}
	var list []ast.Expr
	if len(around) == 0 {
		return nil
	}
	if s, ok := around[len(around)-1].(*ast.ExprStmt); ok {
		call, ok := s.X.(*ast.CallExpr)
		if !ok {
			return nil
		}
		args := call.Args
		if !reports(f.pkg.Info, call) {
			return args
		}
		list = append(list, args...)
	}
	for i := len(around) - 1; i >= 0; i-- {
		switch s := around[i].(type) {
		case *ast.IfStmt:
			return append([]ast.Expr{s.Cond}, list...)
		case *ast.SwitchStmt:
			if s.Tag != nil {
				return append([]ast.Expr{s.Tag}, list...)
			}
		case *ast.CaseClause:
			list = append(slices.Clone(s.List), list...)
		case *ast.FuncLit:
			return list
		}
	}
	return list
}

// reports reports whether a call only says that something failed: of package testing, of
// those that print and end (log, fmt, os), or of panic.
func reports(info *types.Info, call *ast.CallExpr) bool {
	if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok && info.Types[call.Fun].IsBuiltin() {
		return id.Name == "panic"
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	fn, ok := info.Uses[sel.Sel].(*types.Func)
	return ok && fn.Pkg() != nil && slices.Contains([]string{"testing", "log", "fmt", "os"}, fn.Pkg().Path())
}

// read are the variables, and fields and elements of variables, that an expression reads, and
// those that these were made from, so many assignments away.
func (f *function) read(x ast.Expr, hops int) []string {
	info := f.pkg.Info
	var list []string
	ast.Inspect(x, func(n ast.Node) bool {
		x, ok := n.(ast.Expr)
		if !ok {
			return n != nil
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.SelectorExpr, *ast.IndexExpr:
			if info.Types[x].IsValue() && usesVariable(info, root(x)) {
				if sel, ok := n.(*ast.SelectorExpr); ok && info.Selections[sel] != nil && info.Selections[sel].Kind() != types.FieldVal {
					return true // a method
				}
				list = append(list, types.ExprString(x))
				return false
			}
		case *ast.Ident:
			v, ok := info.Uses[n].(*types.Var)
			if !ok || v.IsField() || uninteresting(v.Type()) {
				break
			}
			given := f.defs[v]
			_, literal := ast.Unparen(given).(*ast.CompositeLit)
			if f.assigned[v] == 1 && (literal || given != nil && info.Types[given].Value != nil) {
				break // what is wanted
			}
			list = append(list, n.Name)
			if f.assigned[v] >= 1 && given != nil && hops > 0 {
				list = append(list, f.read(given, hops-1)...)
			}
		}
		return true
	})
	return list
}

// usesVariable reports whether an identifier is the use of a variable.
func usesVariable(info *types.Info, id *ast.Ident) bool {
	if id == nil {
		return false
	}
	_, ok := info.Uses[id].(*types.Var)
	return ok
}

// uninteresting reports whether a type's values say nothing of what is tested: the test
// itself, and contexts.
func uninteresting(t types.Type) bool {
	switch name := types.TypeString(t, nil); name {
	case "*testing.T", "*testing.B", "*testing.F", "testing.TB", "context.Context":
		return true
	}
	return false
}

// valueOf is what there is to know of the value that a variable held, as of what an assertion
// reads.
func (f *Finder) valueOf(ctx context.Context, at *heldAt) *Reading {
	r := &Reading{}
	fn := f.program.funcs[at.fn]
	if fn == nil {
		return r
	}
	s, ok := f.stepAt(fn, at.line)
	if !ok {
		return r
	}
	e := f.explainer(ctx)
	if len(at.in) == 0 || at.object {
		if at.field == "" || aggregate(at.v.Type()) {
			r.Values = e.variable(s, at.v, part{-1, at.field}, maxHops)
		}
		x := fn.use(at.v)
		switch {
		case x == nil || at.field == "":
		case len(r.Values) == 0 && !aggregate(at.v.Type()):
			r.Values = e.changes(s, x, at.field, maxHops)
		default:
			r.Parts = e.changes(s, x, at.field, maxHops) // through its address
		}
	}
	for _, i := range at.in {
		list := e.changesOf(s, i, i.String(), at.field, maxHops)
		if at.object {
			r.Parts = append(r.Parts, list...)
		} else {
			r.Values = append(r.Values, list...)
		}
	}
	r.Outside, r.From = e.outside, e.read
	return r
}

// use is the first expression of a function that uses a variable; nil if it does not.
func (f *function) use(v types.Object) (first ast.Expr) {
	for id, used := range f.pkg.Info.Uses {
		if used == v && f.node.Pos() <= id.Pos() && id.Pos() < f.node.End() && (first == nil || id.Pos() < first.Pos()) {
			first = id
		}
	}
	return first
}

// maxFrom is how many of the objects are looked at that a value was read from.
const maxFrom = 3

// from finds what should have happened to the objects that values were read from, but for
// those that are looked at anyway.
func (f *Finder) from(ctx context.Context, r *Reading, opts Options, known map[*history.Instance]bool) ([]*Balloon, error) {
	var lists [][]*Balloon
	seen := maps.Clone(known)
	for _, i := range r.From {
		if seen[i] || len(lists) == maxFrom {
			continue
		}
		seen[i] = true
		sub := f.ofInstances(i.String(), f.grown([]*history.Instance{i}))
		f.parts(sub)
		list, _, err := f.find(ctx, sub, opts)
		if err != nil {
			return nil, err
		}
		on(list, sub.Name+", which its value was read from", copyWeight)
		lists = append(lists, list)
	}
	list := Merge(lists...)
	f.explain(ctx, list)
	return list, nil
}

// on says of operations what they are on.
func on(list []*Balloon, what string, weight float64) {
	for _, b := range list {
		for _, op := range b.Operations {
			op.On = what
			for _, br := range op.Branches {
				br.score += weight
			}
		}
	}
}

// stepAt is the last moment at which a function was in a line, or after it.
func (f *Finder) stepAt(fn *function, line int) (step, bool) {
	acts := f.events.byFunc[fn.id]
	for k := len(acts) - 1; k >= 0; k-- {
		trace := f.trace(fn, acts[k])
		best := -1
		for i, v := range trace {
			n := ast.Node(v.node.at)
			if v.node.cond != nil {
				n = v.node.cond
			}
			if n != nil && fn.pkg.Fset.PositionFor(n.Pos(), false).Line <= line {
				best = i
			}
		}
		if best >= 0 {
			if best+1 < len(trace) {
				best++
			}
			return step{fn: fn, a: acts[k], trace: trace, i: best}, true
		}
	}
	return step{}, false
}

// Missing are the balloons of what did not happen of reasons.
func (f *Finder) Missing(list []*Reason) []*Balloon {
	var omitted []*Reason
	var add func(list []*Reason)
	add = func(list []*Reason) {
		for _, r := range list {
			if r.Omitted {
				omitted = append(omitted, r)
			}
			if !r.led {
				add(r.Why)
			}
		}
	}
	add(list)
	for i, r := range omitted {
		one := *r
		one.Why = nil // they are in the list themselves
		omitted[i] = &one
	}
	return f.Values(omitted)
}

// Values are balloons of reasons: of the assignments and returns that did not happen, and
// would have given another value.
func (f *Finder) Values(list []*Reason) []*Balloon {
	var ops []*Operation
	weighed := map[*Branch]bool{}
	var add func(list []*Reason, hops int)
	add = func(list []*Reason, hops int) {
		for _, r := range list {
			if r.Branch != nil && r.node != nil {
				if !weighed[r.Branch] { // what two reasons share gets its weight once
					weighed[r.Branch] = true
					r.Branch.score += float64(hops)*distanceWeight + keepWeight
				}
				op := &Operation{Place: r.Place, Text: r.Text, Func: r.Func, Kind: Write, Sure: true, Instead: !r.Omitted, Branches: []*Branch{r.Branch}, node: r.node, expr: r.expr}
				if op.expr == nil {
					op.expr = r.node.at
				}
				same := func(o *Operation) bool { return o.expr == op.expr && o.Instead == op.Instead }
				if i := slices.IndexFunc(ops, same); i >= 0 {
					ops[i].Branches = append(ops[i].Branches, r.Branch)
				} else {
					ops = append(ops, op)
				}
			}
			if !r.led {
				add(r.Why, hops+1)
			}
		}
	}
	add(list, 0)
	return bundle(ops)
}

// Merge puts balloons together: of those of one operation, the nearest count.
func Merge(lists ...[]*Balloon) []*Balloon {
	type key struct {
		expr    ast.Node
		instead bool
	}
	seen := map[key]int{}
	var ops []*Operation
	for _, list := range lists {
		for _, b := range list {
			for _, op := range b.Operations {
				k := key{op.expr, op.Instead}
				n, known := seen[k]
				if !known {
					seen[k] = len(ops)
					ops = append(ops, op)
				} else if compareBranches(op.Branches[0], ops[n].Branches[0]) < 0 {
					ops[n] = op
				}
			}
		}
	}
	return bundle(ops)
}
