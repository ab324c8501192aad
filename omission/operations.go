package omission

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"strings"

	"misstep/history"
)

// A Kind says what an operation does with an object.
type Kind string

// The kinds of operations, from what matters most.
const (
	Write Kind = "write" // it changes the object
	Call  Kind = "call"  // it calls the function that the object is
	Held  Kind = "held"  // it calls a function that the object holds
	Keep  Kind = "keep"  // it puts the object somewhere: into a field, an element, a channel
	Read  Kind = "read"  // it reads the object
	Other Kind = "other" // it was found by what the program does, whatever it does to the object
)

// order is where a kind stands in a ranking.
var order = map[Kind]int{Write: 0, Call: 0, Held: 1, Keep: 1, Read: 2, Other: 3}

// An operation is a place in a program that may operate on the subject.
type operation struct {
	fn   *function
	node *node
	// expr is the operation's syntax, operand what in it is the object; nil where that
	// is not in the text.
	expr    ast.Node
	operand ast.Expr
	kind    Kind
	field   string // of the object that is changed or read; empty for all or none
	// of is what it is on: the subject, or a part of it.
	of *Subject
	// inner is, of a call, what it does in what it calls, and depth how many calls further.
	inner *operation
	depth int
	// dynamic tells of a call of the subject that its callee is not in the text, reflected
	// of an operation that it is by reflection.
	dynamic, reflected bool
	// dropped says that the function does nothing else with it, see droppable.
	dropped bool
	name    string // of the function of package reflect
}

// operand is what an expression is a part of: the object that a store to it would
// change, and which field of it, with dots between fields of fields.
func (f *function) operand(x ast.Expr) (object ast.Expr, field string, typ types.Type) {
	info := f.pkg.Info
	for {
		switch e := x.(type) {
		case *ast.ParenExpr:
			x = e.X
			continue
		case *ast.SelectorExpr:
			sel := info.Selections[e]
			if sel == nil {
				return e, field, info.TypeOf(e) // a variable of another package
			}
			if t, name := embedded(sel); t != nil {
				return nil, joined(name, field), t
			}
			field = joined(selected(sel), field)
			if isPointer(info.TypeOf(e.X)) {
				return e.X, field, nil
			}
			x = e.X
			continue
		case *ast.IndexExpr:
			t := info.TypeOf(e.X)
			if t == nil {
				return nil, "", nil
			}
			switch t.Underlying().(type) {
			case *types.Array:
				field, x = joined(elements, field), e.X
				continue
			case *types.Slice:
				return e.X, joined(elements, field), nil
			}
			return e.X, "", nil
		case *ast.StarExpr:
			return e.X, field, nil
		case *ast.Ident:
			return e, field, nil
		}
		return x, field, nil
	}
}

// elements stands in a field's path for one of the elements of an array or a slice.
const elements = "[]"

// joined is the path of a field, and of one in it.
func joined(path, inner string) string {
	if path == "" || inner == "" {
		return path + inner
	}
	return path + "." + inner
}

// selected is the path of the field that a selection is, with the embedded ones that lead
// to it.
func selected(sel *types.Selection) string {
	index := sel.Index()
	if sel.Kind() != types.FieldVal {
		return joined(fieldPath(sel.Recv(), index[:len(index)-1]), sel.Obj().Name())
	}
	return fieldPath(sel.Recv(), index)
}

// fieldPath are the names of fields by their indices, up to the last pointer.
func fieldPath(t types.Type, index []int) string {
	path := ""
	for _, n := range index {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t, path = p.Elem(), ""
		}
		s, ok := t.Underlying().(*types.Struct)
		if !ok {
			return path
		}
		path, t = joined(path, s.Field(n).Name()), s.Field(n).Type()
	}
	return path
}

// embedded is the type of an object that a selection leads to through an embedded
// pointer, and the field of it; nil if it does not.
func embedded(sel *types.Selection) (types.Type, string) {
	t := sel.Recv()
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	var last types.Type
	path := sel.Index()
	for _, n := range path[:len(path)-1] {
		s, ok := t.Underlying().(*types.Struct)
		if !ok {
			return nil, ""
		}
		t = s.Field(n).Type()
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
			last = t
		}
	}
	return last, selected(sel)
}

