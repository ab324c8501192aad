package omission

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"time"

	"misstep/history"
)

// A Reason says where a value came from that a branch decided by, or where another could
// have come from: a step of the chain from a branch to what it depends on, by data (an
// assignment, what a function returned, a change of a field or a container) and by control
// (the branch that led there, or kept another assignment from happening).
type Reason struct {
	// Text is the step, such as an assignment, and Place where it stands.
	Text  string   `json:"text"`
	Place Position `json:"place"`
	Func  string   `json:"func"`
	// Omitted says that it was not performed.
	Omitted bool `json:"omitted,omitempty"`
	// Branch is what decided that it was performed, or not; nil if nothing did.
	Branch *Branch `json:"branch,omitempty"`
	// Why are the reasons of the step's own value.
	Why []*Reason `json:"why,omitempty"`

	node *node
}

// The bounds of chains: of how many balloons the reasons are looked for, and of how many of
// their branches; how many steps a chain has; how many reasons a step has; how long is
// looked.
const (
	maxExplained = 13
	maxWhyBranch = 2
	maxHops      = 10
	maxSteps     = 60 // of all chains from one value
	maxReasons   = 6
	maxWhyTime   = 5 * time.Second
)

// An explainer finds reasons.
type explainer struct {
	ctx   context.Context
	f     *Finder
	until time.Time
	// given are the places of variables' assignments, by variable.
	given map[types.Object][]*node
	// found are the omitted changes of objects that were looked for.
	found map[changed]*change
	// read are the objects that functions read which are not recorded, the nearest first.
	read []*history.Instance
	// outside are the packages of other modules that gave values, and are not recorded.
	outside []string
	// seen are the steps of a chain.
	seen map[ast.Node]bool
}

// changed is an object of which changes are looked for, or one of its fields.
type changed struct {
	of    *history.Instance
	field string
}

// A change is what may change an object, and which of that did not happen.
type change struct {
	of      *Subject
	ops     [][]*operation // of functions, by number
	omitted []*Balloon
}

// explain finds the reasons of the branches of balloons.
func (f *Finder) explain(ctx context.Context, list []*Balloon) {
	e := f.explainer(ctx)
	for _, b := range list[:min(len(list), maxExplained)] {
		done := map[branchKey]bool{}
		for _, op := range b.Operations {
			for _, br := range op.Branches[:min(len(op.Branches), maxWhyBranch)] {
				k := br.decision.key()
				if len(done) < maxWhyBranch && !done[k] && br.Why == nil {
					done[k] = true
					br.Why = e.branch(br)
				}
			}
		}
	}
}

func (f *Finder) explainer(ctx context.Context) *explainer {
	return &explainer{ctx: ctx, f: f, until: time.Now().Add(maxWhyTime), found: map[changed]*change{}, seen: map[ast.Node]bool{}}
}

// branch are the reasons of a branch at the first and the last of its moments.
func (e *explainer) branch(b *Branch) []*Reason {
	x := b.decision.node.decides()
	if x == nil || len(b.Moments) == 0 {
		return nil
	}
	var list []*Reason
	known := map[Position]bool{}
	moments := b.Moments[:1]
	if n := len(b.Moments); n > 1 {
		moments = []Decided{b.Moments[0], b.Moments[n-1]}
	}
	for _, m := range moments {
		a := e.f.activation(b.fn.id, m.Activation)
		if a == nil {
			continue
		}
		trace := e.f.trace(b.fn, a)
		i := nth(trace, b.decision.node, m.Evaluation)
		if i < 0 {
			continue
		}
		e.seen = map[ast.Node]bool{}
		for _, r := range e.value(step{b.fn, a, trace, i}, x, whole, maxHops) {
			if !known[r.Place] {
				known[r.Place] = true
				list = append(list, r)
			}
		}
	}
	return list[:min(len(list), maxReasons)]
}

// decides is the expression that a node decides by.
func (n *node) decides() ast.Expr {
	if n.cond != nil {
		return n.cond
	}
	switch s := n.at.(type) {
	case *ast.SwitchStmt:
		return s.Tag
	case *ast.RangeStmt:
		return s.X
	case *ast.TypeSwitchStmt:
		switch x := s.Assign.(type) {
		case *ast.AssignStmt:
			return x.Rhs[0]
		case *ast.ExprStmt:
			return x.X
		}
	case *ast.CaseClause:
		if len(s.List) > 0 {
			return s.List[0]
		}
	}
	return nil
}

