package omission

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"misstep/history"
	"misstep/internal/source"
)

// A Stale is a field that was made of another field of its struct, and was not made anew of it by a function that gave that one another
// value and made others anew: a setter which leaves out one of what a constructor computed. No branch decided it.
type Stale struct {
	// Place is where the function gives the field Source of Object a value, and Func the function.
	Place  Position `json:"place"`
	Func   string   `json:"func"`
	Object string   `json:"object"`
	Source string   `json:"source"`
	// Field is what is not made anew, Anew what is.
	Field string   `json:"field"`
	Anew  []string `json:"anew"`
	// Made is where the field was made of the other one, and MadeIn the function.
	Made   Position `json:"made"`
	MadeIn string   `json:"madeIn"`
}

// String says which field is left as it was.
func (s *Stale) String() string {
	return fmt.Sprintf("%s: %s of %s is not made anew of %s, as %s, in %s; it was made of it at %s:%d, in %s",
		s.Place, s.Field, s.Object, s.Source, are(s.Anew), short(s.Func), s.Made.File, s.Made.Line, short(s.MadeIn))
}

// are says of some fields that they are.
func are(list []string) string {
	if len(list) == 1 {
		return list[0] + " is"
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1] + " are"
}

// fewestAnew is how many fields a function has to make anew before one that it does not is told of. Where it makes less than half of
// them anew, that is what it is for.
const fewestAnew = 2

// A slot is a variable of a function, or a field of one.
type slot struct {
	v     types.Object
	field string // empty is all of it
}

// A flow is an assignment that was executed: to what, and what its value mentions.
type flow struct {
	to   slot
	root *ast.Ident // the variable there
	from []slot
	node *node
	// plain says that the value is what the only one of from holds.
	plain bool
}

// A making is what a function does to the fields of a variable: which it assigns to, and which of these it made of which.
type making struct {
	fn    *function
	v     types.Object
	root  *ast.Ident                 // the variable where a field of it is assigned to
	nodes map[string]*node           // where fields are assigned to first
	of    map[string]map[string]bool // by the field that others are made of
}

// stale are those of the subject: of what functions made that ran for it, what others did not make anew that did.
func (f *Finder) stale(s *Subject) []*Stale {
	of := s.structs()
	var makings []*making
	for _, fn := range f.program.funcs {
		if fn != nil && len(f.events.byFunc[fn.id]) > 0 && fn.fillsFieldOf(of) {
			makings = append(makings, f.makings(fn, of)...)
		}
	}
	makings = slices.DeleteFunc(makings, func(m *making) bool { return len(m.of) == 0 || !f.happensTo(m, s) })
	var list []*Stale
	for _, m := range makings {
		for _, from := range slices.Sorted(maps.Keys(m.of)) {
			for _, was := range makings {
				if was.fn != m.fn && f.precedes(was.fn, m.fn) {
					list = append(list, f.leftStale(m, was, from)...)
				}
			}
		}
	}
	slices.SortFunc(list, func(x, y *Stale) int { return cmp.Or(comparePlaces(x.Place, y.Place), cmp.Compare(x.Field, y.Field)) })
	if s.Field != "" {
		first, _, _ := strings.Cut(s.Field, ".")
		list = slices.DeleteFunc(list, func(l *Stale) bool { return l.Field != first })
	}
	return slices.CompactFunc(list, func(x, y *Stale) bool { return x.Place == y.Place && x.Field == y.Field })
}

// leftStale are the fields that one function made of another field, and another one does not, which makes some of them anew.
func (f *Finder) leftStale(m, was *making, from string) []*Stale {
	var both, missing []string
	for _, field := range slices.Sorted(maps.Keys(was.of[from])) {
		if m.of[from][field] {
			both = append(both, field)
		} else {
			missing = append(missing, field)
		}
	}
	if len(both) < fewestAnew || len(missing) == 0 {
		return nil
	}
	written, known := f.fieldsWritten(m.fn, m.v, nil)
	missing = slices.DeleteFunc(missing, func(field string) bool { return written[field] })
	if !known || len(missing) > len(both) {
		return nil
	}
	var list []*Stale
	for _, field := range missing {
		list = append(list, &Stale{
			Place: f.place(m.fn, m.nodes[from].at.Pos()), Func: m.fn.name, Object: m.v.Name(), Source: from, Field: field, Anew: both,
			Made: f.place(was.fn, was.nodes[field].at.Pos()), MadeIn: was.fn.name,
		})
	}
	return list
}

