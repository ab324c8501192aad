package reference

import (
	"go/ast"
	"go/parser"
	"go/types"
	"slices"

	"misstep/history"
	"misstep/history/timeline"
)

// unfit is why a conversion of a number to a type that has no such number is not judged: what comes of it depends on the
// implementation (Go specification, Conversions between numeric types).
const unfit = "a number is converted to a type that it does not fit"

// leastWhole are what processors give for floating-point numbers that no whole number of 64 or 32 bits is.
var leastWhole = []string{"-9223372036854775808", "9223372036854775808", "-2147483648", "2147483648"}

// misfits reports whether an expression converts a floating-point number to a whole one, and either a variable in it is not finite or
// what came of it is what comes of those that do not fit.
func (m *Model) misfits(x *timeline.Activation, s timeline.Step, vars []history.Value, text string, truth history.Value) bool {
	_, pkg := m.Code.Node(x.Func)
	e, err := parser.ParseExpr(text)
	if err != nil || !anyPart(pkg, s, e, wholeOfFloat) {
		return false
	}
	if slices.Contains(leastWhole, truth.Text) {
		return true
	}
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		found = found || infinite(vars)(n)
		return !found
	})
	return found
}

// wholeOfFloat reports whether a part of an expression converts a floating-point number that is no constant to a whole one.
func wholeOfFloat(info *types.Info, n ast.Node) bool {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 || !info.Types[call.Fun].IsType() || info.Types[call.Args[0]].Value != nil {
		return false
	}
	to, ok := info.TypeOf(call).Underlying().(*types.Basic)
	from, ok2 := info.TypeOf(call.Args[0]).Underlying().(*types.Basic)
	return ok && ok2 && to.Info()&types.IsInteger != 0 && from.Info()&types.IsFloat != 0
}
