package reference

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"

	"misstep/history"
	"misstep/history/timeline"
)

// meaningless says why an expression that is none of Go's at a step can have no value in anybody's language: its outermost operation is one
// that its operands have not got, as the difference of two texts, a field that a struct has not, or the length of a number. It is
// empty where a debugger may know more than Go, or the operands themselves make no sense.
func (m *Model) meaningless(x *timeline.Activation, s timeline.Step, text string) string {
	_, pkg := m.Code.Node(x.Func)
	if pkg == nil || s.Node == nil {
		return ""
	}
	e, err := parser.ParseExpr(pkg.Plain(s.Node.Pos(), text))
	if err != nil {
		return ""
	}
	k := &operands{pkg, s.Node.Pos()}
	switch e := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		return k.unary(e)
	case *ast.BinaryExpr:
		return k.binary(e)
	case *ast.SelectorExpr:
		return k.selector(e)
	case *ast.IndexExpr:
		if of := k.of(e.X); of == aNumber || of == aTruth {
			return "an element of " + of
		}
	case *ast.SliceExpr:
		if of := k.of(e.X); of == aNumber || of == aTruth {
			return "a part of " + of
		}
	case *ast.TypeAssertExpr:
		// Delve has x.(data) for the value in an interface.
		if id, ok := e.Type.(*ast.Ident); k.of(e.X) != "" && !(ok && id.Name == "data") {
			return "an assertion about " + k.of(e.X)
		}
	case *ast.CallExpr:
		return k.call(e)
	}
	return ""
}

// The kinds of values that operations are told apart by here; all others have none.
const (
	aNumber = "a number"
	aText   = "a text"
	aTruth  = "a truth value"
)

// operands are expressions at a place.
type operands struct {
	pkg *history.Package
	pos token.Pos
}

// typ is the type of an expression that has a value; nil of others.
func (k *operands) typ(e ast.Expr) types.Type {
	info, err := k.pkg.Check(k.pos, e)
	if err != nil || !info.Types[e].IsValue() {
		return nil
	}
	return info.Types[e].Type
}

// of is the kind of an expression's value; empty of others than numbers, texts and truth values.
func (k *operands) of(e ast.Expr) string { return kindOf(k.typ(e)) }

func kindOf(t types.Type) string {
	if t == nil {
		return ""
	}
	b, ok := t.Underlying().(*types.Basic)
	switch {
	case !ok:
	case b.Info()&types.IsNumeric != 0:
		return aNumber
	case b.Info()&types.IsString != 0:
		return aText
	case b.Info()&types.IsBoolean != 0:
		return aTruth
	}
	return ""
}

// broken reports whether the type of an expression has numbers that are not whole; constants may be whole all the same.
func (k *operands) broken(e ast.Expr) bool {
	t := k.typ(e)
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsUntyped == 0 && b.Info()&(types.IsFloat|types.IsComplex) != 0
}

func (k *operands) unary(e *ast.UnaryExpr) string {
	of := k.of(e.X)
	switch {
	case of == "":
	case e.Op == token.NOT && of != aTruth, (e.Op == token.SUB || e.Op == token.ADD || e.Op == token.XOR) && of != aNumber, e.Op == token.XOR && k.broken(e.X):
		return e.Op.String() + " of " + of
	}
	return ""
}

// operators are the binary ones with the kinds of operands that they have, which are both of one kind; those that want whole numbers are
// in whole as well.
var (
	operators = map[token.Token][]string{
		token.ADD: {aNumber, aText}, token.SUB: {aNumber}, token.MUL: {aNumber}, token.QUO: {aNumber}, token.REM: {aNumber},
		token.AND: {aNumber}, token.OR: {aNumber}, token.XOR: {aNumber}, token.AND_NOT: {aNumber}, token.SHL: {aNumber}, token.SHR: {aNumber},
		token.LAND: {aTruth}, token.LOR: {aTruth},
		token.EQL: {aNumber, aText, aTruth}, token.NEQ: {aNumber, aText, aTruth},
		token.LSS: {aNumber, aText}, token.LEQ: {aNumber, aText}, token.GTR: {aNumber, aText}, token.GEQ: {aNumber, aText},
	}
	whole = []token.Token{token.REM, token.AND, token.OR, token.XOR, token.AND_NOT, token.SHL, token.SHR}
)

func (k *operands) binary(e *ast.BinaryExpr) string {
	a, b := k.of(e.X), k.of(e.Y)
	switch {
	case a == "" || b == "":
		return ""
	case a != b:
		return e.Op.String() + " of " + a + " and " + b
	case !slices.Contains(operators[e.Op], a), slices.Contains(whole, e.Op) && (k.broken(e.X) || k.broken(e.Y)):
		return e.Op.String() + " of two of the kind of " + a
	}
	return ""
}

// selector is about members of numbers, and of structs, whoever's package they are declared in.
func (k *operands) selector(e *ast.SelectorExpr) string {
	t := k.typ(e.X)
	if t == nil {
		return ""
	}
	if kindOf(t) == aNumber && !hasMethod(t, e.Sel.Name) {
		return "a field of a number"
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if _, ok := t.Underlying().(*types.Struct); ok && !hasMember(t, e.Sel.Name, nil) {
		return "a field that the struct has not"
	}
	return ""
}

// hasMember reports whether a struct, or what it embeds, has a field or a method of a name.
func hasMember(t types.Type, name string, seen []types.Type) bool {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if slices.ContainsFunc(seen, func(s types.Type) bool { return types.Identical(s, t) }) {
		return false
	}
	if hasMethod(t, name) {
		return true
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return types.IsInterface(t) // whatever is in it may have one
	}
	for f := range s.Fields() {
		if f.Name() == name || f.Embedded() && hasMember(f.Type(), name, append(seen, t)) {
			return true
		}
	}
	return false
}

// hasMethod reports whether a type, or a pointer to it, has a method of a name.
func hasMethod(t types.Type, name string) bool {
	for _, set := range []*types.MethodSet{types.NewMethodSet(t), types.NewMethodSet(types.NewPointer(t))} {
		for m := range set.Methods() {
			if m.Obj().Name() == name {
				return true
			}
		}
	}
	return false
}

// call is about len, cap and conversions between basic types, with one operand.
func (k *operands) call(e *ast.CallExpr) string {
	id, ok := ast.Unparen(e.Fun).(*ast.Ident)
	if !ok || len(e.Args) != 1 {
		return ""
	}
	of := k.of(e.Args[0])
	_, obj := k.pkg.Scope(k.pos).LookupParent(id.Name, k.pos)
	switch {
	case of == "" || obj == nil || obj.Parent() != types.Universe:
	case id.Name == "len" && of != aText, id.Name == "cap":
		return id.Name + " of " + of
	default:
		name, ok := obj.(*types.TypeName)
		if !ok {
			return ""
		}
		to := kindOf(name.Type())
		if to != "" && to != of && !(to == aText && of == aNumber && !k.broken(e.Args[0])) {
			return of + " as " + to
		}
	}
	return ""
}
