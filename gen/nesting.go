package gen

import (
	"go/ast"
	"go/parser"
	"go/types"
	"strings"
)

// A nesting is a call of a function that gives an operand of a call of another one, which leaves a trace: when the other operands are read is
// not specified, so that these are constants.
type nesting struct {
	outer *types.Func
	param int
	inner *types.Func
}

// nestings are the calls within calls of functions of which the inner ones leave a trace, and all come to their ends.
func nestings(outer, inner []*types.Func) (list []nesting) {
	for _, f := range outer {
		sig := f.Signature()
		if sig.Variadic() || sig.Recv() != nil && !isA[*types.Pointer](sig.Recv().Type()) {
			continue
		}
		for i := range sig.Params().Len() {
			for _, g := range inner {
				if r := g.Signature().Results(); r.Len() == 1 && types.AssignableTo(r.At(0).Type(), sig.Params().At(i).Type()) {
					list = append(list, nesting{f, i, g})
				}
			}
		}
	}
	return list
}

// call is a call that is within another; empty if there are no operands for both.
func (n nesting) call(e *exprs) string {
	text := n.outer.Name()
	sig := n.outer.Signature()
	if recv := sig.Recv(); recv != nil {
		x := e.operand(recv.Type(), true)
		id, err := parser.ParseExpr(x)
		if _, named := id.(*ast.Ident); err != nil || !named || e.src.Pkg.Scope().Lookup(x) != nil {
			return "" // the inner call may change where it is
		}
		text = x + "." + text
	} else if e.src.Lookup(e.at, text) != n.outer {
		return "" // shadowed
	}
	var args []string
	for i := range sig.Params().Len() {
		can := constants(sig.Params().At(i).Type())
		if i == n.param {
			can = []string{e.called(n.inner)}
		}
		if len(can) == 0 || can[0] == "" {
			return ""
		}
		args = append(args, pick(e.r, can))
	}
	return text + "(" + strings.Join(args, ", ") + ")"
}
