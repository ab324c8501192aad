package gen

import (
	"go/ast"
	"go/parser"
	"go/types"
	"math/rand/v2"
	"slices"
	"strings"

	"misstep/internal/source"
)

// A Doer makes up calls of a program's functions that leave a trace: that change what others can see, or print. Whoever
// makes one where a debugger pauses changes how the program goes on. Each surely comes to its end, and soon.
type Doer struct {
	src *source.Source
	can []*types.Func
	// nestings are calls within calls.
	nestings []nesting
}

// NewDoer looks for functions that can be called so.
func NewDoer(src *source.Source) *Doer {
	d := &Doer{src: src}
	if src.Pkg == nil {
		return d
	}
	pure, ends := newPurity(src), newPurity(src)
	ends.traces, ends.ranges = true, ends.rangesMaps()
	all := slices.DeleteFunc((&exprs{src: src}).declared(), func(fn *types.Func) bool {
		return fn.Name() == "main" || fn.Name() == "init" || !ends.function(fn)
	})
	d.can = slices.DeleteFunc(slices.Clone(all), pure.function)
	d.nestings = nestings(all, d.can)
	return d
}

// CallAt is a call where some variables can be seen, without the word that Delve wants before it.
func (d *Doer) CallAt(r *rand.Rand, at source.Place, names []string) (string, bool) {
	if len(d.can) == 0 || !d.src.Own(at.File) {
		return "", false
	}
	fn := d.src.FuncAt(at)
	if fn == nil || fn.Generic {
		return "", false
	}
	e := &exprs{r: r, src: d.src, at: at}
	for _, name := range names {
		e.add(fn.Name, name)
	}
	e.globals(fn.Name)
	for range 8 {
		text := ""
		if len(d.nestings) > 0 && r.IntN(2) == 0 {
			text = pick(r, d.nestings).call(e)
		} else {
			text = e.called(pick(r, d.can))
		}
		if text != "" && len(text) <= maxText {
			return e.spelled(text), true
		}
	}
	return "", false
}

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
