package omission

import (
	"cmp"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"

	"misstep/history"
)

// Where a value was copied into the subject, what should have happened to it may have had to
// happen before, to what it was copied from: an element that was built in a variable and then
// appended, an object that reflection made and then set.

// A copying is a place at which a value is put into an object by copy.
type copying struct {
	node *node
	into ast.Expr // the object
	from ast.Expr // a variable, or what a pointer points to
}

// copyings are those of a function.
func (f *function) copyings() []copying {
	var list []copying
	for _, n := range f.graph.nodes {
		n.evaluates(f.graph, func(x ast.Node) {
			switch x := x.(type) {
			case *ast.AssignStmt:
				if len(x.Lhs) != len(x.Rhs) {
					break
				}
				for i, l := range x.Lhs {
					if _, plain := l.(*ast.Ident); !plain && f.copies(x.Rhs[i]) {
						if object, _, _ := f.operand(l); object != nil {
							list = append(list, copying{n, object, f.copyOf(x.Rhs[i])})
						}
					}
				}
			case *ast.CallExpr:
				list = append(list, f.copyingCall(n, x)...)
			}
		})
	}
	return list
}

// copyingCall are those of a call: of append, and of functions of package reflect.
func (f *function) copyingCall(n *node, x *ast.CallExpr) []copying {
	var list []copying
	if id, ok := ast.Unparen(x.Fun).(*ast.Ident); ok && id.Name == "append" && f.pkg.Info.Types[x.Fun].IsBuiltin() {
		for _, v := range x.Args[1:] {
			if f.copies(v) {
				list = append(list, copying{n, x.Args[0], f.copyOf(v)})
			}
		}
		return list
	}
	sel, ok := ast.Unparen(x.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	name := reflected(history.Callee(f.pkg.Info, x))
	if f.pkg.Info.Selections[sel] == nil || name != "Set" && name != "SetMapIndex" || len(x.Args) == 0 {
		return nil
	}
	value := ast.Unparen(x.Args[len(x.Args)-1])
	values := []ast.Expr{value}
	if call, ok := value.(*ast.CallExpr); ok && reflected(history.Callee(f.pkg.Info, call)) == "Append" {
		values = call.Args[1:]
	}
	for _, v := range values {
		if from := f.origin(v); from != nil {
			list = append(list, copying{n, sel.X, from})
		}
	}
	return list
}

// copies reports whether an expression is a value that others than the copy can change.
func (f *function) copies(x ast.Expr) bool {
	t := f.pkg.Info.TypeOf(x)
	if t == nil || refers(t) {
		return false
	}
	switch x := ast.Unparen(x).(type) {
	case *ast.StarExpr:
		return true
	case *ast.Ident:
		_, ok := f.pkg.Info.ObjectOf(x).(*types.Var)
		return ok
	}
	return false
}

// copyOf is the pointer that a copied value is read through, or the variable.
func (f *function) copyOf(x ast.Expr) ast.Expr {
	if star, ok := ast.Unparen(x).(*ast.StarExpr); ok {
		return star.X
	}
	return ast.Unparen(x)
}

// maxSources is how many objects are looked at that values were copied from.
const maxSources = 4

// sources are what values were copied from into the subject's objects, as subjects of their
// own, the last first.
func (f *Finder) sources(s *Subject) []*Subject {
	if len(s.Instances) == 0 {
		return nil
	}
	subjects := append([]*Subject{s}, s.Variables...)
	known := func(i *history.Instance) bool {
		return slices.ContainsFunc(subjects, func(s *Subject) bool { return s.Instances[i] })
	}
	type origin struct {
		i *history.Instance
		v types.Object // if it is no instance
	}
	last := map[origin]int64{} // when it was copied last, or might have been
	found := func(o origin, time int64) { last[o] = max(last[o], time) }
	for _, fn := range f.program.funcs {
		if fn == nil || len(f.events.byFunc[fn.id]) == 0 {
			continue
		}
		list := fn.copyings()
		if len(list) == 0 {
			continue
		}
		acts := f.events.byFunc[fn.id]
		for _, a := range acts[max(0, len(acts)-maxLooked):] {
			ran := map[*node]bool{}
			for _, v := range f.trace(fn, a) {
				ran[v.node] = true
			}
			for _, c := range list {
				if !ran[c.node] {
					continue
				}
				into, ok := f.events.is(f.program, a, c.into, a.End)
				if !ok || !known(into.of) {
					continue
				}
				if from, ok := f.events.is(f.program, a, c.from, a.End); ok && !known(from.of) {
					found(origin{i: from.of}, from.time)
				} else if v := fn.variable(c.from); v != nil && !ok && !s.Vars[v] {
					found(origin{v: v}, a.Start)
				}
			}
		}
	}
	name := func(o origin) string {
		if o.i != nil {
			return o.i.String()
		}
		return o.v.Name()
	}
	origins := slices.SortedFunc(maps.Keys(last), func(x, y origin) int {
		return cmp.Or(cmp.Compare(last[y], last[x]), cmp.Compare(name(x), name(y)))
	})
	var list []*Subject
	for _, o := range origins[:min(len(origins), maxSources)] {
		var sub *Subject
		if o.i != nil {
			sub = f.ofInstances(name(o), []*history.Instance{o.i})
		} else {
			sub = f.ofVariable(name(o), o.v)
		}
		f.narrow(sub, s)
		list = append(list, sub)
	}
	return list
}

// narrow gives what was copied into a subject its type, if it has none, and the field that is
// of interest.
func (f *Finder) narrow(sub, s *Subject) {
	field := s.Field
	t := s.Type
	if t == nil {
		return
	}
	if elem, ok := element(t); ok && (field == "" || s.concernsElements()) {
		t = elem
		_, field, _ = strings.Cut(field, ".")
	}
	if sub.Type == nil || history.IsReflectValue(sub.Type) {
		sub.Type = t
	}
	if field != "" {
		sub.Of(field) // if it has no such field, all of it counts
	}
	f.parts(sub)
}
