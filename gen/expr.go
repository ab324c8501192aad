package gen

import (
	"go/ast"
	"go/parser"
	"go/types"
	"math/rand/v2"
	"regexp"
	"slices"
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
	e := &exprs{r: r, src: src, at: at}
	for _, name := range names {
		e.add(fn.Name, name)
	}
	e.globals(fn.Name)
	return e.of(func(t types.Type) bool { return !boolean || isBasic(t, types.IsBoolean) })
}

// CallAt is a call of a function or a method that changes nothing, over variables that a
// statement can see, as Delve wants it.
func CallAt(r *rand.Rand, src *source.Source, at source.Place, names []string) (string, bool) {
	fn := src.FuncAt(at)
	if src.Pkg == nil || !src.Own(at.File) || fn == nil || fn.Generic {
		return "", false
	}
	e := &exprs{r: r, src: src, at: at, top: true}
	for _, name := range names {
		e.add(fn.Name, name)
	}
	e.globals(fn.Name)
	text, ok := e.announced()
	return e.spelled(text), ok
}

// typed is an expression with its type.
type typed struct {
	text string
	typ  types.Type
}

// exprs makes expressions at a place. What it makes up is type-checked there, so that a production
// needs to know only how an operation is written and what it is likely to fit.
type exprs struct {
	r     *rand.Rand
	src   *source.Source
	at    source.Place
	top   bool // the innermost frame: functions can be called
	atoms []typed
	// quotes are the expressions of the function around, once they are looked for.
	quotes []typed
	quoted bool
	pure   *purity
	shown  []dap.Scope // what the pause shows of the frame
	// callees are the functions that operands of a call may call; calls says that an expression may call functions which
	// leave no trace.
	callees []*types.Func
	calls   bool
}

func newExprs(r *rand.Rand, src *source.Source, p *dap.Pause, frame int) *exprs {
	if frame >= len(p.Stack) || src.Pkg == nil {
		return nil
	}
	at := source.Place{File: p.Stack[frame].File, Line: p.Stack[frame].Line}
	if !src.Own(at.File) {
		return nil
	}
	e := &exprs{r: r, src: src, at: at, top: frame == 0}
	add := func(name string) { e.add(p.Stack[frame].Func, name) }
	if frame == 0 && len(p.Scopes) > 0 {
		for _, v := range p.Scopes[0].Vars {
			if !strings.ContainsAny(v.Name, "()~&. ") {
				add(v.Name)
			}
		}
	} else {
		// Of other frames no variables have been shown; those that are declared are there.
		for _, name := range src.Locals(at) {
			add(name)
		}
	}
	e.globals(p.Stack[frame].Func)
	return e
}

// add makes a variable an atom, if it has its value where the expression is for.
func (e *exprs) add(fn, name string) {
	obj, ok := e.src.Lookup(e.at, name).(*types.Var)
	if ok && e.src.Settled(e.at, fn, name) && obj.Type() != nil && obj.Type() != types.Typ[types.Invalid] && !generic(obj.Type()) {
		e.atoms = append(e.atoms, typed{name, obj.Type()})
	}
}

// globals adds the package's variables; of many, some.
func (e *exprs) globals(fn string) {
	names := e.src.Pkg.Scope().Names()
	for _, i := range e.r.Perm(len(names)) {
		if len(e.atoms) < 16 && names[i] != "_" {
			e.add(fn, names[i])
		}
	}
	e.constants(names)
	e.imported()
}

// constants adds constants of the package that are whole numbers, some: of those the debug information tells.
func (e *exprs) constants(names []string) {
	n := 0
	for _, i := range e.r.Perm(len(names)) {
		if c, ok := e.src.Lookup(e.at, names[i]).(*types.Const); ok && e.told(c) && n < 2 {
			e.atoms = append(e.atoms, typed{c.Name(), c.Type()})
			n++
		}
	}
}