// happensTo reports whether a function ran for the subject: with one of its objects in the variable, as far as that is known.
func (f *Finder) happensTo(m *making, s *Subject) bool {
	if len(s.Instances) == 0 {
		return true
	}
	return slices.ContainsFunc(f.events.byFunc[m.fn.id], func(a *history.Activation) bool {
		t, ok := f.events.is(f.program, a, m.root, a.End)
		return ok && s.Instances[t.of]
	})
}

// precedes reports whether a function ran before another one did for the last time.
func (f *Finder) precedes(first, second *function) bool {
	x, y := f.events.byFunc[first.id], f.events.byFunc[second.id]
	return x[0].Start < y[len(y)-1].Start
}

// fillsFieldOf reports whether a function assigns to a field of a variable of one of some types.
func (f *function) fillsFieldOf(of []types.Type) bool {
	return slices.ContainsFunc(f.graph.nodes, func(n *node) bool {
		s, ok := n.at.(*ast.AssignStmt)
		return ok && slices.ContainsFunc(s.Lhs, func(x ast.Expr) bool {
			to, ok := f.slot(x)
			return ok && to.field != "" && slices.ContainsFunc(of, func(t types.Type) bool { return sameStruct(t, to.v.Type()) })
		})
	})
}

// makings are what a function that ran does to the fields of its variables which are of some types.
func (f *Finder) makings(fn *function, of []types.Type) []*making {
	flows := f.flows(fn)
	found := map[types.Object]*making{}
	var list []*making
	for _, x := range flows {
		if x.to.field == "" || !slices.ContainsFunc(of, func(t types.Type) bool { return sameStruct(t, x.to.v.Type()) }) {
			continue
		}
		m := found[x.to.v]
		if m == nil {
			m = &making{fn: fn, v: x.to.v, root: x.root, nodes: map[string]*node{}, of: map[string]map[string]bool{}}
			found[x.to.v] = m
			list = append(list, m)
		}
		if m.nodes[x.to.field] == nil {
			m.nodes[x.to.field] = x.node
		}
	}
	for _, m := range list {
		for from := range m.nodes {
			reached := reach(flows, slot{m.v, from})
			for field := range m.nodes {
				if field != from && reached[slot{m.v, field}] {
					if m.of[from] == nil {
						m.of[from] = map[string]bool{}
					}
					m.of[from][field] = true
				}
			}
		}
	}
	return list
}

// reach is what a field's value came to, by some assignments; what the field was given as it is came to the same.
func reach(flows []flow, from slot) map[slot]bool {
	reached := map[slot]bool{from: true}
	for _, x := range flows {
		if x.to == from && x.plain {
			reached[x.from[0]] = true
		}
	}
	for more := true; more; {
		more = false
		for _, x := range flows {
			if !reached[x.to] && slices.ContainsFunc(x.from, func(s slot) bool { return reached[s] }) {
				reached[x.to], more = true, true
			}
		}
	}
	return reached
}

