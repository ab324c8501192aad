package gen

import (
	"fmt"
	"go/ast"
	"go/types"
	"math/rand/v2"
	"strings"

	"misstep/dap"
	"misstep/internal/source"
)

// expression makes a pure Go expression over the variables that a frame of the
// pause shows and the package's own.
func (g *Generator) expression(p *dap.Pause, frame int) (string, bool) {
	return Expression(g.r, g.src, p, frame)
}

// condition makes a boolean one for the innermost frame.
func (g *Generator) condition(p *dap.Pause) (string, bool) {
	e := newExprs(g.r, g.src, p, 0)
	if e == nil {
		return "", false
	}
	return e.of(func(t types.Type) bool { return isBasic(t, types.IsBoolean) })
}

// Expression makes a pure Go expression that is typed where the frame is
// paused: evaluating it changes nothing. It may fail, as a selection through a
// nil pointer does, and then must fail each time.
func Expression(r *rand.Rand, src *source.Source, p *dap.Pause, frame int) (string, bool) {
	e := newExprs(r, src, p, frame)
	if e == nil {
		return "", false
	}
	return e.of(func(types.Type) bool { return true })
}

// ExpressionAt is an expression over variables that a statement can see, by name,
// and the package's own; a boolean one if that is asked for. It calls no methods.
func ExpressionAt(r *rand.Rand, src *source.Source, at source.Place, names []string, boolean bool) (string, bool) {
	fn := src.FuncAt(at)
	if src.Pkg == nil || !src.Own(at.File) || fn == nil || fn.Generic {
		return "", false
	}
	e := &exprs{r: r, src: src}
	for _, name := range names {
		e.add(at, fn.Name, name)
	}
	e.globals(at, fn.Name)
	return e.of(func(t types.Type) bool { return !boolean || isBasic(t, types.IsBoolean) })
}

// CallAt is a call of a method that changes nothing, of a variable that a statement
// can see, as Delve wants it.
func CallAt(r *rand.Rand, src *source.Source, at source.Place, names []string) (string, bool) {
	fn := src.FuncAt(at)
	if src.Pkg == nil || !src.Own(at.File) || fn == nil || fn.Generic {
		return "", false
	}
	e := &exprs{r: r, src: src, top: true}
	for _, name := range names {
		e.add(at, fn.Name, name)
	}
	for _, i := range r.Perm(len(e.atoms)) {
		if m, ok := e.method(e.atoms[i]); ok {
			return m.text, true
		}
	}
	return "", false
}

// typed is an expression with its type.
type typed struct {
	text string
	typ  types.Type
}

type exprs struct {
	r     *rand.Rand
	src   *source.Source
	top   bool // the innermost frame: methods can be called
	atoms []typed
}

func newExprs(r *rand.Rand, src *source.Source, p *dap.Pause, frame int) *exprs {
	if frame >= len(p.Stack) || src.Pkg == nil {
		return nil
	}
	at := source.Place{File: p.Stack[frame].File, Line: p.Stack[frame].Line}
	if !src.Own(at.File) {
		return nil
	}
	e := &exprs{r: r, src: src, top: frame == 0}
	add := func(name string) { e.add(at, p.Stack[frame].Func, name) }
	if frame == 0 && len(p.Scopes) > 0 {
		for _, v := range p.Scopes[0].Vars {
			if !strings.ContainsAny(v.Name, "()~&. ") {
				add(v.Name)
			}
		}
	} else if fn := src.FuncAt(at); fn != nil && fn.Decl.Type.Params != nil {
		// Of other frames no variables have been shown; parameters are there.
		for _, field := range fn.Decl.Type.Params.List {
			for _, id := range field.Names {
				add(id.Name)
			}
		}
	}
	e.globals(at, p.Stack[frame].Func)
	return e
}

// add makes a variable an atom, if it has its value at a place.
func (e *exprs) add(at source.Place, fn, name string) {
	obj, ok := e.src.Lookup(at, name).(*types.Var)
	if ok && e.src.Settled(at, fn, name) && obj.Type() != nil && obj.Type() != types.Typ[types.Invalid] && !generic(obj.Type()) {
		e.atoms = append(e.atoms, typed{name, obj.Type()})
	}
}

// globals adds the package's variables.
func (e *exprs) globals(at source.Place, fn string) {
	for _, name := range e.src.Pkg.Scope().Names() {
		if len(e.atoms) < 12 && name != "_" {
			e.add(at, fn, name)
		}
	}
}

// generic reports whether a type mentions a type parameter: what that is at run
// time the source does not say.
func generic(t types.Type) bool {
	return strings.Contains(types.TypeString(t, nil), "$") || hasParam(t, 0)
}

