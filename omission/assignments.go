package omission

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"misstep/history"
)

// assignments are the nodes that assign to variables.
func (e *explainer) assignments(v types.Object) []*node {
	if e.given == nil {
		e.given = map[types.Object][]*node{}
		for _, f := range e.f.program.funcs {
			if f == nil {
				continue
			}
			for _, n := range f.graph.nodes {
				for _, id := range n.targets() {
					if w := f.pkg.Info.ObjectOf(id); w != nil {
						e.given[w] = append(e.given[w], n)
					}
				}
				for _, x := range n.stores() {
					if w, _ := f.partOf(x); w != nil && !slices.Contains(e.given[w], n) {
						e.given[w] = append(e.given[w], n)
					}
				}
			}
		}
	}
	return e.given[v]
}

// lastGiven is when a variable was last given a value, as a line ended; nil if that is not known.
func (e *explainer) lastGiven(at *heldAt) *step {
	fn := e.f.program.funcs[max(at.fn, 0)]
	if at.fn < 0 || fn == nil || at.v == nil {
		return nil
	}
	s, ok := e.f.stepAt(fn, at.line)
	if !ok {
		return nil
	}
	return e.lastOf(s, e.assignments(at.v))
}

// targets are the variables that a node assigns to.
func (n *node) targets() []*ast.Ident {
	var list []*ast.Ident
	add := func(xs ...ast.Expr) {
		for _, x := range xs {
			if id, ok := x.(*ast.Ident); ok && id.Name != "_" {
				list = append(list, id)
			}
		}
	}
	switch s := n.at.(type) {
	case *ast.AssignStmt:
		add(s.Lhs...)
	case *ast.IncDecStmt:
		add(s.X)
	case *ast.RangeStmt:
		add(s.Key, s.Value)
	case *ast.DeclStmt:
		if d, ok := s.Decl.(*ast.GenDecl); ok && d.Tok == token.VAR {
			for _, spec := range d.Specs {
				for _, id := range spec.(*ast.ValueSpec).Names {
					add(id)
				}
			}
		}
	}
	return list
}

// stores are the expressions that a node assigns to.
func (n *node) stores() []ast.Expr {
	switch s := n.at.(type) {
	case *ast.AssignStmt:
		return s.Lhs
	case *ast.IncDecStmt:
		return []ast.Expr{s.X}
	}
	return nil
}

// partOf is the variable whose value a store changes in part, and which field of it; nil if it
// changes none, or all of it.
func (f *function) partOf(x ast.Expr) (types.Object, string) {
	object, field, _ := f.operand(x)
	id, ok := object.(*ast.Ident)
	if !ok || field == "" {
		return nil, ""
	}
	if v, ok := f.pkg.Info.ObjectOf(id).(*types.Var); ok && aggregate(v.Type()) {
		return v, field
	}
	return nil, ""
}

// overlap reports whether one of two fields is the other, or in it.
func overlap(a, b string) bool {
	return a == "" || b == "" || a == b || strings.HasPrefix(a, b+".") || strings.HasPrefix(b, a+".")
}

// gives is what a node assigns to a variable, or to a field of it, and what of that is the
// part of interest; nil if that is not in the text.
func (n *node) gives(f *function, v types.Object, p part) (ast.Expr, part) {
	if s, ok := n.at.(*ast.AssignStmt); ok {
		for i, x := range s.Lhs {
			if w, field := f.partOf(x); w == v && w != nil && overlap(field, p.field) && len(s.Lhs) == len(s.Rhs) {
				rest := strings.TrimPrefix(strings.TrimPrefix(p.field, field), ".")
				if len(field) > len(p.field) {
					rest = ""
				}
				return s.Rhs[i], part{-1, rest}
			}
		}
	}
	if s, ok := n.at.(*ast.RangeStmt); ok && p.field != "" {
		if id, ok := s.Value.(*ast.Ident); ok && f.pkg.Info.ObjectOf(id) == v {
			if _, slice := typeOf(f, s.X).Underlying().(*types.Slice); slice {
				return s.X, part{-1, joined(elements, p.field)}
			}
		}
	}
	return n.givesWhole(f, v), part{resultOf(n, f, v), p.field}
}

// changesPart reports whether a node assigns to a variable, and not only to other fields of
// it.
func (n *node) changesPart(f *function, v types.Object, p part) bool {
	other := false
	for _, x := range n.stores() {
		if w, field := f.partOf(x); w == v && w != nil {
			if overlap(field, p.field) {
				return true
			}
			other = true
		}
	}
	return !other
}

func (n *node) givesWhole(f *function, v types.Object) ast.Expr {
	pick := func(names []ast.Expr, values []ast.Expr) ast.Expr {
		for i, x := range names {
			if id, ok := x.(*ast.Ident); ok && f.pkg.Info.ObjectOf(id) == v {
				if len(values) == len(names) {
					return values[i]
				} else if len(values) == 1 {
					return values[0]
				}
			}
		}
		return nil
	}
	switch s := n.at.(type) {
	case *ast.AssignStmt:
		return pick(s.Lhs, s.Rhs)
	case *ast.RangeStmt:
		return s.X
	case *ast.DeclStmt:
		if d, ok := s.Decl.(*ast.GenDecl); ok {
			for _, spec := range d.Specs {
				if spec, ok := spec.(*ast.ValueSpec); ok {
					var names []ast.Expr
					for _, id := range spec.Names {
						names = append(names, id)
					}
					if x := pick(names, spec.Values); x != nil {
						return x
					}
				}
			}
		}
	}
	return nil
}

