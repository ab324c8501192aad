package gen

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"math/rand/v2"
	"path"
	"strings"

	"misstep/dap"
	"misstep/internal/source"
)

// A spelling is another way to write an expression that means the same. Those of Go follow from its specification, those of
// Delve from what it documents of its own (Documentation/cli/expr.md).
type spelling struct {
	name string
	own  bool // of Delve's own
	fits func(types.Type) bool
	// of is an expression, which may be x itself, and the other way to write it; empty if there is none here.
	of func(e *exprs, x typed) (one, other string)
}

// otherWays is the table. A new one is one line.
var otherWays = []spelling{
	{"parentheses", false, anyType, func(_ *exprs, x typed) (string, string) { return x.text, "((" + x.text + "))" }},
	{"address", false, anyType, func(e *exprs, x typed) (string, string) { return x.text, "*&" + x.text }},
	{"pointer", false, pointsTo(isA[*types.Struct]), func(e *exprs, x typed) (string, string) {
		f := e.ownField(x.typ)
		return x.text + f, "(*" + x.text + ")" + f
	}},
	{"field-of-address", false, isA[*types.Struct], func(e *exprs, x typed) (string, string) {
		f := e.ownField(x.typ)
		return x.text + f, "(&" + x.text + ")" + f
	}},
	{"promoted", false, either(isA[*types.Struct], pointsTo(isA[*types.Struct])), func(e *exprs, x typed) (string, string) { return e.promoted(x) }},
	{"element", false, either(isA[*types.Slice], isA[*types.Array], basicWith(types.IsString)), func(e *exprs, x typed) (string, string) {
		i := pick(e.r, []string{"0", "1", "2"})
		return x.text + "[" + i + "]", x.text + "[" + i + ":][0]"
	}},
	{"index", false, either(isA[*types.Slice], isA[*types.Array], basicWith(types.IsString)), func(e *exprs, x typed) (string, string) {
		i := e.r.IntN(3)
		return fmt.Sprintf("%s[%d]", x.text, i), fmt.Sprintf("%s[%d-%d]", x.text, i+2, 2)
	}},
	{"through-pointer", false, isA[*types.Array], func(e *exprs, x typed) (string, string) {
		i := pick(e.r, []string{"0", "1", "2"})
		return x.text + "[" + i + "]", "(&" + x.text + ")[" + i + "]"
	}},
	{"length", false, either(isA[*types.Slice], basicWith(types.IsString)), func(_ *exprs, x typed) (string, string) {
		return "len(" + x.text + ")", "len(" + x.text + "[:])"
	}},
	{"whole", false, isA[*types.Slice], func(_ *exprs, x typed) (string, string) {
		return x.text + "[0:len(" + x.text + ")]", x.text + "[:]"
	}},
	{"itself", false, basicWith(types.IsNumeric | types.IsString | types.IsBoolean), func(e *exprs, x typed) (string, string) {
		b, basic := types.Unalias(x.typ).(*types.Basic)
		if !basic || b.Info()&types.IsUntyped != 0 {
			return "", ""
		}
		return x.text, b.Name() + "(" + x.text + ")"
	}},
	{"order", false, basicWith(types.IsOrdered), func(e *exprs, x typed) (string, string) {
		ops := pick(e.r, [][2]string{{"<", ">"}, {"<=", ">="}, {"==", "=="}, {"!=", "!="}, {">", "<"}, {">=", "<="}})
		y := e.other(x)
		return fmt.Sprintf("%s %s %s", x.text, ops[0], y), fmt.Sprintf("%s %s %s", y, ops[1], x.text)
	}},
	{"negation", false, basicWith(types.IsOrdered), func(e *exprs, x typed) (string, string) {
		ops := pick(e.r, [][2]string{{"==", "!="}, {"!=", "=="}})
		y := e.other(x)
		return fmt.Sprintf("%s %s %s", x.text, ops[0], y), fmt.Sprintf("!(%s %s %s)", x.text, ops[1], y)
	}},
	{"sum", false, basicWith(types.IsInteger), func(e *exprs, x typed) (string, string) {
		op, y := pick(e.r, []string{"+", "*", "|", "&", "^"}), e.other(x)
		return fmt.Sprintf("%s %s %s", x.text, op, y), fmt.Sprintf("%s %s %s", y, op, x.text)
	}},
	{"twice", false, basicWith(types.IsInteger), func(_ *exprs, x typed) (string, string) { return x.text + " << 1", x.text + " + " + x.text }},
	{"true", false, basicWith(types.IsBoolean), func(e *exprs, x typed) (string, string) {
		return x.text, fmt.Sprintf(pick(e.r, []string{"%s && true", "true && %s", "false || %s", "!!%s", "%s == true"}), x.text)
	}},
	{"nil", false, nilable, func(_ *exprs, x typed) (string, string) { return x.text + " == nil", "nil == " + x.text }},
	{"cast", false, anyType, func(e *exprs, x typed) (string, string) {
		t := e.typeText(x.typ)
		if t == "" || isA[*types.Interface](x.typ.Underlying()) {
			return "", ""
		}
		return x.text, "*(*" + t + ")(&" + x.text + ")"
	}},
	{"conversion", false, anyType, func(e *exprs, x typed) (string, string) {
		t := e.ownType(x.typ)
		return x.text, empty(t, t+"("+x.text+")")
	}},
	{"there-and-back", false, anyType, func(e *exprs, x typed) (string, string) {
		t, there := e.ownType(x.typ), e.reshaped(x)
		if b, basic := x.typ.Underlying().(*types.Basic); basic && there == "" {
			there = b.Name() + "(" + x.text + ")"
		}
		return x.text, empty(t, empty(there, t+"("+there+")"))
	}},
	{"address-as-number", true, anyType, func(e *exprs, x typed) (string, string) {
		return e.byAddress(x, "*(*%s)(uintptr(&%s))", e.typeText(x.typ))
	}},
	{"quoted-type", true, anyType, func(e *exprs, x typed) (string, string) {
		t := e.ownType(x.typ)
		if isA[*types.Basic](types.Unalias(x.typ)) {
			return e.byAddress(x, "*(*%q)(uintptr(&%s))", e.typeText(x.typ))
		}
		return e.byAddress(x, "*(*%q)(uintptr(&%s))", empty(t, "main."+t))
	}},
	{"path", true, anyType, func(e *exprs, x typed) (string, string) {
		if obj := e.src.Lookup(e.at, x.text); obj == nil || obj.Parent() != e.src.Pkg.Scope() {
			return "", ""
		}
		return x.text, `"main".` + x.text
	}},
	{"foreign-path", true, anyType, func(e *exprs, x typed) (string, string) {
		for _, f := range e.src.Foreign(e.at) {
			if f.Text == x.text && isVar(f.Obj) {
				return x.text, fmt.Sprintf("%q.%s", f.Obj.Pkg().Path(), f.Obj.Name())
			}
		}
		return "", ""
	}},
	{"data", true, isA[*types.Interface], func(e *exprs, x typed) (string, string) {
		dynamic := e.dynamic(x.text)
		if dynamic == "" {
			return "", ""
		}
		return x.text + ".(" + dynamic + ")", x.text + ".(data)"
	}},
	{"field-of-interface", true, isA[*types.Interface], func(e *exprs, x typed) (string, string) {
		dynamic := e.dynamic(x.text)
		f := e.dynamicField(x.text)
		if dynamic == "" || f == "" {
			return "", ""
		}
		return x.text + ".(" + dynamic + ")." + f, x.text + "." + f
	}},
}

