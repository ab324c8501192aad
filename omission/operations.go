package omission

import (
	"go/ast"
	"go/token"
	"go/types"

	"misstep/history"
)

// A Kind says what an operation does with an object.
type Kind string

// The kinds of operations, from what matters most.
const (
	Write Kind = "write" // it changes the object
	Call  Kind = "call"  // it calls the function that the object is
	Keep  Kind = "keep"  // it puts the object somewhere: into a field, an element, a channel
	Read  Kind = "read"  // it reads the object
)

// order is where a kind stands in a ranking.
var order = map[Kind]int{Write: 0, Call: 0, Keep: 1, Read: 2}

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
	// inner is, of a call, what it does in what it calls, and depth how many calls further.
	inner *operation
	depth int
	// dynamic tells of a call of the subject that its callee is not in the text.
	dynamic bool
}

// operand is what an expression is a part of: the object that a store to it would
// change, and which field of it.
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
			field = e.Sel.Name
			if t, name := embedded(sel); t != nil {
				return nil, name, t
			}
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
			if _, array := t.Underlying().(*types.Array); array {
				x = e.X
				continue
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
	return last, sel.Obj().Name()
}

func isPointer(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// operations finds what a function does itself with objects that may be the subject.
func (f *function) operations(p *program, s *Subject) []*operation {
	var list []*operation
	// held is a change of what the field of interest holds: a map, a slice, a channel.
	held := func(n *node, x ast.Node, value ast.Expr) {
		sel, ok := ast.Unparen(value).(*ast.SelectorExpr)
		if !ok || sel.Sel.Name != s.Field || f.pkg.Info.Selections[sel] == nil {
			return
		}
		if object, _, _ := f.operand(sel); object != nil && p.may(f, object, s) {
			list = append(list, &operation{fn: f, node: n, expr: x, operand: object, kind: Write, field: s.Field})
		}
	}
	add := func(n *node, x ast.Node, kind Kind, target ast.Expr) {
		object, field, typ := f.operand(target)
		if s.Field != "" && object != nil && field == "" && kind == Write {
			held(n, x, object)
			return
		}
		if object == nil {
			if typ == nil || s.Type == nil || !same(typ, s.Type) {
				return
			}
		} else if !p.may(f, object, s) {
			return
		}
		if s.Field != "" && field != s.Field {
			return
		}
		list = append(list, &operation{fn: f, node: n, expr: x, operand: object, kind: kind, field: field})
	}
	// whole is an operation on an object as a whole.
	whole := func(n *node, x ast.Node, kind Kind, object ast.Expr) {
		if s.Field != "" && kind == Write {
			held(n, x, object)
		}
		if s.Field == "" && p.may(f, object, s) {
			list = append(list, &operation{fn: f, node: n, expr: x, operand: object, kind: kind})
		}
	}
	// kept is a value that is put somewhere.
	kept := func(n *node, x ast.Node, value ast.Expr) {
		if refers(typeOf(f, value)) {
			whole(n, x, Keep, value)
		}
	}
	for _, n := range f.graph.nodes {
		stored := map[ast.Expr]bool{}
		n.evaluates(f.graph, func(x ast.Node) {
			switch x := x.(type) {
			case *ast.AssignStmt:
				for i, l := range x.Lhs {
					if id, ok := l.(*ast.Ident); ok {
						if v := f.pkg.Info.ObjectOf(id); s.Vars[v] && s.Field == "" && x.Tok != token.DEFINE {
							list = append(list, &operation{fn: f, node: n, expr: x, operand: id, kind: Write})
						}
						continue
					}
					stored[l] = true
					add(n, x, Write, l)
					if len(x.Lhs) == len(x.Rhs) {
						kept(n, x, x.Rhs[i])
					}
				}
			case *ast.IncDecStmt:
				stored[x.X] = true
				if id, ok := x.X.(*ast.Ident); ok {
					if s.Vars[f.pkg.Info.ObjectOf(id)] && s.Field == "" {
						list = append(list, &operation{fn: f, node: n, expr: x, operand: id, kind: Write})
					}
					break
				}
				add(n, x, Write, x.X)
			case *ast.SendStmt:
				whole(n, x, Write, x.Chan)
				kept(n, x, x.Value)
			case *ast.CompositeLit:
				for _, e := range x.Elts {
					if kv, ok := e.(*ast.KeyValueExpr); ok {
						e = kv.Value
					}
					kept(n, x, e)
				}
			case *ast.CallExpr:
				f.builtin(n, x, add, whole, kept)
			case *ast.UnaryExpr:
				if x.Op == token.ARROW {
					whole(n, x, Write, x.X)
				}
			case *ast.StarExpr:
				if !stored[x] && f.pkg.Info.Types[x].IsValue() {
					whole(n, x, Read, x.X)
				}
			case *ast.SelectorExpr:
				if sel := f.pkg.Info.Selections[x]; sel != nil && sel.Kind() == types.FieldVal && !stored[x] {
					add(n, x, Read, x)
				}
			case *ast.IndexExpr:
				if tv := f.pkg.Info.Types[x.X]; tv.IsValue() && !stored[x] && refers(tv.Type) {
					whole(n, x, Read, x.X)
				}
			}
		})
		if r, ok := n.at.(*ast.RangeStmt); ok && n.part == history.Head && refers(typeOf(f, r.X)) {
			whole(n, r, Read, r.X)
		}
	}
	return list
}

func typeOf(f *function, x ast.Expr) types.Type {
	if t := f.pkg.Info.TypeOf(x); t != nil {
		return t
	}
	return types.Typ[types.Invalid]
}

// builtin are the operations of the language's own functions.
func (f *function) builtin(n *node, x *ast.CallExpr, add, whole func(*node, ast.Node, Kind, ast.Expr), kept func(*node, ast.Node, ast.Expr)) {
	id, ok := ast.Unparen(x.Fun).(*ast.Ident)
	if !ok || !f.pkg.Info.Types[x.Fun].IsBuiltin() || len(x.Args) == 0 {
		return
	}
	switch id.Name {
	case "append":
		whole(n, x, Write, x.Args[0])
		for _, v := range x.Args[1:] {
			kept(n, x, v)
		}
	case "copy":
		whole(n, x, Write, x.Args[0])
		if len(x.Args) > 1 { // or a call gives both
			whole(n, x, Read, x.Args[1])
		}
	case "delete", "clear", "close":
		whole(n, x, Write, x.Args[0])
	}
}

// may tells whether an expression may be the subject.
func (p *program) may(f *function, x ast.Expr, s *Subject) bool {
	x = ast.Unparen(x)
	if u, ok := x.(*ast.UnaryExpr); ok && u.Op == token.AND {
		x = ast.Unparen(u.X)
	}
	if v := f.variable(x); v != nil && s.Vars[v] {
		return true
	}
	if len(s.Instances) == 0 && len(s.Funcs) == 0 {
		return false
	}
	t := f.pkg.Info.TypeOf(x)
	return t != nil && refers(t) && s.fits(t) && p.aliases.May(f.pkg, x, s)
}
