package gen

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"strings"
)

// A production makes a larger expression of one: an operation of Go's (the language's
// specification, section Expressions), as it is written. It may be wrong for the operand at hand;
// what the type checker refuses is dropped.
type production struct {
	fits func(types.Type) bool // the operand's underlying type
	of   func(e *exprs, x typed) string
}

// operators are all binary ones, by precedence (section Operators).
var operators = []string{"||", "&&", "==", "!=", "<", "<=", ">", ">=", "+", "-", "|", "^", "*", "/", "%", "<<", ">>", "&", "&^"}

// arithmetic are those whose result is of their operands' type.
var arithmetic = operators[8:]

func isA[T types.Type](t types.Type) bool { _, ok := t.(T); return ok }

func either(fits ...func(types.Type) bool) func(types.Type) bool {
	return func(t types.Type) bool {
		for _, f := range fits {
			if f(t) {
				return true
			}
		}
		return false
	}
}

func basicWith(info types.BasicInfo) func(types.Type) bool {
	return func(t types.Type) bool { return isBasic(t, info) }
}

// pointsTo reports whether a type points to one that fits.
func pointsTo(fits func(types.Type) bool) func(types.Type) bool {
	return func(t types.Type) bool {
		p, ok := t.(*types.Pointer)
		return ok && fits(p.Elem().Underlying())
	}
}

func anyType(types.Type) bool { return true }

// notBoolean are the types of what is seldom compared with true and false.
func notBoolean(t types.Type) bool { return !isBasic(t, types.IsBoolean) }

// nilable are the types of what can be nil.
var nilable = either(isA[*types.Pointer], isA[*types.Slice], isA[*types.Map], isA[*types.Chan], isA[*types.Signature], isA[*types.Interface])

// lists are the types with an index.
var lists = either(isA[*types.Slice], isA[*types.Array], basicWith(types.IsString), pointsTo(isA[*types.Array]))

// leads are the productions that lead into what an operand holds.
var leads = []production{
	// Selectors, through embedded fields and pointers.
	{either(isA[*types.Struct], pointsTo(isA[*types.Struct])), (*exprs).field},
	{either(isA[*types.Struct], pointsTo(isA[*types.Struct])), (*exprs).field},
	{either(isA[*types.Struct], pointsTo(isA[*types.Struct])), (*exprs).field},
	// Index expressions.
	{lists, func(e *exprs, x typed) string { return x.text + "[" + e.index() + "]" }},
	{lists, func(e *exprs, x typed) string { return x.text + "[" + e.index() + "]" }},
	{isA[*types.Map], (*exprs).entry},
	{isA[*types.Map], (*exprs).entry},
	{isA[*types.Pointer], func(e *exprs, x typed) string { return "(*" + x.text + ")" }},
}

