package gen

import (
	"go/ast"
	"go/types"
	"math/rand/v2"
	"slices"
	"strings"

	"misstep/internal/source"
)

// AssignmentAt is a variable that a statement can see, or a part of one, and another value for it: a
// constant, nil, or what something else of that type holds.
func AssignmentAt(r *rand.Rand, src *source.Source, at source.Place, names []string) (name, value string, ok bool) {
	fn := src.FuncAt(at)
	if src.Pkg == nil || !src.Own(at.File) || fn == nil || fn.Generic {
		return "", "", false
	}
	e := &exprs{r: r, src: src, at: at}
	for _, name := range names {
		e.add(fn.Name, name)
	}
	return e.assignment(len(e.atoms))
}

// assignment is one to a variable among the first atoms, or to a part of one.
func (e *exprs) assignment(locals int) (name, value string, ok bool) {
	if locals == 0 {
		return "", "", false
	}
	x := e.within(e.atoms[e.r.IntN(locals)])
	if e.ofText(x) {
		return "", "", false
	}
	if value = e.value(x); value == "" || value == x.text {
		return "", "", false
	}
	return x.text, e.spelled(value), true
}

// ofText reports whether a byte may be one of a string's, which the program cannot write to where a debugger can: it is an element, or
// what a pointer leads to, in a program that takes the bytes of strings as they lie in memory.
func (e *exprs) ofText(x typed) bool {
	if b, ok := x.typ.Underlying().(*types.Basic); !ok || b.Kind() != types.Uint8 || !strings.ContainsAny(x.text, "[*") {
		return false
	}
	for _, obj := range e.src.Info.Uses {
		if obj.Pkg() == types.Unsafe && obj.Name() == "StringData" {
			return true
		}
	}
	return false
}

// within is an operand or a part of it, of that, and so on.
func (e *exprs) within(x typed) typed {
	for range e.r.IntN(3) {
		y, ok := e.part(x)
		if !ok {
			break
		}
		x = y
	}
	return x
}

// part leads into what can be assigned to: fields, elements, and what pointers point to; an entry of a
// map is no variable.
func (e *exprs) part(x typed) (typed, bool) {
	text := ""
	switch t := x.typ.Underlying().(type) {
	case *types.Struct:
		text = e.field(x)
	case *types.Pointer:
		if _, ok := t.Elem().Underlying().(*types.Struct); ok {
			text = e.field(x)
		} else {
			text = "(*" + x.text + ")"
		}
	case *types.Array, *types.Slice:
		text = x.text + "[" + pick(e.r, []string{"0", "0", "1", "2"}) + "]"
	}
	return e.check(text)
}

// value is what a variable of a type can be set to; empty if nothing comes to mind.
func (e *exprs) value(x typed) string {
	can := constants(x.typ)
	if nilable(x.typ.Underlying()) {
		can = append(can, "nil")
	}
	for _, y := range e.atoms {
		if types.AssignableTo(y.typ, x.typ) {
			can = append(can, y.text)
		}
		if z, ok := e.grow(y); ok && types.AssignableTo(z.typ, x.typ) {
			can = append(can, z.text)
		}
	}
	can = slices.DeleteFunc(can, func(v string) bool {
		return v == x.text || !source.Assignable(x.typ, v, func(y ast.Expr) (*types.Info, error) { return e.src.Check(e.at, y) })
	})
	if len(can) == 0 {
		return ""
	}
	return pick(e.r, can)
}
