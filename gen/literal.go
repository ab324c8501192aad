package gen

import (
	"go/types"
	"strings"
)

// literal reports whether an expression is only one of the literals, which nobody evaluates.
func (e *exprs) literal(x typed) bool {
	for _, l := range literals {
		if l.text == x.text {
			return true
		}
	}
	return false
}

// literals in all of Go's notations (section Lexical elements).
var literals = []typed{
	{"7", types.Typ[types.UntypedInt]}, {"0x1F", types.Typ[types.UntypedInt]}, {"0b101", types.Typ[types.UntypedInt]},
	{"0o17", types.Typ[types.UntypedInt]}, {"1_000", types.Typ[types.UntypedInt]},
	{"1.5", types.Typ[types.UntypedFloat]}, {"1e3", types.Typ[types.UntypedFloat]}, {"0x1p-2", types.Typ[types.UntypedFloat]},
	{"'a'", types.Typ[types.UntypedRune]}, {`'\n'`, types.Typ[types.UntypedRune]}, {`'é'`, types.Typ[types.UntypedRune]},
	{`"go"`, types.Typ[types.UntypedString]}, {`""`, types.Typ[types.UntypedString]}, {"`raw`", types.Typ[types.UntypedString]},
	{"2i", types.Typ[types.UntypedComplex]}, {"true", types.Typ[types.UntypedBool]},
}

// constants of a kind, for the other side of an operator: the ends of ranges, and what is
// special.
func constants(t types.Type) []string {
	b, ok := t.Underlying().(*types.Basic)
	switch {
	case !ok:
		return nil
	case b.Info()&types.IsBoolean != 0:
		return []string{"true", "false"}
	case b.Info()&types.IsString != 0:
		return []string{`"b"`, `""`, `"-"`, `"go"`, "`x`"}
	case b.Info()&types.IsUnsigned != 0:
		return []string{"0", "1", "2", "3", "7", "0xF", "255"}
	case b.Info()&types.IsInteger != 0:
		return []string{"0", "1", "2", "3", "-1", "7", "10", "0xF", "127", "'a'"}
	case b.Info()&types.IsFloat != 0:
		return []string{"0", "2", "0.5", "-1.25", "1e3", "3"}
	case b.Info()&types.IsComplex != 0:
		return []string{"(1 + 2i)", "2i", "0", "1.5"}
	}
	return nil
}

// composite is a literal of a type of the program that is a struct, with a value for each field, or for some by name; empty
// if nothing comes to mind. Depth bounds those in its fields.
func (e *exprs) composite(t types.Type, depth int) string {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() != e.src.Pkg || n.Obj().Parent() != e.src.Pkg.Scope() || n.TypeArgs() != nil {
		return ""
	}
	s, ok := n.Underlying().(*types.Struct)
	if !ok || s.NumFields() == 0 || e.src.Lookup(e.at, n.Obj().Name()) != n.Obj() {
		return ""
	}
	keyed := e.r.IntN(2) == 0
	var parts []string
	for f := range s.Fields() {
		value := e.fieldValue(f.Type(), depth)
		switch {
		case f.Name() == "_" || value == "" && !keyed:
			return ""
		case !keyed:
			parts = append(parts, value)
		case value != "" && e.r.IntN(4) > 0:
			parts = append(parts, f.Name()+": "+value)
		}
	}
	return n.Obj().Name() + "{" + strings.Join(parts, ", ") + "}"
}

// fieldValue is a value for a field of a literal: a variable, a constant, or a literal.
func (e *exprs) fieldValue(t types.Type, depth int) string {
	can := constants(t)
	for _, y := range e.atoms {
		if types.AssignableTo(y.typ, t) && simple(y.text) {
			can = append(can, y.text)
		}
	}
	if depth > 0 {
		if lit := e.composite(t, depth-1); lit != "" {
			can = append(can, lit)
		}
	}
	if len(can) == 0 && nilable(t.Underlying()) {
		return "nil"
	}
	if len(can) == 0 {
		return ""
	}
	return pick(e.r, can)
}