// flows are the assignments that a function's activations executed, of its own body.
func (f *Finder) flows(fn *function) []flow {
	ran := map[*node]bool{}
	acts := f.events.byFunc[fn.id]
	for _, a := range acts[max(0, len(acts)-maxLooked):] {
		for _, v := range f.trace(fn, a) {
			ran[v.node] = true
		}
	}
	var list []flow
	add := func(n *node, to ast.Expr, values ...ast.Expr) {
		s, ok := fn.slot(to)
		if !ok {
			return
		}
		x := flow{to: s, root: source.Root(to), node: n}
		for _, v := range values {
			x.from = append(x.from, fn.slots(v)...)
		}
		if len(values) == 1 {
			switch ast.Unparen(values[0]).(type) {
			case *ast.Ident, *ast.SelectorExpr:
				_, x.plain = fn.slot(values[0])
			}
		}
		list = append(list, x)
	}
	for _, n := range fn.graph.nodes {
		if !ran[n] || n.cond != nil {
			continue
		}
		switch s := n.at.(type) {
		case *ast.AssignStmt:
			for i, to := range s.Lhs {
				value := s.Rhs[0]
				if len(s.Rhs) == len(s.Lhs) {
					value = s.Rhs[i]
				}
				if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
					add(n, to, value, to)
				} else {
					add(n, to, value)
				}
			}
		case *ast.DeclStmt:
			for _, spec := range s.Decl.(*ast.GenDecl).Specs {
				if vs, ok := spec.(*ast.ValueSpec); ok && len(vs.Names) == len(vs.Values) {
					for i, id := range vs.Names {
						add(n, id, vs.Values[i])
					}
				}
			}
		case *ast.RangeStmt:
			for _, to := range []ast.Expr{s.Key, s.Value} {
				if to != nil && n.part != history.Head {
					add(n, to, s.X)
				}
			}
		}
	}
	return list
}

// slot is the variable that an expression is, or the field of one, which elements of it are counted to; false if it is neither.
func (f *function) slot(x ast.Expr) (slot, bool) {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		v, ok := f.pkg.Info.ObjectOf(x).(*types.Var)
		return slot{v: v}, ok && x.Name != "_"
	case *ast.SelectorExpr:
		s := f.pkg.Info.Selections[x]
		if s == nil || s.Kind() != types.FieldVal {
			return slot{}, false
		}
		in, ok := f.slot(x.X)
		if ok && in.field == "" && len(s.Index()) == 1 {
			in.field = x.Sel.Name
		}
		return in, ok
	case *ast.IndexExpr:
		return f.slot(x.X)
	case *ast.StarExpr:
		return f.slot(x.X)
	}
	return slot{}, false
}

// slots are what an expression mentions, outside of literals of functions.
func (f *function) slots(x ast.Expr) []slot {
	var list []slot
	ast.Inspect(x, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.KeyValueExpr:
			list = append(list, f.slots(n.Value)...)
			if _, ok := n.Key.(*ast.Ident); !ok {
				list = append(list, f.slots(n.Key)...)
			}
			return false
		case *ast.Ident, *ast.SelectorExpr:
			if s, ok := f.slot(e); ok {
				list = append(list, s)
				return false
			}
		}
		return true
	})
	return list
}

// fieldsWritten are the fields of a variable that a function may assign to, by itself or by functions that it gives the variable to;
// known is false if it gives it to one that is not recorded, or not known.
func (f *Finder) fieldsWritten(fn *function, v types.Object, within []*function) (fields map[string]bool, known bool) {
	fields = map[string]bool{}
	if slices.Contains(within, fn) {
		return fields, true
	}
	within = append(within, fn)
	if len(within) > MaxCalls {
		return fields, false
	}
	note := func(x ast.Expr) {
		if s, ok := fn.slot(x); ok && s.v == v {
			fields[s.field] = true
		}
	}
	ast.Inspect(fn.body, func(n ast.Node) bool {
		stored(n, note)
		if sel, ok := n.(*ast.SelectorExpr); ok { // a method may change the field that it is called of
			if s := fn.pkg.Info.Selections[sel]; s != nil && s.Kind() == types.MethodVal {
				note(sel.X)
			}
		}
		return true
	})
	whole := fields[""]
	delete(fields, "")
	for _, c := range fn.calls {
		for i, x := range c.operands {
			s, ok := fn.slot(pointee(x))
			if !ok || s.v != v || s.field != "" {
				continue
			}
			whole = false // it is what the call does with it
			if len(c.callees) == 0 {
				return fields, false
			}
			for _, id := range c.callees {
				callee := f.program.funcs[id]
				if callee == nil || c.indirect || i >= len(callee.params) || callee.params[i] == nil {
					return fields, false
				}
				more, known := f.fieldsWritten(callee, callee.params[i], within)
				if !known {
					return fields, false
				}
				maps.Copy(fields, more)
			}
		}
	}
	return fields, !whole
}
