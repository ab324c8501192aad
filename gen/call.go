package gen

import (
	"go/ast"
	"go/parser"
	"go/types"
	"slices"
	"strings"
)

// announced calls a pure function or method of the program's. Delve wants such an evaluation to
// say call.
func (e *exprs) announced() (string, bool) {
	if e.pure == nil {
		e.pure = newPurity(e.src)
	}
	can := slices.DeleteFunc(e.declared(), func(fn *types.Func) bool { return fn.Signature().Results().Len() == 0 || !e.pure.function(fn) })
	can = append(can, e.dispatched()...)
	can = append(can, e.foreign()...)
	for range 8 {
		e.callees = can
		text, results := e.anyCall(can)
		e.callees = nil
		if text == "" || len(text) > maxText {
			continue
		}
		if x, err := parser.ParseExpr(text); err == nil && e.typeOf(x).IsValue() {
			if results == 1 {
				text = e.further(text)
			}
			return "call " + text, true
		}
	}
	return "", false
}

// declared are the functions and methods that the program declares.
func (e *exprs) declared() (list []*types.Func) {
	for _, f := range e.src.Funcs() {
		if fn, ok := e.src.Info.Defs[f.Decl.Name].(*types.Func); ok {
			list = append(list, fn)
		}
	}
	return list
}

// anyCall is a call of one of some functions or, now and then, of a value, or one that the program has itself, with the number
// of its results; empty if there is nothing that can be called.
func (e *exprs) anyCall(can []*types.Func) (string, int) {
	if e.r.IntN(5) == 0 {
		if own := e.calling(); len(own) > 0 {
			return pick(e.r, own).text, 1
		}
	}
	if len(can) == 0 || e.r.IntN(3) == 0 {
		if values := e.valued(); len(values) > 0 {
			x := pick(e.r, values)
			sig := x.typ.Underlying().(*types.Signature)
			args, ok := e.arguments(sig)
			if !ok {
				return "", 0
			}
			return x.text + args, sig.Results().Len()
		}
	}
	if len(can) == 0 {
		return "", 0
	}
	fn := pick(e.r, can)
	return e.called(fn), fn.Signature().Results().Len()
}

// dispatched are methods of the program's own interfaces that atoms have, if all of its types that implement one have that
// method without a trace.
func (e *exprs) dispatched() (can []*types.Func) {
	scope := e.src.Pkg.Scope()
	for _, y := range e.atoms {
		n, ok := types.Unalias(y.typ).(*types.Named)
		if !ok || n.Obj().Pkg() != e.src.Pkg || n.TypeArgs() != nil {
			continue
		}
		i, ok := n.Underlying().(*types.Interface)
		if !ok {
			continue
		}
		for m := range i.Methods() {
			pure := m.Pkg() == e.src.Pkg && m.Signature().Results().Len() > 0
			for _, name := range scope.Names() {
				t, is := scope.Lookup(name).(*types.TypeName)
				if !is || types.IsInterface(t.Type()) || generic(t.Type()) {
					continue
				}
				for _, own := range []types.Type{t.Type(), types.NewPointer(t.Type())} {
					if !types.Implements(own, i) {
						continue
					}
					obj, _, _ := types.LookupFieldOrMethod(own, true, e.src.Pkg, m.Name())
					fn, method := obj.(*types.Func)
					pure = pure && method && e.pure.function(fn)
				}
			}
			if pure && !slices.Contains(can, m) {
				can = append(can, m)
			}
		}
	}
	return can
}

// foreign are methods of types of the standard library that atoms have, of those that are known to change nothing. Those of
// promoted fields are not, as the receiver is another then.
func (e *exprs) foreign() (can []*types.Func) {
	for _, y := range e.atoms {
		t := y.typ
		if p, ok := types.Unalias(t).(*types.Pointer); ok {
			t = p.Elem()
		}
		n, ok := types.Unalias(t).(*types.Named)
		if !ok || n.Obj().Pkg() == nil || n.Obj().Pkg() == e.src.Pkg {
			continue
		}
		for _, name := range harmlessMethods[n.Obj().Pkg().Path()+"."+n.Obj().Name()] {
			obj, index, _ := types.LookupFieldOrMethod(n, true, e.src.Pkg, name)
			if fn, method := obj.(*types.Func); method && len(index) == 1 && !slices.Contains(can, fn) {
				can = append(can, fn)
			}
		}
	}
	return can
}