// Respelled is an expression for a frame of a pause, and the same written in another way: of Go's own if plain, otherwise of
// Delve's as well. Name tells the way. The two may be refused, as an element that there is not.
func Respelled(r *rand.Rand, src *source.Source, p *dap.Pause, frame int, plain bool) (one, other dap.Action, name string, ok bool) {
	e := newExprs(r, src, p, frame)
	if e == nil || len(e.atoms) == 0 {
		return one, other, "", false
	}
	e.shown = p.Scopes
	if frame > 0 {
		e.shown = nil
	}
	if !plain && r.IntN(10) == 0 {
		if a, b := registers(r, src); a != "" {
			return dap.Action{Kind: dap.Evaluate, Frame: frame, Name: a}, dap.Action{Kind: dap.Evaluate, Frame: frame, Name: b}, "register", true
		}
	}
	for range 12 {
		x := e.within(pick(e.r, e.atoms))
		if frame > 0 && !plain && r.IntN(6) == 0 && src.Pkg.Scope().Lookup(rootName(x.text)) == nil && rootName(x.text) == x.text {
			// The variable of a caller, from the innermost frame.
			return dap.Action{Kind: dap.Evaluate, Frame: frame, Name: x.text}, dap.Action{Kind: dap.Evaluate, Name: fmt.Sprintf("runtime.frame(%d).%s", frame, x.text)}, "frame", true
		}
		s := pick(r, otherWays)
		if s.own && plain || !s.fits(x.typ.Underlying()) {
			continue
		}
		a, b := s.of(e, x)
		if a == "" || b == "" || a == b || strings.HasSuffix(a, ".") {
			continue
		}
		if !s.own || s.name == "path" {
			// What neither the language nor debuggers have is no expression.
			if one, ok := e.check(a); !ok || !e.asks(one.text) {
				continue
			}
			if _, ok := e.check(b); !ok && !s.own {
				continue
			}
		}
		return dap.Action{Kind: dap.Evaluate, Frame: frame, Name: e.spelled(a)}, dap.Action{Kind: dap.Evaluate, Frame: frame, Name: e.spelled(b)}, s.name, true
	}
	return one, other, "", false
}

// empty is what an expression has to be if a part of it is empty: empty as well.
func empty(part, whole string) string {
	if part == "" {
		return ""
	}
	return whole
}

// byAddress is what lies at the address of a variable, by a format of a type and the variable; empty if it has no address.
func (e *exprs) byAddress(x typed, format, typ string) (one, other string) {
	if _, ok := e.check("&" + x.text); !ok || typ == "" {
		return "", ""
	}
	return x.text, fmt.Sprintf(format, typ, x.text)
}