func hasParam(t types.Type, depth int) bool {
	if depth > 6 {
		return false
	}
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Pointer:
		return hasParam(t.Elem(), depth+1)
	case *types.Slice:
		return hasParam(t.Elem(), depth+1)
	case *types.Array:
		return hasParam(t.Elem(), depth+1)
	case *types.Chan:
		return hasParam(t.Elem(), depth+1)
	case *types.Map:
		return hasParam(t.Key(), depth+1) || hasParam(t.Elem(), depth+1)
	case *types.Named:
		for i := range t.TypeArgs().Len() {
			if hasParam(t.TypeArgs().At(i), depth+1) {
				return true
			}
		}
	case *types.Signature:
		return t.TypeParams() != nil
	}
	return false
}

// of grows an expression from an atom until its type fits.
func (e *exprs) of(fits func(types.Type) bool) (string, bool) {
	for range 12 {
		x := e.atom()
		for range 1 + e.r.IntN(4) {
			y, ok := e.grow(x)
			if !ok {
				break
			}
			x = y
			if fits(x.typ) && e.r.IntN(3) == 0 {
				return x.text, true
			}
		}
		if fits(x.typ) {
			return x.text, true
		}
	}
	return "", false
}

func (e *exprs) atom() typed {
	if len(e.atoms) == 0 || e.r.IntN(12) == 0 {
		return pick(e.r, []typed{
			{"7", types.Typ[types.Int]}, {"1.5", types.Typ[types.Float64]}, {`"go"`, types.Typ[types.String]}, {"true", types.Typ[types.Bool]},
		})
	}
	return pick(e.r, e.atoms)
}

func isBasic(t types.Type, info types.BasicInfo) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&info != 0
}

// grow applies one operation of Go's to x.
func (e *exprs) grow(x typed) (typed, bool) {
	intT, boolT := types.Type(types.Typ[types.Int]), types.Type(types.Typ[types.Bool])
	f := func(t types.Type, format string, args ...any) (typed, bool) {
		return typed{fmt.Sprintf(format, args...), t}, true
	}
	if m, ok := e.method(x); ok && e.r.IntN(4) == 0 {
		return m, true
	}
	switch u := x.typ.Underlying().(type) {
	case *types.Struct:
		return e.field(x, u)
	case *types.Pointer:
		if s, ok := u.Elem().Underlying().(*types.Struct); ok && e.r.IntN(3) > 0 {
			return e.field(x, s)
		}
		if e.r.IntN(2) == 0 {
			return f(boolT, "(%s == nil)", x.text)
		}
		return f(u.Elem(), "(*%s)", x.text)
	case *types.Slice:
		switch e.r.IntN(6) {
		case 0:
			return f(intT, "len(%s)", x.text)
		case 1:
			return f(intT, "cap(%s)", x.text)
		case 2:
			return f(x.typ, "%s[%d:]", x.text, e.r.IntN(2))
		case 3:
			return f(x.typ, "%s[:%d:%d]", x.text, e.r.IntN(2), 1+e.r.IntN(2))
		case 4:
			return f(boolT, "(%s == nil)", x.text)
		}
		return f(u.Elem(), "%s[%d]", x.text, e.r.IntN(3))
	case *types.Array:
		if e.r.IntN(4) == 0 {
			return f(intT, "len(%s)", x.text)
		}
		if u.Len() > 0 {
			return f(u.Elem(), "%s[%d]", x.text, e.r.Int64N(u.Len()))
		}
	case *types.Map:
		switch {
		case e.r.IntN(4) == 0:
			return f(intT, "len(%s)", x.text)
		case isBasic(u.Key(), types.IsString):
			return f(u.Elem(), "%s[%q]", x.text, pick(e.r, []string{"a", "b", "x", "one", "none"}))
		case isBasic(u.Key(), types.IsInteger):
			return f(u.Elem(), "%s[%d]", x.text, e.r.IntN(4))
		}
	case *types.Chan:
		return f(intT, pick(e.r, []string{"len(%s)", "cap(%s)"}), x.text)
	case *types.Interface:
		return f(boolT, "(%s == nil)", x.text)
	case *types.Signature:
		return f(boolT, "(%s == nil)", x.text)
	case *types.Basic:
		return e.basic(x, u)
	}
	return typed{}, false
}