// activation is that of a function which began at a time.
func (f *Finder) activation(fn int, start int64) *history.Activation {
	list := f.events.byFunc[fn]
	n, ok := slices.BinarySearchFunc(list, start, func(a *history.Activation, start int64) int { return cmp.Compare(a.Start, start) })
	if !ok {
		return nil
	}
	return list[n]
}

// nth is the nth visit of a node in a trace, from 1; -1 if there are fewer.
func nth(trace []visit, n *node, evaluation int) int {
	for i, v := range trace {
		if v.node == n {
			if evaluation--; evaluation == 0 {
				return i
			}
		}
	}
	return -1
}

// A step is a moment of an activation.
type step struct {
	fn    *function
	a     *history.Activation
	trace []visit
	i     int
}

func (s step) time() int64 { return s.trace[s.i].time }

// after is the time of the last event of a step, or later: what it evaluates has events of
// its own.
func (s step) after() int64 {
	for _, next := range s.trace[s.i+1:] {
		if next.time > s.time() {
			return next.time
		}
	}
	return s.a.End
}

// A part says what of an expression's value is of interest.
type part struct {
	result int    // of a call with several; -1 is all
	field  string // of a struct; empty is all
}

var whole = part{result: -1}

// value are the reasons of an expression's value at a step.
func (e *explainer) value(s step, x ast.Expr, p part, hops int) []*Reason {
	if hops == 0 || x == nil || len(e.seen) > maxSteps || time.Now().After(e.until) || e.ctx.Err() != nil {
		return nil
	}
	if p.field != "" {
		if list, ok := e.fieldOf(s, x, p, hops); ok {
			return list
		}
	}
	info := s.fn.pkg.Info
	var list []*Reason
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if info.Types[n.Fun].IsType() {
				return true
			}
			of := whole
			if n == ast.Unparen(x) {
				of = p
			}
			if got, known := e.returned(s, n, of, hops); known {
				list = append(list, got...)
				return false
			}
			list = append(list, e.contents(s, n, hops)...)
		case *ast.SelectorExpr:
			if sel := info.Selections[n]; sel != nil && sel.Kind() == types.FieldVal {
				got, _ := e.fieldOf(s, n, whole, hops)
				list = append(list, got...)
				return false
			}
		case *ast.IndexExpr:
			if container(info.TypeOf(n.X)) {
				list = append(list, e.changes(s, n.X, "", hops)...)
			}
		case *ast.Ident:
			if v, ok := info.Uses[n].(*types.Var); ok && !v.IsField() {
				list = append(list, e.variable(s, v, whole, hops)...)
				if container(v.Type()) {
					list = append(list, e.changes(s, n, "", hops)...)
				}
			}
		}
		return true
	})
	return distinct(list)
}