func isPointer(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// A gatherer finds what a function does itself with objects that may be the subject.
type gatherer struct {
	f    *function
	p    *program
	s    *Subject
	n    *node // whose operations are looked for
	list []*operation
	// stored are the expressions that the node assigns to.
	stored map[ast.Expr]bool
}

// operations finds what a function does itself with objects that may be the subject.
func (f *function) operations(p *program, s *Subject) []*operation {
	g := &gatherer{f: f, p: p, s: s}
	for _, n := range f.graph.nodes {
		g.n, g.stored = n, map[ast.Expr]bool{}
		n.evaluates(f.graph, g.visit)
		if r, ok := n.at.(*ast.RangeStmt); ok && n.part == history.Head && refers(typeOf(f, r.X)) {
			g.whole(r, Read, r.X)
		}
	}
	return g.list
}

func (g *gatherer) found(x ast.Node, kind Kind, operand ast.Expr, field string) {
	g.list = append(g.list, &operation{fn: g.f, node: g.n, expr: x, operand: operand, kind: kind, field: field, of: g.s})
}

// held is a change of what a field of the subject holds: a map, a slice, a channel.
func (g *gatherer) held(x ast.Node, value ast.Expr) {
	sel, ok := ast.Unparen(value).(*ast.SelectorExpr)
	if ok && g.f.pkg.Info.Selections[sel] != nil {
		object, field, _ := g.f.operand(sel)
		if object != nil && g.s.concerns(field) && g.p.may(g.f, object, g.s) {
			g.found(x, Write, object, field)
			return
		}
	}
	for _, part := range g.s.Parts {
		if g.p.may(g.f, value, part) {
			g.list = append(g.list, &operation{fn: g.f, node: g.n, expr: x, operand: value, kind: Write, field: part.Name, of: part})
			return
		}
	}
}

// concerns reports whether an operation on a field of the subject, or on a field of that, is
// of interest; no field is the whole.
func (s *Subject) concerns(field string) bool {
	if s.Field == "" || field == "" {
		return s.Field == ""
	}
	wanted := numbers.ReplaceAllString(s.Field, elements)
	for {
		if field == wanted || strings.HasPrefix(field, wanted+".") || strings.HasPrefix(wanted, field+".") {
			return true
		}
		// A pointer to an element knows only of what is in that.
		var element bool
		if wanted, element = strings.CutPrefix(wanted, elements+"."); !element {
			return false
		}
	}
}

var numbers = regexp.MustCompile(`\[\d+\]`)

// wholly reports whether a path is that of the object, or of one of its elements.
func wholly(field string) bool { return field == "" || strings.HasPrefix(field, elements) }

// add is an operation on what an expression is part of.
func (g *gatherer) add(x ast.Node, kind Kind, target ast.Expr) {
	object, field, typ := g.f.operand(target)
	if object != nil && wholly(field) && kind == Write && !g.s.concernsElements() && (g.s.Field != "" || !g.p.may(g.f, object, g.s)) {
		if g.s.inField(typeOf(g.f, object)) && g.p.may(g.f, object, g.s) {
			g.found(x, kind, object, g.s.Field)
			return
		}
		g.held(x, object)
		return
	}
	if object == nil {
		if typ == nil || g.s.Type == nil || !same(typ, g.s.Type) {
			return
		}
	} else if !g.p.may(g.f, object, g.s) {
		return
	}
	if g.s.Field == "" || g.s.concerns(field) {
		g.found(x, kind, object, field)
	}
}

// whole is an operation on an object as a whole.
func (g *gatherer) whole(x ast.Node, kind Kind, object ast.Expr) {
	switch {
	case g.s.Field == "" && g.p.may(g.f, object, g.s):
		g.found(x, kind, object, "")
	case kind == Write && g.s.concernsElements() && g.p.may(g.f, object, g.s):
		g.found(x, kind, object, elements)
	case kind == Write:
		g.held(x, object)
	}
}

// kept is a value that is put somewhere.
func (g *gatherer) kept(x ast.Node, value ast.Expr) {
	if refers(typeOf(g.f, value)) {
		g.whole(x, Keep, value)
	}
}

// assigned is an operation on the variable that is the subject itself.
func (g *gatherer) assigned(x ast.Node, id *ast.Ident) {
	if g.s.Vars[g.f.pkg.Info.ObjectOf(id)] && g.s.Field == "" {
		g.found(x, Write, id, "")
	}
}

// visit looks at what a node evaluates.
func (g *gatherer) visit(x ast.Node) {
	info := g.f.pkg.Info
	switch x := x.(type) {
	case *ast.AssignStmt:
		g.assignment(x)
	case *ast.IncDecStmt:
		g.stored[x.X] = true
		if id, ok := x.X.(*ast.Ident); ok {
			g.assigned(x, id)
			break
		}
		g.add(x, Write, x.X)
	case *ast.ReturnStmt:
		for _, v := range x.Results {
			// Whoever gets another goes on with that.
			if t := typeOf(g.f, v); len(g.s.Instances) > 0 && !isError(t) {
				g.kept(x, v)
			}
		}
	case *ast.SendStmt:
		g.whole(x, Write, x.Chan)
		g.kept(x, x.Value)
	case *ast.CompositeLit:
		for _, e := range x.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				e = kv.Value
			}
			g.kept(x, e)
		}
	case *ast.CallExpr:
		g.builtin(x)
	case *ast.UnaryExpr:
		if x.Op == token.ARROW {
			g.whole(x, Write, x.X)
		}
	case *ast.StarExpr:
		if !g.stored[x] && info.Types[x].IsValue() {
			g.whole(x, Read, x.X)
		}
	case *ast.SelectorExpr:
		if sel := info.Selections[x]; sel != nil && sel.Kind() == types.FieldVal && !g.stored[x] {
			g.add(x, Read, x)
		}
	case *ast.IndexExpr:
		if tv := info.Types[x.X]; tv.IsValue() && !g.stored[x] && refers(tv.Type) {
			g.whole(x, Read, x.X)
		}
	}
}

