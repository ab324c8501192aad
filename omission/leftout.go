package omission

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"misstep/internal/source"
)

// A LeftOut is a field that a function does not carry over from one struct to another, although it carries over others of the same names:
// a literal or assignments that copy a struct, merge options or make settings of options, and lack a field. No branch decided it.
type LeftOut struct {
	// Place is where the other fields are carried over, by the literal or the first assignment.
	Place Position `json:"place"`
	Func  string   `json:"func"`
	// Into is what they are carried over to, such as a literal of a type, and Field which of its fields is left out.
	Into  string `json:"into"`
	Field string `json:"field"`
	// From is what they are carried over from, and Source its field that would be given.
	From   string `json:"from"`
	Source string `json:"source"`
	// Given is how many others are given.
	Given int `json:"given"`
}

// String says which field is left out of what.
func (l *LeftOut) String() string {
	return fmt.Sprintf("%s: %s of %s is not given %s.%s, as %s of %s are given here, in %s", l.Place, l.Field, l.Into, l.From, l.Source, count(l.Given, "other field"), l.From, short(l.Func))
}

// fewestGiven is how many fields of the same names have to be carried over before one that is not is told of. Where more than half as many
// are left out, that is what the function is for.
const fewestGiven = 2

// A carrying is the fields of one struct that a function gives to another.
type carrying struct {
	into, from types.Type // structs, or pointers to these
	object     ast.Expr   // what the fields are selected of
	to         *ast.Ident // the variable that they are given to; nil of a literal
	name       string     // of what they are given to
	at         ast.Node
	nodes      []*node
	given      map[string]bool // of into
}

// structs are the types of a subject, of which fields may be left out, and of its elements, if it has any.
func (s *Subject) structs() []types.Type {
	list := slices.Clone(s.types)
	add := func(t types.Type) {
		list = append(list, t)
		for elem, ok := element(t); ok; elem, ok = element(elem) {
			list = append(list, elem)
		}
	}
	if s.Type != nil {
		add(s.Type)
	}
	if s.held != nil && s.held.v != nil {
		add(s.held.v.Type())
	}
	return list
}

// leftOutOf are those of a subject, or of the field of it that is asked about.
func (f *Finder) leftOutOf(s *Subject) []*LeftOut {
	list := f.leftOut(s.structs())
	if s.Field == "" {
		return list
	}
	first, _, _ := strings.Cut(s.Field, ".")
	return slices.DeleteFunc(list, func(l *LeftOut) bool { return !sameName(l.Field, first) })
}

// leftOut are the fields that functions which ran do not carry over, from or to structs of some types.
func (f *Finder) leftOut(of []types.Type) []*LeftOut {
	var list []*LeftOut
	for _, fn := range f.program.funcs {
		if fn == nil || len(f.events.byFunc[fn.id]) == 0 {
			continue
		}
		for _, c := range fn.carryings() {
			if !slices.ContainsFunc(of, func(t types.Type) bool { return sameStruct(t, c.into) || sameStruct(t, c.from) }) {
				continue
			}
			missing := fn.missing(c)
			if len(missing) == 0 || 2*len(missing) > len(c.given) || !f.visited(fn, c.nodes) {
				continue
			}
			for _, m := range missing {
				list = append(list, &LeftOut{
					Place: f.place(fn, c.at.Pos()), Func: fn.name, Into: c.name, Field: m.into,
					From: source.Shorten(types.ExprString(c.object), maxText), Source: m.from, Given: len(c.given),
				})
			}
		}
	}
	slices.SortFunc(list, func(x, y *LeftOut) int { return cmp.Or(comparePlaces(x.Place, y.Place), cmp.Compare(x.Field, y.Field)) })
	return list
}

// visited reports whether one of some nodes was executed.
func (f *Finder) visited(fn *function, nodes []*node) bool {
	acts := f.events.byFunc[fn.id]
	for _, a := range acts[:min(len(acts), maxLooked)] {
		if slices.ContainsFunc(f.trace(fn, a), func(v visit) bool { return slices.Contains(nodes, v.node) }) {
			return true
		}
	}
	return false
}