// productions are the others, by what they are applied to; the more lines fit an operand, the rarer
// each.
var productions = []production{
	// Slice expressions, simple and full.
	{lists, (*exprs).slice},
	// Length and capacity.
	{either(lists, isA[*types.Map], isA[*types.Chan]), func(e *exprs, x typed) string {
		return fmt.Sprintf(pick(e.r, []string{"len(%s)", "len(%s)", "cap(%s)"}), x.text)
	}},
	// Unary operators.
	{basicWith(types.IsNumeric), func(e *exprs, x typed) string {
		return fmt.Sprintf(pick(e.r, []string{"(-%s)", "(^%s)", "(+%s)"}), x.text)
	}},
	{basicWith(types.IsBoolean), func(e *exprs, x typed) string { return "!" + x.text }},
	{basicWith(types.IsBoolean), func(e *exprs, x typed) string {
		y := e.atom()
		return fmt.Sprintf("(%s %s %s %s %s)", x.text, pick(e.r, []string{"&&", "||"}), y.text, pick(e.r, []string{"==", "!=", "<", ">="}), e.other(y))
	}},
	{anyType, (*exprs).address},
	// Comparisons with nil.
	{nilable, func(e *exprs, x typed) string {
		return fmt.Sprintf(pick(e.r, []string{"(%s == nil)", "(%s != nil)", "(%s == nil)", "(%s != nil)", "(nil == %s)", "(nil != %s)"}), x.text)
	}},
	// Composite literals.
	{isA[*types.Struct], func(e *exprs, x typed) string {
		lit := e.composite(x.typ, 1)
		if lit == "" {
			return ""
		}
		return fmt.Sprintf(pick(e.r, []string{"(%[1]s == (%[2]s))", "((%[2]s) != %[1]s)", "%[2]s"}), x.text, lit)
	}},
	// Conversions of pointers.
	{isA[*types.Pointer], func(e *exprs, x typed) string {
		n, ok := types.Unalias(x.typ.Underlying().(*types.Pointer).Elem()).(*types.Named)
		if !ok || n.Obj().Pkg() != e.src.Pkg || n.TypeArgs() != nil || n.Obj().Parent() != e.src.Pkg.Scope() {
			return ""
		}
		return "(*" + n.Obj().Name() + ")(" + x.text + ")"
	}},
	// Binary operators.
	{basicWith(types.IsNumeric | types.IsString), (*exprs).binary},
	{basicWith(types.IsNumeric | types.IsString), (*exprs).binary},
	{basicWith(types.IsNumeric | types.IsString | types.IsBoolean), (*exprs).binary},
	{basicWith(types.IsNumeric), (*exprs).chain},
	{basicWith(types.IsInteger), (*exprs).shift},
	{notBoolean, func(e *exprs, x typed) string {
		return fmt.Sprintf("(%s %s %s)", x.text, pick(e.r, []string{"==", "!="}), e.other(x))
	}},
	// What can fail, behind what says that it does not.
	{either(lists, isA[*types.Pointer], basicWith(types.IsInteger)), (*exprs).guarded},
	// Minimum and maximum.
	{basicWith(types.IsOrdered), func(e *exprs, x typed) string {
		if !e.src.AtLeast("go1.21") {
			return "" // there are none, nor does a debugger of then know them
		}
		return fmt.Sprintf("%s(%s, %s)", pick(e.r, []string{"min", "max"}), x.text, e.other(x))
	}},
	// Complex numbers.
	{basicWith(types.IsComplex), func(e *exprs, x typed) string {
		return fmt.Sprintf(pick(e.r, []string{"real(%s)", "imag(%s)"}), x.text)
	}},
	{basicWith(types.IsFloat), func(e *exprs, x typed) string { return fmt.Sprintf("complex(%s, %s)", x.text, e.other(x)) }},
	// Conversions.
	{basicWith(types.IsNumeric), (*exprs).number},
	{basicWith(types.IsString), func(e *exprs, x typed) string {
		return fmt.Sprintf(pick(e.r, []string{"[]byte(%s)", "[]rune(%s)"}), x.text)
	}},
	{isA[*types.Slice], func(e *exprs, x typed) string { return "string(" + x.text + ")" }},
	{basicWith(types.IsString | types.IsNumeric | types.IsBoolean), (*exprs).renamed},
	{basicWith(types.IsString | types.IsNumeric | types.IsBoolean), (*exprs).renamed},
	{either(either(isA[*types.Struct], isA[*types.Slice]), either(isA[*types.Array], isA[*types.Map])), (*exprs).reshaped},
	{either(either(isA[*types.Struct], isA[*types.Slice]), either(isA[*types.Array], isA[*types.Map])), (*exprs).reshaped},
	{anyType, (*exprs).pointed},
	{anyType, (*exprs).unsafely},
	// Type assertions.
	{isA[*types.Interface], (*exprs).assertion},
	{isA[*types.Interface], (*exprs).assertion},
}

// grow applies one production to an expression.
func (e *exprs) grow(x typed) (typed, bool) {
	u := x.typ.Underlying()
	var can []production
	for _, list := range [][]production{leads, productions} {
		for _, p := range list {
			if p.fits(u) {
				can = append(can, p)
			}
		}
	}
	for range 6 {
		if text := pick(e.r, can).of(e, x); text != "" {
			if y, ok := e.check(text); ok && e.asks(y.text) {
				return y, true
			}
		}
	}
	return typed{}, false
}

// atom is a variable, or now and then a literal.
func (e *exprs) atom() typed {
	if len(e.atoms) == 0 || e.r.IntN(14) == 0 {
		if x, ok := e.constant(); ok && e.r.IntN(2) == 0 {
			return x
		}
		return pick(e.r, literals)
	}
	return pick(e.r, e.atoms)
}