// ownType is the name of a type that the program itself declares, and that is not an interface; empty if it is another.
func (e *exprs) ownType(t types.Type) string {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() != e.src.Pkg || isA[*types.Interface](n.Underlying()) || !e.named(n) {
		return ""
	}
	return n.Obj().Name()
}

// typeText is a type, written out, as debuggers know it; empty if they know it by another text.
func (e *exprs) typeText(t types.Type) string {
	if !e.written(t) {
		return ""
	}
	text := types.TypeString(t, func(*types.Package) string { return "" })
	for name, re := range predeclared {
		text = re.ReplaceAllString(text, name)
	}
	return text
}

// named reports whether a declared type is meant by its plain name: it is one of the language's or the package's, no instance, and
// nothing hides it. What a function declares the compiler calls otherwise.
func (e *exprs) named(n *types.Named) bool {
	scope := n.Obj().Parent()
	return (scope == types.Universe || scope == e.src.Pkg.Scope()) && n.TypeArgs() == nil && e.src.Lookup(e.at, n.Obj().Name()) == n.Obj()
}

// written reports whether debuggers know a type by the text that it has in Go.
func (e *exprs) written(t types.Type) bool {
	if a, ok := t.(*types.Alias); ok && a.Obj().Parent() != types.Universe {
		return false
	}
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		return e.named(t)
	case *types.Basic:
		return t.Info()&types.IsUntyped == 0 && e.src.Lookup(e.at, t.Name()) == types.Universe.Lookup(t.Name())
	case *types.Interface:
		return t.NumMethods() == 0 && t.NumEmbeddeds() == 0
	case *types.Pointer:
		return e.written(t.Elem())
	case *types.Slice:
		return e.written(t.Elem())
	case *types.Array:
		return e.written(t.Elem())
	case *types.Chan:
		return e.written(t.Elem())
	case *types.Map:
		return e.written(t.Key()) && e.written(t.Elem())
	}
	return false
}

// rootName is the variable that an operand begins with.
func rootName(text string) string {
	x, err := parser.ParseExpr(text)
	if err != nil {
		return ""
	}
	if id := source.Root(x); id != nil {
		return id.Name
	}
	return ""
}

// ownField is a selector of a field that a struct, or what points to one, has itself; a dot alone if there is none.
func (e *exprs) ownField(t types.Type) string {
	t = t.Underlying()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	s, ok := t.(*types.Struct)
	if !ok || s.NumFields() == 0 {
		return "."
	}
	f := s.Field(e.r.IntN(s.NumFields()))
	if f.Name() == "_" || !f.Exported() && f.Pkg() != e.src.Pkg {
		return "."
	}
	return "." + f.Name()
}

// promoted selects a field that an embedded one has, and the same through that.
func (e *exprs) promoted(x typed) (one, other string) {
	text := e.field(x)
	sel, err := parser.ParseExpr(text)
	if err != nil || text == "" {
		return "", ""
	}
	n, ok := sel.(*ast.SelectorExpr)
	if !ok {
		return "", ""
	}
	info, err := e.src.Check(e.at, n)
	if err != nil || info.Selections[n] == nil || len(info.Selections[n].Index()) < 2 {
		return "", ""
	}
	whole, t := x.text, x.typ
	for _, i := range info.Selections[n].Index() {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		f := t.Underlying().(*types.Struct).Field(i)
		whole, t = whole+"."+f.Name(), f.Type()
	}
	return text, whole
}

// dynamic is the type of what an interface's variable holds, as the pause shows it; empty if it does not, or the type is no
// name.
func (e *exprs) dynamic(name string) string {
	for _, s := range e.shown {
		for _, v := range s.Vars {
			if _, t, ok := strings.Cut(v.Type, "("); ok && v.Name == name {
				t = strings.TrimSuffix(t, ")")
				if bare := strings.TrimPrefix(t, "*"); strings.Contains(bare, "/") || !typeName(bare) {
					return ""
				}
				return t
			}
		}
	}
	return ""
}

// typeName reports whether a text is a name, or one of a package.
func typeName(text string) bool {
	x, err := parser.ParseExpr(text)
	if err != nil {
		return false
	}
	switch x.(type) {
	case *ast.Ident, *ast.SelectorExpr:
		return path.Base(text) == text
	}
	return false
}

// dynamicField is a field of what an interface's variable holds, as the pause shows it.
func (e *exprs) dynamicField(name string) string {
	for _, s := range e.shown {
		for _, v := range s.Vars {
			if v.Name != name || len(v.Children) != 1 || v.Children[0].Name != "data" {
				continue
			}
			held := v.Children[0]
			if len(held.Children) == 1 && held.Children[0].Name == "" {
				held = held.Children[0] // what a pointer points to
			}
			if len(held.Children) > 0 && !strings.ContainsAny(held.Children[0].Name, "[]() ") && held.Children[0].Name != "" {
				return pick(e.r, held.Children).Name
			}
		}
	}
	return ""
}