// carryings are those of a function, by literals and by assignments.
func (f *function) carryings() []*carrying {
	type way struct {
		into types.Object // the variable; nil of a literal
		lit  *ast.CompositeLit
		from string
	}
	found := map[way]*carrying{}
	var list []*carrying
	note := func(w way, n *node, at ast.Node, to *ast.Ident, name string, into types.Type, field string, value ast.Expr) {
		sel := f.fieldGiven(value)
		if sel == nil || !sameName(sel.Sel.Name, field) {
			return
		}
		w.from = types.ExprString(sel.X)
		c := found[w]
		if c == nil {
			c = &carrying{into: into, from: typeOf(f, sel.X), object: sel.X, to: to, name: name, at: at, given: map[string]bool{}}
			found[w] = c
			list = append(list, c)
		}
		c.given[field] = true
		c.nodes = append(c.nodes, n)
	}
	for _, n := range f.graph.nodes {
		n.evaluates(f.graph, func(x ast.Node) {
			switch x := x.(type) {
			case *ast.CompositeLit:
				t := typeOf(f, x)
				if structOf(t) == nil {
					return
				}
				for _, elt := range x.Elts {
					kv, ok := elt.(*ast.KeyValueExpr)
					if !ok {
						return // all fields are given
					}
					if id, ok := kv.Key.(*ast.Ident); ok {
						note(way{lit: x}, n, x, nil, types.TypeString(t, types.RelativeTo(f.pkg.Types))+"{…}", t, id.Name, kv.Value)
					}
				}
			case *ast.AssignStmt:
				if len(x.Lhs) != len(x.Rhs) || x.Tok != token.ASSIGN {
					return
				}
				for i, l := range x.Lhs {
					to := f.fieldGiven(l)
					if to == nil {
						continue
					}
					id, ok := ast.Unparen(to.X).(*ast.Ident)
					if !ok || f.copiesWhole(f.pkg.Info.ObjectOf(id)) {
						continue
					}
					if from := f.fieldGiven(x.Rhs[i]); from == nil || types.ExprString(from.X) == id.Name {
						continue
					}
					note(way{into: f.pkg.Info.ObjectOf(id)}, n, x, id, id.Name, typeOf(f, to.X), to.Sel.Name, x.Rhs[i])
				}
			}
		})
	}
	return slices.DeleteFunc(list, func(c *carrying) bool { return len(c.given) < fewestGiven })
}

// fieldGiven is the field of a variable, or of a field of one, that an expression is the value of, converted or not; nil if it is not that.
func (f *function) fieldGiven(x ast.Expr) *ast.SelectorExpr {
	x = ast.Unparen(x)
	if call, ok := x.(*ast.CallExpr); ok && len(call.Args) == 1 && f.pkg.Info.Types[call.Fun].IsType() {
		x = ast.Unparen(call.Args[0])
	}
	sel, ok := x.(*ast.SelectorExpr)
	if !ok || source.Root(sel) == nil || source.Calls(sel) {
		return nil
	}
	if s := f.pkg.Info.Selections[sel]; s == nil || s.Kind() != types.FieldVal || len(s.Index()) != 1 {
		return nil
	}
	return sel
}

// copiesWhole reports whether a variable of a function is given a struct as a whole, so that no field is left out.
func (f *function) copiesWhole(v types.Object) bool {
	found := false
	is := func(x ast.Expr) bool {
		if star, ok := ast.Unparen(x).(*ast.StarExpr); ok {
			x = star.X
		}
		id, ok := ast.Unparen(x).(*ast.Ident)
		return ok && f.pkg.Info.ObjectOf(id) == v
	}
	ast.Inspect(f.body, func(n ast.Node) bool {
		if s, ok := n.(*ast.AssignStmt); ok && len(s.Lhs) == len(s.Rhs) {
			for i, x := range s.Lhs {
				if !is(x) {
					continue
				}
				switch y := ast.Unparen(s.Rhs[i]).(type) {
				case *ast.CompositeLit, *ast.UnaryExpr:
				case *ast.CallExpr: // of new
					id, ok := ast.Unparen(y.Fun).(*ast.Ident)
					found = found || !ok || id.Name != "new"
				default:
					found = true
				}
			}
		}
		return !found
	})
	return found
}

