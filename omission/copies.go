package omission

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"

	"misstep/history"
)

// maxCopies is how many copies of a value are followed back.
const maxCopies = 4

// copied adds to a variable that is a value what it is a copy of:
// the variables and objects that it was given in the run, where a line ended. A change of
// these before would have been one of it.
func (f *Finder) copied(s *Subject, file, line int, v types.Object) {
	fn := f.program.funcs[max(f.around(file, line), 0)]
	if fn == nil {
		return
	}
	at, ok := f.stepAt(fn, line)
	if !ok {
		return
	}
	e := &explainer{f: f}
	var from, of []string
	for range maxCopies {
		// That a field was given a value does not make it another copy.
		last := e.lastOf(at, slices.DeleteFunc(slices.Clone(e.assignments(v)), func(n *node) bool { return n.givesWhole(n.fn, v) == nil }))
		if last == nil {
			break
		}
		x := last.trace[last.i].node.givesWhole(last.fn, v)
		call, ok := ast.Unparen(x).(*ast.CallExpr)
		if ok {
			result := resultOf(last.trace[last.i].node, last.fn, v)
			in, y, gave := e.gave(*last, call, result)
			if !gave {
				of = append(of, f.ingredients(s, *last, x)...)
				break
			}
			at, x = in, y
		} else {
			at = *last
		}
		of = append(of, f.ingredients(s, at, x)...)
		name, next := f.copiedFrom(s, at, x)
		if name == "" {
			break
		}
		from = append(from, name)
		if next == nil {
			break
		}
		v = next
	}
	if len(from) > 0 {
		s.Note = fmt.Sprintf("%s is a copy of what %s was; changes of that are looked at, too", s.Name, list(from))
	}
	slices.Sort(of)
	if of = slices.Compact(of); len(of) > 0 {
		if s.Note != "" {
			s.Note += "; "
		}
		s.Note += fmt.Sprintf("it was made of %s, whose changes are looked at as well", list(of))
	}
}

// copiedFrom adds what an expression is: a variable, or the object that it lies in. It gives
// the variable to go on from, if there is one.
func (f *Finder) copiedFrom(s *Subject, at step, x ast.Expr) (name string, v types.Object) {
	x = ast.Unparen(x)
	if star, ok := x.(*ast.StarExpr); ok {
		if t, ok := f.events.is(f.program, at.a, star.X, at.time()); ok {
			f.add(s, t.of)
			return f.place(at.fn, x.Pos()).String(), nil
		}
		return "", nil
	}
	w := at.fn.variable(x)
	if w == nil {
		return "", nil
	}
	s.Vars[w] = true
	seen := map[*history.Instance]bool{}
	for _, t := range f.events.touches[at.a] {
		if !seen[t.of] && f.isVariable(t.of, w) {
			seen[t.of] = true
			f.add(s, t.of)
		}
	}
	return fmt.Sprintf("%s at %s", w.Name(), f.place(at.fn, x.Pos())), w
}

// add adds an object to a subject.
func (f *Finder) add(s *Subject, i *history.Instance) {
	more := f.ofInstances("", []*history.Instance{i})
	s.Instances[i] = true
	s.Made = append(s.Made, more.Made...)
	s.Exprs = append(s.Exprs, more.Exprs...)
	for v := range more.Vars {
		s.Vars[v] = true
	}
}

// resultOf is which result of a call a node gives a variable.
func resultOf(n *node, f *function, v types.Object) int {
	if s, ok := n.at.(*ast.AssignStmt); ok && len(s.Rhs) == 1 {
		for i, x := range s.Lhs {
			if id, ok := x.(*ast.Ident); ok && f.pkg.Info.ObjectOf(id) == v {
				return i
			}
		}
	}
	return 0
}

// gave is the expression that a call's result was, and when it returned it.
func (e *explainer) gave(s step, x *ast.CallExpr, result int) (step, ast.Expr, bool) {
	for _, c := range s.fn.calls {
		if c.expr != x {
			continue
		}
		for _, a := range s.trace[s.i].calls {
			fn := e.f.program.funcs[a.Func]
			if fn == nil || !slices.Contains(c.callees, a.Func) {
				continue
			}
			if at, ret := e.f.lastReturn(fn, a); ret != nil && result < len(ret.Results) {
				return at, ret.Results[result], true
			}
		}
	}
	return step{}, nil, false
}