// renamed converts to a type of the program, or from one to what it is made of.
func (e *exprs) renamed(x typed) string {
	if _, named := types.Unalias(x.typ).(*types.Named); named {
		return x.typ.Underlying().String() + "(" + x.text + ")"
	}
	var names []string
	scope := e.src.Pkg.Scope()
	for _, name := range scope.Names() {
		if t, ok := scope.Lookup(name).(*types.TypeName); ok && isA[*types.Basic](t.Type().Underlying()) && !t.IsAlias() {
			names = append(names, name)
		}
	}
	for _, f := range e.src.Foreign(e.at) {
		if !isVar(f.Obj) {
			names = append(names, f.Text)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return pick(e.r, names) + "(" + x.text + ")"
}

// reshaped converts to another type of the program that is made of the same (Go specification, Conversions).
func (e *exprs) reshaped(x typed) string {
	var names []string
	scope := e.src.Pkg.Scope()
	for _, name := range scope.Names() {
		t, ok := scope.Lookup(name).(*types.TypeName)
		if ok && !t.IsAlias() && !generic(t.Type()) && types.IdenticalIgnoreTags(t.Type().Underlying(), x.typ.Underlying()) && !types.Identical(t.Type(), x.typ) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return pick(e.r, names) + "(" + x.text + ")"
}

// predeclared are the types of two names, by the one that debuggers know.
var predeclared = map[string]*regexp.Regexp{
	"interface{}": regexp.MustCompile(`\bany\b`), "uint8": regexp.MustCompile(`\bbyte\b`), "int32": regexp.MustCompile(`\brune\b`),
}

// pointed is what the address of a variable leads to, converted to a pointer to what it is: the type is written out, whatever it is made of.
func (e *exprs) pointed(x typed) string {
	if e.r.IntN(3) > 0 || !simple(x.text) {
		return ""
	}
	text := e.typeText(x.typ)
	if text == "" {
		return ""
	}
	return "(*(*" + text + ")(&" + x.text + "))"
}

// index is an index: a small number, or a variable that holds one.
func (e *exprs) index() string {
	if e.r.IntN(3) == 0 {
		for _, i := range e.r.Perm(len(e.atoms)) {
			if isBasic(e.atoms[i].typ, types.IsInteger) {
				return e.atoms[i].text + pick(e.r, []string{"", "", "+1", "-1"})
			}
		}
	}
	return pick(e.r, []string{"0", "0", "1", "2", "3", "5"})
}

// slice is a slice expression of any form.
func (e *exprs) slice(x typed) string {
	a, b := e.index(), e.index()
	return x.text + fmt.Sprintf(pick(e.r, []string{"[%[1]s:]", "[%[1]s:]", "[:%[2]s]", "[%[1]s:%[2]s]", "[:]", "[1:2]", "[:len(%[4]s)]", "[%[1]s:%[2]s:%[3]s]"}), a, b, e.index(), x.text)
}

// longKey bounds a key, which may be longer than what debuggers load of strings.
const longKey = 1000

// entry is a map's entry: by a key that the function has as a literal, a variable, or one that
// may not be there.
func (e *exprs) entry(x typed) string {
	key := x.typ.Underlying().(*types.Map).Key()
	var keys []string
	for _, y := range e.atoms {
		if types.AssignableTo(y.typ, key) {
			keys = append(keys, y.text)
		}
	}
	if fn := e.src.FuncAt(e.at); fn != nil && e.r.IntN(2) == 0 {
		ast.Inspect(fn.Decl.Body, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && len(lit.Value) < longKey {
				if t, ok := e.check(lit.Value); ok && types.AssignableTo(t.typ, key) {
					keys = append(keys, lit.Value)
				}
			}
			return true
		})
	}
	keys = append(keys, constants(key)...)
	for range 3 {
		if lit := e.composite(key, 1); lit != "" {
			keys = append(keys, lit)
		}
	}
	if len(keys) == 0 {
		return ""
	}
	return x.text + "[" + pick(e.r, keys) + "]"
}

// address takes the address of a variable, or of a part of one.
func (e *exprs) address(x typed) string {
	if e.r.IntN(4) > 0 || !simple(x.text) && !strings.HasSuffix(x.text, "]") {
		return ""
	}
	return "(&" + x.text + ")"
}

// assertion asserts that an interface holds a type: one of the program's, a pointer to it, or a
// basic one.
func (e *exprs) assertion(x typed) string {
	names := []string{"int", "string", "float64", "bool", "[]int"}
	scope := e.src.Pkg.Scope()
	for _, name := range scope.Names() {
		if t, ok := scope.Lookup(name).(*types.TypeName); ok && !generic(t.Type()) && !types.IsInterface(t.Type()) {
			names = append(names, name, "*"+name, name)
		}
	}
	return fmt.Sprintf("%s.(%s)", x.text, pick(e.r, names))
}

// field selects a field, promoted ones included.
func (e *exprs) field(x typed) string {
	t := x.typ.Underlying()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	s, ok := t.(*types.Struct)
	if !ok {
		return ""
	}
	var names []string
	var add func(s *types.Struct, depth int)
	add = func(s *types.Struct, depth int) {
		for fd := range s.Fields() {
			if fd.Name() == "_" || !fd.Exported() && fd.Pkg() != e.src.Pkg {
				continue
			}
			names = append(names, fd.Name())
			t := fd.Type().Underlying()
			if p, ok := t.(*types.Pointer); ok {
				t = p.Elem().Underlying()
			}
			if es, ok := t.(*types.Struct); ok && fd.Embedded() && depth > 0 {
				add(es, depth-1)
			}
		}
	}
	add(s, 3)
	if len(names) == 0 {
		return ""
	}
	return x.text + "." + pick(e.r, names)
}

func isBasic(t types.Type, info types.BasicInfo) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&info != 0
}

func simple(s string) bool {
	x, err := parser.ParseExpr(s)
	if err != nil {
		return false
	}
	switch x := x.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
		return true
	case *ast.UnaryExpr:
		return x.Op == token.AND
	}
	return false
}
