package omission

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"misstep/history"
	"misstep/internal/source"
)

// A call is a place where a function calls another.
type call struct {
	node    *node
	expr    *ast.CallExpr
	callees []int
	// operands are what the callee's parameters are, its receiver first if it has one.
	operands []ast.Expr
	// starts says that it only begins here: a go or defer statement, or a callback of
	// a function that is not recorded; indirect that operands do not fit.
	indirect bool
	// external is the function that is not recorded; nil if that is not known.
	external *types.Func
	dynamic  bool
}

// connect has calls of function values that are never any, as far as the analysis of the
// program knows, be calls of the functions of their type that did not run: a hook that was
// never set would have been one of these.
func (p *program) connect(ran func(fn int) bool) {
	var idle []int
	for _, id := range p.values {
		if !ran(id) && p.funcs[id] != nil {
			idle = append(idle, id)
		}
	}
	for _, f := range p.funcs {
		if f == nil || len(idle) == 0 {
			continue
		}
		for _, c := range f.calls {
			if !c.dynamic || len(c.callees) > 0 {
				continue
			}
			sig, ok := typeOf(f, c.expr.Fun).Underlying().(*types.Signature)
			for _, id := range idle {
				if ok && sameSignature(p.funcs[id], sig) {
					c.callees = append(c.callees, id)
				}
			}
		}
	}
}

// maxAlternatives is how many functions a call may go to before only some are thought to be called by it of those that never ran: of an
// interpreter or a visitor that has hundreds, following all takes minutes. fewAlternatives is how many, so that the call is still
// told of where it did not happen.
const (
	maxAlternatives = 100
	fewAlternatives = 16
)

// narrow leaves most of the functions that never ran out of calls that may go to very many: those that come last.
func (p *program) narrow(ran func(fn int) bool) {
	for _, f := range p.funcs {
		if f == nil {
			continue
		}
		for _, c := range f.calls {
			if !c.dynamic || len(c.callees) <= maxAlternatives {
				continue
			}
			idle := 0
			c.callees = slices.DeleteFunc(slices.Clone(c.callees), func(id int) bool {
				if ran(id) {
					return false
				}
				idle++
				return idle > fewAlternatives
			})
		}
	}
}

// newCall finds what a call may call; nil of conversions and builtins.
func (p *program) newCall(f *function, n *node, x *ast.CallExpr) *call {
	info := f.pkg.Info
	if tv := info.Types[x.Fun]; tv.IsType() || tv.IsBuiltin() {
		return nil
	}
	c := &call{node: n, expr: x}
	fun := ast.Unparen(x.Fun)
	sel, _ := fun.(*ast.SelectorExpr)
	if recv := f.receiver(x); recv != nil {
		c.operands = append(c.operands, recv)
	}
	c.operands = append(c.operands, x.Args...)
	if fn := history.Callee(info, x); fn != nil {
		if id, ok := p.code.Declared(fn); ok {
			c.callees = []int{id}
			return c
		}
		c.external, c.indirect = fn, true
		if name := reflected(fn); name == "" || history.ReflectCalls[name] {
			c.callees = p.callbacks(f, c)
		}
		return c
	}
	if lit, ok := fun.(*ast.FuncLit); ok {
		if id, ok := p.code.Literal(lit); ok {
			c.callees = []int{id}
		}
		return c
	}
	c.dynamic = true
	if ids, known := p.aliases.Callees(f.pkg, x); known {
		c.callees = ids
		if sel != nil && describing[sel.Sel.Name] && info.Selections[sel] != nil {
			c.callees = p.describing(ids)
		}
		return c
	}
	if sel != nil && info.Selections[sel] != nil && info.Selections[sel].Kind() == types.MethodVal {
		iface, _ := source.Core(info.TypeOf(sel.X)).(*types.Interface)
		for _, id := range p.methods[sel.Sel.Name] {
			if v := p.funcs[id].params[0]; v != nil && iface != nil && types.Implements(v.Type(), iface) {
				c.callees = append(c.callees, id)
			}
		}
		return c
	}
	if id, ok := fun.(*ast.Ident); ok {
		// A variable that is one literal's.
		if lit, ok := p.definition(f, info.Uses[id]).(*ast.FuncLit); ok {
			if id, ok := p.code.Literal(lit); ok {
				c.callees = []int{id}
				return c
			}
		}
	}
	t := info.TypeOf(fun)
	if t == nil {
		return c // a function of C's
	}
	sig, _ := t.Underlying().(*types.Signature)
	for _, id := range p.values {
		if g := p.funcs[id]; g != nil && sig != nil && sameSignature(g, sig) {
			c.callees = append(c.callees, id)
		}
	}
	return c
}

// describing are methods of errors, and of what package fmt prints. One that is not recorded calls no other methods of recorded code
// than such.
var describing = map[string]bool{"Error": true, "String": true, "GoString": true, "Unwrap": true, "Is": true, "As": true}