// assignment looks at both sides of one.
func (g *gatherer) assignment(x *ast.AssignStmt) {
	for i, l := range x.Lhs {
		if id, ok := l.(*ast.Ident); ok {
			if x.Tok != token.DEFINE {
				g.assigned(x, id)
			}
			continue
		}
		g.stored[l] = true
		g.add(x, Write, l)
		if len(x.Lhs) == len(x.Rhs) {
			g.kept(x, x.Rhs[i])
		}
	}
}

func typeOf(f *function, x ast.Expr) types.Type {
	if t := f.pkg.Info.TypeOf(x); t != nil {
		return t
	}
	return types.Typ[types.Invalid]
}

// builtin are the operations of the language's own functions.
func (g *gatherer) builtin(x *ast.CallExpr) {
	id, ok := ast.Unparen(x.Fun).(*ast.Ident)
	if !ok || !g.f.pkg.Info.Types[x.Fun].IsBuiltin() || len(x.Args) == 0 {
		return
	}
	switch id.Name {
	case "append":
		g.whole(x, Write, x.Args[0])
		for _, v := range x.Args[1:] {
			g.kept(x, v)
		}
	case "copy":
		g.whole(x, Write, x.Args[0])
		if len(x.Args) > 1 { // or a call gives both
			g.whole(x, Read, x.Args[1])
		}
	case "delete", "clear", "close":
		g.whole(x, Write, x.Args[0])
	}
}

// may reports whether an expression may be the subject.
func (p *program) may(f *function, x ast.Expr, s *Subject) bool {
	x = pointee(x)
	if v := f.variable(x); v != nil && s.Vars[v] {
		return true
	}
	if len(s.Instances) == 0 && len(s.Funcs) == 0 {
		return false
	}
	t := f.pkg.Info.TypeOf(x)
	return t != nil && refers(t) && (s.fits(t) || p.aliases.Exact() && s.holds(t)) && p.aliases.May(f.pkg, x, s)
}

// concernsElements reports whether the field of interest is an element, or in one.
func (s *Subject) concernsElements() bool { return strings.HasPrefix(s.Field, "[") }