func (e *exprs) basic(x typed, u *types.Basic) (typed, bool) {
	f := func(t types.Type, format string, args ...any) (typed, bool) {
		return typed{fmt.Sprintf(format, args...), t}, true
	}
	boolT := types.Type(types.Typ[types.Bool])
	// Another operand of the same type, or a constant.
	other := func(constant string) string {
		for range 4 {
			if len(e.atoms) > 0 {
				if y := pick(e.r, e.atoms); types.Identical(y.typ, x.typ) {
					return y.text
				}
			}
		}
		return constant
	}
	info := u.Info()
	switch {
	case info&types.IsBoolean != 0:
		return f(x.typ, pick(e.r, []string{"!%s", "(%s && true)", "(%s || false)"}), x.text)
	case info&types.IsString != 0:
		switch e.r.IntN(5) {
		case 0:
			return f(types.Typ[types.Int], "len(%s)", x.text)
		case 1:
			return f(types.Typ[types.Uint8], "%s[%d]", x.text, e.r.IntN(2))
		case 2:
			return f(x.typ, "%s[%d:]", x.text, e.r.IntN(2))
		case 3:
			return f(boolT, "(%s %s %s)", x.text, pick(e.r, []string{"==", "!=", "<", ">="}), other(`"b"`))
		}
		return f(x.typ, "(%s + %s)", x.text, other(`"-"`))
	case info&types.IsInteger != 0:
		switch e.r.IntN(4) {
		case 0:
			return f(boolT, "(%s %s %s)", x.text, pick(e.r, []string{"==", "!=", "<", "<=", ">", ">="}), other("2"))
		case 1:
			if x.typ == types.Type(types.Typ[types.Int]) {
				to := pick(e.r, []types.BasicKind{types.Float64, types.Int64, types.Uint8, types.Int8, types.Uint32})
				return f(types.Typ[to], "%s(%s)", types.Typ[to].Name(), x.text)
			}
		case 2:
			return f(x.typ, pick(e.r, []string{"(-%s)", "(^%s)", "(+%s)"}), x.text)
		}
		return f(x.typ, "(%s %s %s)", x.text, pick(e.r, []string{"+", "-", "*", "&", "|", "^", "&^"}), other("3"))
	case info&types.IsFloat != 0:
		if e.r.IntN(3) == 0 {
			return f(boolT, "(%s %s %s)", x.text, pick(e.r, []string{"<", ">"}), other("0.5"))
		}
		return f(x.typ, "(%s %s %s)", x.text, pick(e.r, []string{"+", "-", "*"}), other("2"))
	case info&types.IsComplex != 0:
		// Delve has real and imag as functions of its own expression language.
		return f(boolT, "(%s == %s)", x.text, other("(1 + 2i)"))
	}
	return typed{}, false
}

// field selects a field, promoted ones included.
func (e *exprs) field(x typed, s *types.Struct) (typed, bool) {
	var names []string
	add := func(s *types.Struct) {
		for i := range s.NumFields() {
			fd := s.Field(i)
			if fd.Name() == "_" {
				continue
			}
			if !fd.Exported() && fd.Pkg() != e.src.Pkg {
				continue
			}
			names = append(names, fd.Name())
		}
	}
	add(s)
	for i := range s.NumFields() {
		if fd := s.Field(i); fd.Embedded() {
			t := fd.Type().Underlying()
			if p, ok := t.(*types.Pointer); ok {
				t = p.Elem().Underlying()
			}
			if es, ok := t.(*types.Struct); ok {
				add(es)
			}
		}
	}
	if len(names) == 0 {
		return typed{}, false
	}
	name := pick(e.r, names)
	obj, _, _ := types.LookupFieldOrMethod(x.typ, true, e.src.Pkg, name)
	v, ok := obj.(*types.Var)
	if !ok {
		return typed{}, false
	}
	return typed{x.text + "." + name, v.Type()}, true
}

// method calls a method without parameters whose body is one return statement
// that calls nothing. Delve wants such an evaluation to say call.
func (e *exprs) method(x typed) (typed, bool) {
	if !e.top || strings.HasPrefix(x.text, "call ") || !simple(x.text) {
		return typed{}, false
	}
	t := x.typ
	if _, ok := t.Underlying().(*types.Pointer); !ok {
		t = types.NewPointer(t)
	}
	set := types.NewMethodSet(t)
	var can []string
	for i := range set.Len() {
		fn, ok := set.At(i).Obj().(*types.Func)
		if !ok || fn.Pkg() != e.src.Pkg {
			continue
		}
		sig := fn.Type().(*types.Signature)
		if sig.Params().Len() == 0 && sig.Results().Len() == 1 && e.pure(fn) {
			can = append(can, fn.Name())
		}
	}
	if len(can) == 0 {
		return typed{}, false
	}
	return typed{"call " + x.text + "." + pick(e.r, can) + "()", types.NewTuple()}, true
}

func simple(s string) bool { return !strings.ContainsAny(s, "(*[ ") }

// pure reports whether a method's body is a single return statement without
// calls, receives or function literals.
func (e *exprs) pure(fn *types.Func) bool {
	for _, f := range e.src.Funcs() {
		if e.src.Info.Defs[f.Decl.Name] != fn {
			continue
		}
		if len(f.Decl.Body.List) != 1 {
			return false
		}
		ret, ok := f.Decl.Body.List[0].(*ast.ReturnStmt)
		if !ok {
			return false
		}
		ok = true
		ast.Inspect(ret, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr, *ast.FuncLit, *ast.UnaryExpr:
				if u, is := n.(*ast.UnaryExpr); !is || u.Op.String() == "<-" {
					ok = false
				}
			}
			return ok
		})
		return ok
	}
	return false
}