// describing are those of some functions that are such methods.
func (p *program) describing(ids []int) []int {
	return slices.DeleteFunc(slices.Clone(ids), func(id int) bool {
		if p.funcs[id] == nil {
			return false
		}
		d, ok := p.funcs[id].node.(*ast.FuncDecl)
		return !ok || d.Recv == nil || !describing[d.Name.Name]
	})
}

// functionOf is the recorded function that an expression is: a literal, a declared function
// or method, or a variable that is one; -1 of others.
func (p *program) functionOf(f *function, x ast.Expr) int {
	x = ast.Unparen(x)
	if id, ok := x.(*ast.Ident); ok {
		if v, ok := f.pkg.Info.Uses[id].(*types.Var); ok {
			if x = p.definition(f, v); x == nil {
				return -1
			}
		}
	}
	var fn types.Object
	switch x := x.(type) {
	case *ast.FuncLit:
		if id, ok := p.code.Literal(x); ok {
			return id
		}
	case *ast.Ident:
		fn = f.pkg.Info.Uses[x]
	case *ast.SelectorExpr:
		fn = f.pkg.Info.Uses[x.Sel]
	}
	if fn, ok := fn.(*types.Func); ok {
		if id, ok := p.code.Declared(fn); ok {
			return id
		}
	}
	return -1
}

// receiver is what a call calls a method of; nil if it does not.
func (f *function) receiver(x *ast.CallExpr) ast.Expr {
	if sel, ok := ast.Unparen(x.Fun).(*ast.SelectorExpr); ok {
		if s := f.pkg.Info.Selections[sel]; s != nil && s.Kind() == types.MethodVal {
			return sel.X
		}
	}
	return nil
}

// callsBack reports whether a call can come to a function only by way of one that is not
// recorded and is not given it there: what that may have kept is not in the text.
func (p *program) callsBack(f *function, c *call, callee int) bool {
	g := p.funcs[callee]
	if g == nil || !c.dynamic && c.external == nil {
		return false
	}
	for _, x := range c.expr.Args {
		if p.functionOf(f, x) == callee {
			return false
		}
	}
	if c.external != nil {
		return true
	}
	if sel, ok := ast.Unparen(c.expr.Fun).(*ast.SelectorExpr); ok {
		if s := f.pkg.Info.Selections[sel]; s != nil && s.Kind() == types.MethodVal {
			d, ok := g.node.(*ast.FuncDecl)
			return !ok || d.Recv == nil || d.Name.Name != sel.Sel.Name
		}
	}
	sig, ok := typeOf(f, c.expr.Fun).Underlying().(*types.Signature)
	return ok && !sameSignature(g, sig)
}

// definition is what a variable is given once and for all, in a function or in those
// around it.
func (p *program) definition(f *function, v types.Object) ast.Expr {
	for v != nil && f != nil {
		if f.assigned[v] == 1 {
			return ast.Unparen(f.defs[v])
		}
		if f.assigned[v] > 1 || f.outer < 0 {
			return nil
		}
		f = p.funcs[f.outer]
	}
	return nil
}

func sameSignature(g *function, sig *types.Signature) bool {
	var t types.Type
	switch n := g.node.(type) {
	case *ast.FuncLit:
		t = g.pkg.Info.TypeOf(n)
	case *ast.FuncDecl:
		if obj := g.pkg.Info.Defs[n.Name]; obj != nil {
			t = obj.Type()
		}
	}
	s, ok := t.(*types.Signature)
	if !ok {
		return false
	}
	a := types.NewSignatureType(nil, nil, nil, s.Params(), s.Results(), s.Variadic())
	b := types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic())
	return types.Identical(a, b) || parametersOf(a) == parametersOf(b) // packages are loaded twice
}

// parametersOf is a signature as a text, without the names of its parameters.
func parametersOf(s *types.Signature) string {
	var b strings.Builder
	for _, list := range []*types.Tuple{s.Params(), s.Results()} {
		for v := range list.Variables() {
			b.WriteString(types.TypeString(v.Type(), nil) + ",")
		}
		b.WriteByte(';')
	}
	fmt.Fprint(&b, s.Variadic())
	return b.String()
}

// callbacks are the functions that a function which is not recorded is given.
func (p *program) callbacks(f *function, c *call) []int {
	if ids, known := p.aliases.Callees(f.pkg, c.expr); known {
		return ids
	}
	var list []int
	for _, x := range c.operands {
		x = ast.Unparen(x)
		id, isIdent := x.(*ast.Ident)
		if sel, ok := x.(*ast.SelectorExpr); ok {
			id, isIdent = sel.Sel, true
		}
		if isIdent {
			if fn, ok := f.pkg.Info.Uses[id].(*types.Func); ok {
				if n, ok := p.code.Declared(fn); ok {
					list = append(list, n)
				}
				continue
			}
			x = p.definition(f, f.pkg.Info.Uses[id])
		}
		if lit, ok := x.(*ast.FuncLit); ok {
			if n, ok := p.code.Literal(lit); ok {
				list = append(list, n)
			}
		}
	}
	return list
}