// told reports whether the debug information has a constant: one of the package's, of a type for whole numbers, or that fits
// int.
func (e *exprs) told(c *types.Const) bool {
	b, ok := c.Type().Underlying().(*types.Basic)
	if !ok || b.Info()&types.IsInteger == 0 || c.Parent() != e.src.Pkg.Scope() {
		return false
	}
	return b.Info()&types.IsUntyped == 0 || source.Representable(types.TypeAndValue{Type: types.Typ[types.Int], Value: c.Val()})
}

// imported adds variables of imported packages, some.
func (e *exprs) imported() {
	vars := slices.DeleteFunc(e.src.Foreign(e.at), func(f source.Foreign) bool { return !isVar(f.Obj) })
	for n, i := range e.r.Perm(len(vars)) {
		if n < 2 && !generic(vars[i].Obj.Type()) {
			e.atoms = append(e.atoms, typed{vars[i].Text, vars[i].Obj.Type()})
		}
	}
}

func isVar(obj types.Object) bool {
	_, ok := obj.(*types.Var)
	return ok
}

// knows reports whether a variable is among the atoms.
func (e *exprs) knows(name string) bool {
	return slices.ContainsFunc(e.atoms, func(a typed) bool { return a.text == name })
}

// check gives an expression its type, if it has one where it is for and that is a value's which a
// program could keep in a variable.
func (e *exprs) check(text string) (typed, bool) {
	x, err := parser.ParseExpr(text)
	if err != nil || len(text) > maxText && len(quoted.ReplaceAllString(text, "")) > maxText {
		return typed{}, false
	}
	tv := e.typeOf(x)
	if !tv.IsValue() || tv.IsNil() || generic(tv.Type) || !source.Representable(tv) {
		return typed{}, false
	}
	return typed{text, tv.Type}, true
}

// quoted are strings, which may be long where the program has them.
var quoted = regexp.MustCompile(`"(\\.|[^"\\])*"|` + "`[^`]*`")

// maxText bounds an expression; longer ones nobody would read.
const maxText = 120

// typeOf is the type, and the value if it is a constant, of an expression; zero if it makes no sense.
func (e *exprs) typeOf(x ast.Expr) types.TypeAndValue {
	info, err := e.src.Check(e.at, x)
	if err != nil {
		return types.TypeAndValue{}
	}
	return info.Types[x]
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

// of makes an expression whose type fits, as debuggers want it.
func (e *exprs) of(fits func(types.Type) bool) (string, bool) {
	text, ok := e.plain(fits)
	return e.spelled(text), ok
}

// spelled is an expression as debuggers want it: they know the types of a package by their full names,
// and its variables and functions by those as well. Often it has no more parentheses than it needs.
func (e *exprs) spelled(text string) string {
	if e.r.IntN(2) == 0 {
		text = bare(text)
	}
	return source.Qualified(text, e.src.Pkg, func(name string) types.Object { return e.src.Lookup(e.at, name) }, e.r.IntN(8) == 0)
}

// plain makes an expression in Go's spelling: it grows one from an atom or from one that the program
// itself has.
func (e *exprs) plain(fits func(types.Type) bool) (string, bool) {
	if len(e.atoms) == 0 && e.r.IntN(4) > 0 {
		return "", false // of literals alone
	}
	for range 12 {
		x, ok := e.atom(), true
		if e.r.IntN(4) == 0 {
			if q, found := e.quote(); found {
				if x = q; fits(x.typ) && e.r.IntN(2) == 0 {
					return x.text, true
				}
			}
		}
		for range 1 + e.r.IntN(4) {
			y := typed{}
			if y, ok = e.grow(x); !ok {
				break
			}
			x = y
			// What says yes or no says little more by growing.
			if fits(x.typ) && (e.r.IntN(3) == 0 || isBasic(x.typ, types.IsBoolean) && e.r.IntN(3) > 0) {
				return x.text, true
			}
		}
		if fits(x.typ) && !e.literal(x) {
			return x.text, true
		}
	}
	if e.top && e.r.IntN(4) == 0 && fits(types.NewTuple()) {
		return e.announced()
	}
	return "", false
}
