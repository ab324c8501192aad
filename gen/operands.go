package gen

import (
	"fmt"
	"go/types"
	"slices"
)

// other is another operand for an operator: a variable or a part of one of the same type, or a
// constant.
func (e *exprs) other(x typed) string {
	if e.r.IntN(3) > 0 || len(constants(x.typ)) == 0 {
		var same []string
		for _, y := range e.atoms {
			if types.Identical(y.typ, x.typ) {
				same = append(same, y.text)
			}
		}
		for range 3 {
			if len(e.atoms) == 0 {
				break
			}
			y := pick(e.r, e.atoms)
			for _, p := range leads {
				if p.fits(y.typ.Underlying()) {
					if z, ok := e.check(p.of(e, y)); ok && types.Identical(z.typ, x.typ) {
						same = append(same, z.text)
					}
				}
			}
		}
		if len(same) > 0 {
			return pick(e.r, same)
		}
		if isA[*types.Struct](x.typ.Underlying()) || nilable(x.typ.Underlying()) || isA[*types.Array](x.typ.Underlying()) {
			return x.text // with itself
		}
	}
	if isBasic(x.typ, types.IsNumeric) && e.r.IntN(8) == 0 {
		if c, ok := e.constant(); ok && isBasic(c.typ, types.IsNumeric) {
			return c.text
		}
	}
	if c := constants(x.typ); len(c) > 0 {
		return pick(e.r, c)
	}
	return x.text
}

// binary applies an operator of two operands.
func (e *exprs) binary(x typed) string {
	a, b := x.text, e.other(x)
	if e.r.IntN(3) == 0 {
		a, b = b, a
	}
	return fmt.Sprintf("(%s %s %s)", a, pick(e.r, operators), b)
}

// chain applies operators one after the other, which are put together by their precedence.
func (e *exprs) chain(x typed) string {
	text := x.text
	for range 2 + e.r.IntN(2) {
		text += " " + pick(e.r, arithmetic) + " " + e.other(x)
	}
	return "(" + text + ")"
}

// guarded is an operation that panics with some operands (section Run-time panics), behind an operand of && or || that keeps it
// from being evaluated with those.
func (e *exprs) guarded(x typed) string {
	var sound, risky string
	switch u := x.typ.Underlying().(type) {
	case *types.Pointer:
		risky = "(*" + x.text + ")"
		if _, is := u.Elem().Underlying().(*types.Struct); is {
			if risky = e.field(x); risky == "" {
				return ""
			}
		}
		sound = x.text + " != nil"
	case *types.Basic:
		if isBasic(u, types.IsInteger) {
			sound, risky = x.text+" != 0", pick(e.r, []string{"7/", "7%", "-1/"})+x.text
			break
		}
		i := e.index()
		sound, risky = "len("+x.text+") > "+i, x.text+"["+i+"]"
	default:
		i := e.index()
		sound, risky = "len("+x.text+") > "+i, x.text+"["+i+"]"
	}
	risky += pick(e.r, []string{" == ", " != "}) + risky
	if e.r.IntN(2) == 0 {
		return "(" + sound + " && " + risky + ")"
	}
	return "(!(" + sound + ") || " + risky + ")"
}

// shift shifts by a constant or by a variable, or a constant by a variable.
func (e *exprs) shift(x typed) string {
	op := pick(e.r, []string{"<<", ">>"})
	by := pick(e.r, []string{"0", "1", "3", "8", "31", "32", "63", "64"})
	for _, y := range e.atoms {
		if isBasic(y.typ, types.IsInteger) && e.r.IntN(3) == 0 {
			by = y.text
		}
	}
	if e.r.IntN(20) == 0 {
		return fmt.Sprintf("(1 %s %s)", op, x.text)
	}
	return fmt.Sprintf("(%s %s %s)", x.text, op, by)
}

// number converts a number to a basic type.
func (e *exprs) number(x typed) string {
	to := pick(e.r, []types.BasicKind{
		types.Int, types.Int8, types.Int16, types.Int32, types.Int64,
		types.Uint, types.Uint8, types.Uint16, types.Uint32, types.Uint64, types.Uintptr,
		types.Float32, types.Float64, types.Complex64, types.Complex128, types.String,
	})
	switch {
	case to == types.String && !isBasic(x.typ, types.IsInteger):
		return ""
	case isBasic(x.typ, types.IsFloat) && to <= types.Uintptr && (to != types.Int && to != types.Int64 || e.special()):
		return "" // what comes of a number that does not fit is up to the implementation
	}
	return types.Typ[to].Name() + "(" + x.text + ")"
}

// special reports whether the program may have floating-point numbers that are infinite, or none.
func (e *exprs) special() bool {
	return slices.ContainsFunc(e.src.Pkg.Imports(), func(p *types.Package) bool { return p.Path() == "math" })
}