// variable are the reasons of what a variable held, or a field of it: its last assignment, or
// the argument that it is; and the assignments that did not happen.
func (e *explainer) variable(s step, v types.Object, p part, hops int) []*Reason {
	var list []*Reason
	var nodes []*node
	for _, n := range e.assignments(v) {
		if n.changesPart(n.fn, v, p) {
			nodes = append(nodes, n)
		}
	}
	last := e.lastOf(s, nodes)
	if last != nil {
		n := last.trace[last.i].node
		if e.seen.first(n.at, last.a) {
			r := e.reason(last.fn, n.at, false)
			r.node, r.Lacks = n, e.lacks(*last, v)
			r.Branch = e.f.ledTo(*last, s)
			x, of := n.gives(last.fn, v, p)
			r.Why = e.value(*last, x, of, hops-1)
			r.Why = e.control(r, hops-1)
			list = append(list, r)
			if n.adds(last.fn, v, x) {
				list = append(list, e.skipped(s, *last)...)
			}
		}
	} else if i := slices.IndexFunc(s.fn.params, func(w *types.Var) bool { return w != nil && types.Object(w) == v }); i >= 0 {
		list = append(list, e.argument(s, i, p, hops)...)
	}
	for _, n := range nodes {
		if (last == nil || n != last.trace[last.i].node) && n.fn == s.fn && !e.seen.known(n.at, s.a) && s.mayFollow(n) {
			list = append(list, e.omitted(s, n)...)
		}
	}
	return list
}

// adds reports whether a node that gives a variable an expression's value makes it of what the variable was: list = append(list, x),
// text += x, n++.
func (n *node) adds(fn *function, v types.Object, x ast.Expr) bool {
	switch s := n.at.(type) {
	case *ast.IncDecStmt:
		return true
	case *ast.AssignStmt:
		if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
			return true
		}
	}
	return x != nil && mentions(fn, x, v)
}

// mentions reports whether an expression, or a condition, reads a variable.
func mentions(fn *function, x ast.Node, v types.Object) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && fn.pkg.Info.ObjectOf(id) == v {
			found = true
		}
		return !found
	})
	return found
}

// maxSkipped is how many branches are told that kept an assignment from happening in some iterations.
const maxSkipped = 2

// skipped are the reasons why an assignment that adds to what a variable was, and was executed in a loop, was not in other iterations
// before a step: what it would have added there is missing.
func (e *explainer) skipped(s, last step) (list []*Reason) {
	end := len(last.trace)
	if s.fn == last.fn && s.a == last.a {
		end = s.i
	}
	trace := last.trace[:end]
	visits := map[*node][]int{}
	for i, v := range trace {
		visits[v.node] = append(visits[v.node], i)
	}
	n := last.trace[last.i].node
	for _, d := range last.fn.iterations(goal{node: n}, trace, visits, true, false, false) {
		all := visits[d.node]
		if d.node.loops() {
			continue // each loop comes to an end
		}
		for k := len(all) - 1; k >= 0 && len(list) < maxSkipped; k-- {
			i := all[k]
			if i+1 >= len(trace) || trace[i+1].node == d.node.succs[d.alt] || last.fn.graph.executedBetween(trace, i, d.node, n) {
				continue
			}
			r := e.reason(last.fn, n.at, true)
			r.node = n
			r.Branch = e.f.decided(step{fn: last.fn, a: last.a, trace: trace, i: i}, d)
			list = append(list, r)
			break
		}
	}
	return list
}

// lastOf is when one of some nodes was executed last before a step: in its activation, or
// in another if they are of other functions.
func (e *explainer) lastOf(s step, nodes []*node) *step {
	for i := s.i - 1; i >= 0; i-- {
		if slices.Contains(nodes, s.trace[i].node) {
			return &step{fn: s.fn, a: s.a, trace: s.trace, i: i}
		}
	}
	var best *step
	for _, n := range nodes {
		if n.fn == s.fn {
			continue
		}
		acts := e.f.events.byFunc[n.fn.id]
		end := sortedBefore(acts, s.time())
		for k := end - 1; k >= max(0, end-maxLooked); k-- {
			a := acts[k]
			trace := e.f.trace(n.fn, a)
			for i := len(trace) - 1; i >= 0; i-- {
				if trace[i].node == n && trace[i].time <= s.time() {
					if best == nil || trace[i].time > best.time() {
						best = &step{fn: n.fn, a: a, trace: trace, i: i}
					}
					break
				}
			}
			if best != nil && best.a == a {
				break
			}
		}
	}
	return best
}

// maxLooked is in how many activations a change is looked for, from the last on.
const maxLooked = 64

// sortedBefore is how many activations began before a time.
func sortedBefore(list []*history.Activation, at int64) int {
	n, _ := slices.BinarySearchFunc(list, at, func(a *history.Activation, at int64) int { return cmp.Compare(a.Start, at) })
	return n
}