// fieldOf are the reasons of what a field of an expression's value held; false if it is none
// that has fields.
func (e *explainer) fieldOf(s step, x ast.Expr, p part, hops int) ([]*Reason, bool) {
	info := s.fn.pkg.Info
	switch x := ast.Unparen(x).(type) {
	case *ast.CompositeLit:
		return e.element(s, x, p.field, hops), true
	case *ast.UnaryExpr:
		if lit, ok := ast.Unparen(x.X).(*ast.CompositeLit); ok && x.Op == token.AND {
			return e.element(s, lit, p.field, hops), true
		}
	case *ast.Ident:
		v, ok := info.ObjectOf(x).(*types.Var)
		if !ok {
			return nil, false
		}
		if aggregate(v.Type()) {
			return append(e.variable(s, v, part{-1, p.field}, hops), e.changes(s, x, p.field, hops)...), true
		}
		if isPointer(v.Type()) {
			list := e.changes(s, x, p.field, hops)
			if len(list) == 0 {
				list = e.variable(s, v, part{-1, p.field}, hops) // the one it points to is made there
			}
			return list, true
		}
	case *ast.SelectorExpr:
		if sel := info.Selections[x]; sel == nil || sel.Kind() != types.FieldVal {
			return nil, false
		}
		object, field, _ := s.fn.operand(x)
		if object == nil || field == "" {
			return nil, true
		}
		if isPointer(typeOf(s.fn, x)) && p.field != "" {
			return e.changes(s, x, p.field, hops), true
		}
		if at := ast.Unparen(object); container(typeOf(s.fn, object)) {
			return e.changes(s, at, joined(field, p.field), hops), true
		}
		return e.fieldOf(s, object, part{-1, joined(field, p.field)}, hops)
	case *ast.IndexExpr:
		if container(info.TypeOf(x.X)) {
			field := p.field
			if _, slice := info.TypeOf(x.X).Underlying().(*types.Slice); slice {
				field = joined(elements, field)
			} else {
				field = ""
			}
			return e.changes(s, x.X, field, hops), true
		}
	case *ast.StarExpr:
		return e.changes(s, x.X, p.field, hops), true
	case *ast.CallExpr:
		if id, ok := ast.Unparen(x.Fun).(*ast.Ident); ok && id.Name == "append" && info.Types[x.Fun].IsBuiltin() {
			var list []*Reason
			for _, v := range x.Args[1:] {
				list = append(list, e.value(s, v, part{-1, strings.TrimPrefix(strings.TrimPrefix(p.field, elements), ".")}, hops)...)
			}
			return list, true
		}
		if !info.Types[x.Fun].IsType() {
			return e.returned(s, x, p, hops)
		}
	}
	return nil, false
}

// element are the reasons of the value that a literal gives a field.
func (e *explainer) element(s step, lit *ast.CompositeLit, field string, hops int) []*Reason {
	first, rest, _ := strings.Cut(field, ".")
	for i, elt := range lit.Elts {
		name, x := "", elt
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok {
				name = id.Name
			}
			x = kv.Value
		} else if st, ok := typeOf(s.fn, lit).Underlying().(*types.Struct); ok && i < st.NumFields() {
			name = st.Field(i).Name()
		}
		if name == first && !e.seen[elt] {
			e.seen[elt] = true
			r := e.reason(s.fn, elt, false)
			r.Text = fmt.Sprintf("%s: %s", name, e.f.shortSource(s.fn, x))
			r.Why = e.value(s, x, part{-1, rest}, hops-1)
			return []*Reason{r}
		}
	}
	return nil
}

// distinct leaves out what the same evaluation of a branch decided as what comes before.
func distinct(list []*Reason) []*Reason {
	type moment struct {
		node *node
		time int64
	}
	seen := map[moment]bool{}
	return slices.DeleteFunc(list, func(r *Reason) bool {
		if r.Branch == nil || len(r.Branch.Moments) == 0 {
			return false
		}
		k := moment{r.Branch.decision.node, r.Branch.Moments[0].Time}
		known := seen[k]
		seen[k] = true
		return known && r.Omitted
	})
}

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
		if !e.seen[n.at] {
			e.seen[n.at] = true
			r := e.reason(last.fn, n.at, false)
			r.node = n
			r.Branch = e.f.ledTo(*last, s)
			x, of := n.gives(last.fn, v, p)
			r.Why = e.value(*last, x, of, hops-1)
			list = append(list, r)
		}
	} else if i := slices.IndexFunc(s.fn.params, func(w *types.Var) bool { return w != nil && types.Object(w) == v }); i >= 0 {
		list = append(list, e.argument(s, i, p, hops)...)
	}
	for _, n := range nodes {
		if (last == nil || n != last.trace[last.i].node) && n.fn == s.fn && !e.seen[n.at] {
			list = append(list, e.omitted(s, n)...)
		}
	}
	return list
}

