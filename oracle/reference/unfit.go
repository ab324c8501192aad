package reference

import (
	"go/ast"
	"go/parser"
	"go/types"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"

	"misstep/dap"
	"misstep/history"
	"misstep/history/timeline"
)

// unfit is why a conversion of a number to a type that has no such number is not judged: what comes of it depends on the
// implementation (Go specification, Conversions between numeric types).
const unfit = "a number is converted to a type that it does not fit"

// leastWhole are what processors give for floating-point numbers that no whole number of 64 or 32 bits is.
var leastWhole = []string{"-9223372036854775808", "9223372036854775808", "-2147483648", "2147483648"}

// misfits reports whether an expression converts a floating-point number to a whole one that it does not fit, or may not: a
// variable is held against the range of the type, and of what is computed it is known only that few numbers do not fit 64 bits with a sign.
func (m *Model) misfits(x *timeline.Activation, s timeline.Step, vars []history.Value, text string, truth history.Value) bool {
	_, pkg := m.Code.Node(x.Func)
	e, err := parser.ParseExpr(text)
	return err == nil && anyPart(pkg, s, e, func(info *types.Info, n ast.Node) bool {
		arg, to := wholeOfFloat(info, n)
		if arg == nil {
			return false
		}
		if v, known := variableIn(arg, vars); known {
			return !fitsWhole(v, to)
		}
		if to != types.Int && to != types.Int64 || slices.Contains(leastWhole, truth.Text) {
			return true
		}
		found := false
		ast.Inspect(arg, func(n ast.Node) bool {
			found = found || infinite(vars)(n)
			return !found
		})
		return found
	})
}

// wholeOfFloat is what a conversion of a floating-point number that is no constant to a whole one converts, and to what; nil of any other part of an expression.
func wholeOfFloat(info *types.Info, n ast.Node) (arg ast.Expr, to types.BasicKind) {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 || !info.Types[call.Fun].IsType() || info.Types[call.Args[0]].Value != nil {
		return nil, 0
	}
	whole, ok := info.TypeOf(call).Underlying().(*types.Basic)
	from, ok2 := info.TypeOf(call.Args[0]).Underlying().(*types.Basic)
	if !ok || !ok2 || whole.Info()&types.IsInteger == 0 || from.Info()&types.IsFloat == 0 {
		return nil, 0
	}
	return call.Args[0], whole.Kind()
}

// variableIn is the number that an expression is which is no more than a variable.
func variableIn(x ast.Expr, vars []history.Value) (number float64, known bool) {
	id, ok := ast.Unparen(x).(*ast.Ident)
	if !ok {
		return 0, false
	}
	i := slices.IndexFunc(vars, func(v history.Value) bool { return v.Name == id.Name })
	if i < 0 {
		return 0, false
	}
	number, err := strconv.ParseFloat(vars[i].Text, 64)
	return number, err == nil
}

// fitsWhole reports whether a type of whole numbers has what a number is without its fraction.
func fitsWhole(number float64, kind types.BasicKind) bool {
	if math.IsNaN(number) || math.IsInf(number, 0) {
		return false
	}
	whole, _ := big.NewFloat(number).Int(nil)
	return hasWhole(kind, whole)
}

// hasWhole reports whether a type of whole numbers has one.
func hasWhole(kind types.BasicKind, n *big.Int) bool {
	bits := map[types.BasicKind]int{types.Int8: 8, types.Uint8: 8, types.Int16: 16, types.Uint16: 16, types.Int32: 32, types.Uint32: 32}[kind]
	if bits == 0 {
		bits = 64
	}
	if types.Typ[kind].Info()&types.IsUnsigned != 0 {
		return n.Sign() >= 0 && n.BitLen() <= bits
	}
	if n.Sign() < 0 {
		n = new(big.Int).Not(n)
	}
	return n.BitLen() < bits
}

// wholeText is the number that the text of a whole one begins with.
var wholeText = regexp.MustCompile(`^-?[0-9]+`)

// ranged judges what a conversion gave whose operand does not fit: it may be any number, of those that the type has. It reports whether the expression is one.
func (j *judge) ranged(i int, a dap.Action, out *dap.Output, x *timeline.Activation, s timeline.Step) bool {
	_, pkg := j.m.Code.Node(x.Func)
	e, err := parser.ParseExpr(a.Name)
	if err != nil || out.Value == nil {
		return false
	}
	n, ok := new(big.Int).SetString(wholeText.FindString(out.Value.Value), 10)
	of := types.Invalid
	anyPart(pkg, s, e, func(info *types.Info, part ast.Node) bool {
		if arg, to := wholeOfFloat(info, part); arg != nil {
			of = to
		}
		return true // the whole expression
	})
	if of == types.Invalid || !ok {
		return false
	}
	j.answers(i, hasWhole(of, n), a.Name, "a number of "+types.Typ[of].Name(), n.String())
	return true
}