// A pair is two fields of the same name, one of each of two structs.
type pair struct{ into, from string }

// missing are the fields that both structs of a carrying have, and that its function mentions of neither, nor stores into of another. A call may carry a field over
// whose name is in that of what is called, as SetTags, and all of them if it is given both structs.
func (f *function) missing(c *carrying) []pair {
	into, from := structOf(c.into), structOf(c.from)
	if into == nil || from == nil || f.givesBoth(c) {
		return nil
	}
	mentioned := map[types.Object]bool{}
	called := ""
	mention := func(x ast.Expr) {
		if sel, ok := ast.Unparen(x).(*ast.SelectorExpr); ok && f.pkg.Info.Selections[sel] != nil {
			mentioned[f.pkg.Info.Selections[sel].Obj()] = true
		}
	}
	ast.Inspect(f.body, func(n ast.Node) bool {
		stored(n, mention)
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if s := f.pkg.Info.Selections[n]; s != nil && s.Kind() == types.MethodVal {
				called += " " + foldedName(n.Sel.Name)
			}
			if root := source.Root(n); root != nil && (root.Name == rootName(c.object) || c.to != nil && root.Name == c.to.Name) {
				mention(n)
			}
		case *ast.KeyValueExpr:
			if id, ok := n.Key.(*ast.Ident); ok {
				mentioned[f.pkg.Info.Uses[id]] = true
			}
		}
		return true
	})
	var list []pair
	for to := range into.Fields() {
		if mentioned[to] || !to.Exported() && to.Pkg() != f.pkg.Types || to.Name() == "_" || locks(to.Type(), 0) || strings.Contains(called, foldedName(to.Name())) {
			continue
		}
		for of := range from.Fields() {
			if sameName(of.Name(), to.Name()) && types.Identical(of.Type(), to.Type()) && (of == to || !mentioned[of]) && (of.Exported() || of.Pkg() == f.pkg.Types) {
				list = append(list, pair{to.Name(), of.Name()})
			}
		}
	}
	return list
}

// stored yields what a statement or an expression by itself assigns to, or takes the address of.
func stored(n ast.Node, yield func(x ast.Expr)) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for _, x := range n.Lhs {
			yield(x)
		}
	case *ast.IncDecStmt:
		yield(n.X)
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			yield(n.X)
		}
	}
}

// rootName is the name of the variable that an expression begins with, or empty.
func rootName(x ast.Expr) string {
	if id := source.Root(x); id != nil {
		return id.Name
	}
	return ""
}

// givesBoth reports whether a call is given both what fields are carried over to and what they come from.
func (f *function) givesBoth(c *carrying) bool {
	root := source.Root(c.object)
	if c.to == nil || root == nil {
		return false
	}
	into, from := f.pkg.Info.ObjectOf(c.to), f.pkg.Info.ObjectOf(root)
	for _, call := range f.calls {
		if mentions(f, call.expr, into) && mentions(f, call.expr, from) {
			return true
		}
	}
	return false
}

// sameName reports whether two fields have one name, whatever letters are large.
func sameName(a, b string) bool { return foldedName(a) == foldedName(b) }

func foldedName(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }

// structOf is the struct that a type is, or points to; nil if it does not.
func structOf(t types.Type) *types.Struct {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, _ := t.Underlying().(*types.Struct)
	return st
}

// sameStruct reports whether two types are one struct type, or point to it.
func sameStruct(x, y types.Type) bool {
	struc := func(t types.Type) types.Type {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			return p.Elem()
		}
		return t
	}
	return same(struc(x), struc(y))
}

// locks reports whether a type has a lock, or another part of package sync, in it, which is not to be copied.
func locks(t types.Type, depth int) bool {
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil && strings.HasPrefix(n.Obj().Pkg().Path(), "sync") {
		return true
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok || depth > 3 {
		return false
	}
	for field := range st.Fields() {
		if locks(field.Type(), depth+1) {
			return true
		}
	}
	return false
}