// further is a call, or now and then an expression that goes on with what the call gives.
func (e *exprs) further(call string) string {
	x, ok := e.check(call)
	if !ok || e.r.IntN(2) == 0 {
		return call
	}
	e.calls = true
	defer func() { e.calls = false }()
	for range 1 + e.r.IntN(2) {
		y, ok := e.grow(x)
		if !ok {
			break
		}
		x = y
	}
	return x.text
}

// callee is the function or method that a call names, which has to be declared in the program; nil if there is none.
func (e *exprs) callee(call *ast.CallExpr) *types.Func {
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		fn, _ := e.src.Lookup(e.at, f.Name).(*types.Func)
		return fn
	case *ast.SelectorExpr:
		if info, err := e.src.Check(e.at, f); err == nil && info.Selections[f] != nil {
			fn, _ := info.Selections[f].Obj().(*types.Func)
			return fn
		}
	}
	return nil
}

// called is a call of a function with operands that only ask; empty if there are none that fit.
func (e *exprs) called(fn *types.Func) string {
	text := fn.Name()
	sig := fn.Signature()
	if recv := sig.Recv(); recv != nil {
		x := e.operand(recv.Type(), true)
		if by := e.promoting(fn); len(by) > 0 && (x == "" || e.r.IntN(2) == 0) {
			x = pick(e.r, by)
		}
		if x == "" {
			return ""
		}
		text = x + "." + text
	} else if e.src.Lookup(e.at, text) != fn {
		return "" // shadowed
	}
	args, ok := e.arguments(sig)
	if !ok {
		return ""
	}
	return text + args
}

// promoting are what a method can be called of that is promoted to it, from a field that is embedded.
func (e *exprs) promoting(fn *types.Func) (by []string) {
	for _, y := range e.atoms {
		if obj, index, _ := types.LookupFieldOrMethod(y.typ, true, e.src.Pkg, fn.Name()); obj == fn && len(index) > 1 {
			by = append(by, y.text)
		}
	}
	return by
}

// arguments are operands for a function's parameters, in parentheses; it reports whether there are some that fit.
func (e *exprs) arguments(sig *types.Signature) (string, bool) {
	var args []string
	for i := range sig.Params().Len() {
		t := sig.Params().At(i).Type()
		if s, ok := t.(*types.Slice); ok && sig.Variadic() && i == sig.Params().Len()-1 {
			if e.r.IntN(3) == 0 {
				if x := e.operand(t, false); x != "" {
					args = append(args, x+"...")
				}
				continue
			}
			for range e.r.IntN(3) {
				if x := e.operand(s.Elem(), false); x != "" {
					args = append(args, x)
				}
			}
			continue
		}
		x := e.operand(t, false)
		if x == "" {
			return "", false
		}
		args = append(args, x)
	}
	return "(" + strings.Join(args, ", ") + ")", true
}

// operand is an expression that a parameter of a type takes; a receiver has to be simple, and may
// be a variable whose address is taken.
func (e *exprs) operand(t types.Type, receiver bool) string {
	var can []string
	for _, y := range e.atoms {
		base := t
		if p, ok := t.(*types.Pointer); ok && receiver {
			base = p.Elem()
		}
		if types.AssignableTo(y.typ, t) || receiver && (types.Identical(y.typ, base) || types.Identical(y.typ, types.NewPointer(base))) {
			can = append(can, y.text)
		}
		if receiver {
			continue
		}
		for range 2 {
			if z, ok := e.grow(y); ok && types.AssignableTo(z.typ, t) {
				can = append(can, z.text)
			}
		}
	}
	if !receiver && !isA[*types.Interface](t.Underlying()) {
		can = append(can, constants(t)...)
		if lit := e.composite(t, 1); lit != "" {
			can = append(can, lit)
		}
	}
	if !receiver && len(e.callees) > 0 && e.r.IntN(3) == 0 {
		inner := e.callees
		e.callees = nil // no deeper than that
		var calls []string
		for _, fn := range inner {
			if r := fn.Signature().Results(); r.Len() == 1 && types.AssignableTo(r.At(0).Type(), t) {
				if text := e.called(fn); text != "" {
					calls = append(calls, text)
				}
			}
		}
		e.callees = inner
		if len(calls) > 0 {
			return pick(e.r, calls)
		}
	}
	if len(can) == 0 {
		return ""
	}
	return pick(e.r, can)
}
