package gen

import (
	"fmt"
	"go/types"
	"slices"
)

// numerals are numbers of all kinds that untyped constants have, for constant expressions: with and without a remainder, and at the ends
// of what they are represented by.
var numerals = []string{"1", "2", "3", "5", "7", "10", "-7", "100", "0x10", "255", "1_000", "'a'", "'é'", "1.0", "2.0", "0.5", "3.5", "1e2", "0x1p-2", "2i", "1.5i"}

// constant is an expression of literals alone, which the language evaluates exactly, by its own rules: what kind an untyped constant
// is of, and so whether a division has a remainder, follows from both operands (Go specification, Constant expressions).
func (e *exprs) constant() (typed, bool) {
	x, ok := e.check(pick(e.r, numerals))
	if !ok {
		return typed{}, false
	}
	for range 1 + e.r.IntN(3) {
		y := pick(e.r, numerals)
		ops := arithmetic
		if e.r.IntN(5) == 0 {
			ops = operators[2:8] // a comparison, which ends it
		}
		text := fmt.Sprintf(pick(e.r, []string{"(%[1]s %[2]s %[3]s)", "(%[1]s %[2]s %[3]s)", "(%[3]s %[2]s %[1]s)"}), x.text, pick(e.r, ops), y)
		next, ok := e.check(text)
		if !ok {
			continue // a division by zero, operands that do not go together, or a number that is too large
		}
		x = next
		if isBasic(x.typ, types.IsBoolean) {
			break
		}
	}
	return x, !slices.Contains(numerals, x.text)
}