// lastOf is when one of some nodes was executed last before a step: in its activation, or
// in another if they are of other functions.
func (e *explainer) lastOf(s step, nodes []*node) *step {
	for i := s.i - 1; i >= 0; i-- {
		if slices.Contains(nodes, s.trace[i].node) {
			return &step{s.fn, s.a, s.trace, i}
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
						best = &step{n.fn, a, trace, i}
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

// argument are the reasons of a parameter's value: those of what it was given.
func (e *explainer) argument(s step, param int, p part, hops int) []*Reason {
	parent := s.a.Parent
	if parent == nil || e.f.program.funcs[parent.Func] == nil {
		return nil
	}
	fn := e.f.program.funcs[parent.Func]
	trace := e.f.trace(fn, parent)
	for i, v := range trace {
		if !slices.Contains(v.calls, s.a) {
			continue
		}
		for _, c := range fn.calls {
			if c.node == v.node && slices.Contains(c.callees, s.fn.id) {
				if x := c.argument(s.fn, param); x != nil {
					return e.value(step{fn, parent, trace, i}, x, p, hops) // it is the same value
				}
			}
		}
	}
	return nil
}

// returned are the reasons of what a call gave: the return statements that were executed,
// and those that were not. It is not known of functions that are not recorded.
func (e *explainer) returned(s step, x *ast.CallExpr, p part, hops int) (list []*Reason, known bool) {
	defer func() { list = distinct(list) }()
	n := slices.IndexFunc(s.fn.calls, func(c *call) bool { return c.expr == x })
	if n < 0 {
		return nil, false
	}
	if fn := s.fn.calls[n].external; fn != nil {
		if path := ofModule(fn); path != "" {
			e.outside = append(e.outside, path)
		}
		return nil, false
	}
	for _, a := range s.trace[s.i].calls {
		if !slices.Contains(s.fn.calls[n].callees, a.Func) || e.f.program.funcs[a.Func] == nil {
			continue
		}
		fn := e.f.program.funcs[a.Func]
		trace := e.f.trace(fn, a)
		i := len(trace) - 1
		for i >= 0 {
			if _, ok := trace[i].node.at.(*ast.ReturnStmt); ok {
				break
			}
			i--
		}
		if i < 0 || e.seen[trace[i].node.at] {
			continue
		}
		at := step{fn, a, trace, i}
		ret := trace[i].node.at.(*ast.ReturnStmt)
		e.seen[ret] = true
		r := e.reason(fn, ret, false)
		r.node = trace[i].node
		r.Branch = e.f.ledTo(at, step{fn, a, trace, len(trace) - 1})
		switch {
		case len(ret.Results) == 0:
			for i, v := range fn.results() {
				if p.result < 0 || i == p.result {
					r.Why = append(r.Why, e.variable(at, v, part{-1, p.field}, hops-1)...)
				}
			}
		case len(ret.Results) == 1:
			r.Why = e.value(at, ret.Results[0], p, hops-1)
		case p.result >= 0 && p.result < len(ret.Results):
			r.Why = e.value(at, ret.Results[p.result], part{-1, p.field}, hops-1)
		default:
			for _, x := range ret.Results {
				r.Why = append(r.Why, e.value(at, x, whole, hops-1)...)
			}
		}
		list = append(list, r)
		for _, other := range fn.graph.nodes {
			if _, ok := other.at.(*ast.ReturnStmt); ok && other != trace[i].node && !e.seen[other.at] {
				list = append(list, e.omitted(at, other)...)
			}
		}
		break
	}
	return list, true
}

// contents are the reasons of what a function that is not recorded may have read: changes of
// the objects that it was given.
func (e *explainer) contents(s step, x *ast.CallExpr, hops int) []*Reason {
	var list []*Reason
	for _, c := range s.fn.calls {
		if c.expr != x {
			continue
		}
		for _, v := range c.operands {
			if !isPointer(typeOf(s.fn, v)) && !aggregate(typeOf(s.fn, v)) {
				continue
			}
			if t, ok := e.f.events.is(e.f.program, s.a, v, s.after()); ok {
				e.read = append(e.read, t.of)
			}
			if isPointer(typeOf(s.fn, v)) {
				list = append(list, e.changes(s, v, "", hops)...)
			}
		}
	}
	return list
}

// changes are those of an object, or of a field of it, before a step: the last that
// happened, and what was omitted.
func (e *explainer) changes(s step, object ast.Expr, field string, hops int) []*Reason {
	var list []*Reason
	t, ok := e.f.events.is(e.f.program, s.a, object, s.after())
	if !ok {
		return nil
	}
	c := e.change(changed{t.of, field}, e.f.shortSource(s.fn, object))
	if c == nil {
		return nil
	}
	if last, op := e.lastChange(s, c); last != nil && !e.seen[op.expr] {
		e.seen[op.expr] = true
		r := e.reason(last.fn, op.expr, false)
		r.node = op.node
		r.Branch = e.f.ledTo(*last, step{last.fn, last.a, last.trace, len(last.trace) - 1})
		switch x := op.expr.(type) {
		case *ast.AssignStmt:
			for _, v := range x.Rhs {
				r.Why = append(r.Why, e.value(*last, v, part{-1, c.of.rest(op.field)}, hops-1)...)
			}
		case *ast.CallExpr:
			for _, v := range x.Args {
				if v != op.operand {
					_, field, _ := strings.Cut(c.of.Field, elements+".")
					r.Why = append(r.Why, e.value(*last, v, part{-1, field}, hops-1)...)
				}
			}
		}
		list = append(list, r)
	} else if last == nil {
		list = append(list, e.madeWith(s, t.of, field, hops)...)
	}
	for _, b := range c.omitted {
		for _, op := range b.Operations {
			br := op.Branches[0]
			if op.Kind != Write || op.Distance > 1 || e.seen[op.expr] || len(br.Moments) == 0 || br.Moments[0].Time >= s.time() {
				continue
			}
			e.seen[op.expr] = true
			list = append(list, &Reason{Text: op.Text, Place: op.Place, Func: op.Func, Omitted: true, Branch: br, node: op.node})
			if len(list) == maxReasons/2 {
				return list
			}
		}
	}
	return list
}

// madeWith are the reasons of what the literal that made an object gave a field.
func (e *explainer) madeWith(s step, i *history.Instance, field string, hops int) []*Reason {
	if i.Made < 0 || field == "" {
		return nil
	}
	site := e.f.plan.Sites[i.Made]
	x, fn := e.f.events.exprs[i.Made], e.f.program.funcs[site.Func]
	if x == nil || fn == nil {
		return nil
	}
	if u, ok := ast.Unparen(x).(*ast.UnaryExpr); ok {
		x = u.X
	}
	lit, ok := ast.Unparen(x).(*ast.CompositeLit)
	if !ok || e.seen[lit] {
		return nil
	}
	acts := e.f.events.byFunc[fn.id]
	for k := sortedBefore(acts, i.First+1) - 1; k >= 0; k-- {
		a := acts[k]
		if a.End >= 0 && a.End < i.First {
			continue
		}
		trace := e.f.trace(fn, a)
		for n := len(trace) - 1; n >= 0; n-- {
			if at := trace[n].node.at; at != nil && at.Pos() <= lit.Pos() && lit.End() <= at.End() && trace[n].time <= i.First {
				e.seen[lit] = true
				return e.element(step{fn, a, trace, n}, lit, field, hops-1)
			}
		}
		break
	}
	return nil
}

// rest is what of a value, that is given to a field, or to one around the field of interest,
// is of interest.
func (s *Subject) rest(field string) string {
	wanted := numbers.ReplaceAllString(s.Field, elements)
	if field == "" || !strings.HasPrefix(wanted, field) {
		return ""
	}
	return strings.TrimPrefix(strings.TrimPrefix(wanted, field), ".")
}

// reasonCalls is how many functions chains to changes may have.
const reasonCalls = 3

// change finds what may change an object, or a field of it; nil if there is no such.
func (e *explainer) change(k changed, name string) *change {
	c, ok := e.found[k]
	if ok {
		return c
	}
	sub := e.f.ofInstances(name, e.f.grown([]*history.Instance{k.of}))
	sub.Vars = map[types.Object]bool{}
	if k.field == "" || sub.Type != nil && sub.Of(k.field) == nil {
		list, ops, _ := e.f.find(e.ctx, sub, Options{Calls: reasonCalls})
		c = &change{sub, ops, list}
	}
	e.found[k] = c
	return c
}

// lastChange is the last change of an object before a step, where a history shows that it
// was it.
func (e *explainer) lastChange(s step, c *change) (*step, *operation) {
	var best *step
	var what *operation
	for id, ops := range c.ops {
		f, acts := e.f.program.funcs[id], e.f.events.byFunc[id]
		if len(acts) == 0 {
			continue
		}
		for _, op := range ops {
			if op.kind != Write || op.operand == nil {
				continue
			}
			end := sortedBefore(acts, s.time())
			for k := end - 1; k >= max(0, end-maxLooked); k-- {
				if best != nil && acts[k].End >= 0 && acts[k].End < best.time() {
					break
				}
				trace := e.f.trace(f, acts[k])
				for i := len(trace) - 1; i >= 0; i-- {
					if trace[i].node != op.node || trace[i].time >= s.time() {
						continue
					}
					if t, ok := e.f.events.is(e.f.program, acts[k], op.operand, trace[i].time); ok && c.of.at(f, t, goal{op: op, operand: op.operand}) == subject && (best == nil || trace[i].time > best.time()) {
						best, what = &step{f, acts[k], trace, i}, op
					}
					break
				}
			}
		}
	}
	return best, what
}

// omitted are the reasons why a node of an activation was not executed before a step: the
// branches that kept it from that.
func (e *explainer) omitted(s step, n *node) []*Reason {
	executed := make([]bool, len(s.fn.graph.nodes))
	for _, v := range s.trace[:s.i] {
		executed[v.node.index] = true
	}
	if executed[n.index] {
		return nil
	}
	var best *decision
	for _, d := range s.fn.graph.dominant(n, executed, nil) {
		if d.alt >= 0 && (best == nil || d.cost < best.cost) {
			best = &d
		}
	}
	if best == nil {
		return nil
	}
	for k := s.i - 1; k >= 0; k-- {
		if s.trace[k].node == best.node {
			e.seen[n.at] = true
			r := e.reason(s.fn, n.at, true)
			r.node = n
			r.Branch = e.f.decided(step{s.fn, s.a, s.trace, k}, *best)
			return []*Reason{r}
		}
	}
	return nil
}

// reason describes a step of a chain.
func (e *explainer) reason(fn *function, at ast.Node, omitted bool) *Reason {
	if r, ok := at.(*ast.RangeStmt); ok {
		return &Reason{Text: "for range " + e.f.shortSource(fn, r.X), Place: e.f.place(fn, at.Pos()), Func: fn.name, Omitted: omitted}
	}
	return &Reason{Text: e.f.shortSource(fn, at), Place: e.f.place(fn, at.Pos()), Func: fn.name, Omitted: omitted}
}

// ledTo is the last branch before a step, in its activation, that might have gone another
// way, without the step, to a later one; nil if there is none.
func (f *Finder) ledTo(s, later step) *Branch {
	g := s.fn.graph
	to := g.exit
	if later.fn == s.fn && later.a == s.a && later.i < len(later.trace) {
		to = later.trace[later.i].node
	}
	at := s.trace[s.i].node
	if at.loops() {
		return nil
	}
	for k := s.i - 1; k >= 0; k-- {
		n := s.trace[k].node
		if n.loops() && g.leads(at, n, g.exit) {
			break // what comes before is another iteration
		}
		if n.distinct() < 2 || n == at || n.loops() {
			continue // that a loop went on says nothing
		}
		for alt, next := range n.succs {
			if next != s.trace[k+1].node && next != at && (g.leads(next, to, at) || g.leads(next, g.exit, at)) && !g.leads(next, at, n) {
				return f.decided(step{s.fn, s.a, s.trace, k}, decision{node: n, alt: alt, cost: n.ways()})
			}
		}
	}
	return nil
}

// loops reports whether a node decides whether a loop goes on.
func (n *node) loops() bool {
	if _, ok := n.at.(*ast.RangeStmt); ok {
		return true
	}
	return n.cond != nil && n.fn.loopConds[n.cond]
}

// decided is a branch that decided at a step.
func (f *Finder) decided(s step, d decision) *Branch {
	evaluation := 0
	for _, v := range s.trace[:s.i+1] {
		if v.node == d.node {
			evaluation++
		}
	}
	b := &Branch{score: d.cost, fn: s.fn, decision: d, Count: 1, sure: true}
	b.sample.add(Decided{Activation: s.a.Start, Time: s.time(), Evaluation: evaluation, taken: taken(s.trace, s.i)})
	f.describeBranch(b)
	return b
}

// String says what a step is.
func (r *Reason) String() string {
	text := fmt.Sprintf("%s at %s:%d", r.Text, r.Place.File, r.Place.Line)
	if r.Omitted {
		text += " not performed"
	}
	if r.Branch != nil {
		text += ": " + r.Branch.String()
	}
	return text
}
