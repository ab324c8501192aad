package omission

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"misstep/history"
)

// What is written to a buffer often comes to it through writers that hold it: of packages
// bufio, encoding/csv, encoding/json, text/tabwriter, compress/gzip, log. What should have
// been done to one of these should have happened to the buffer.

// maxWrappers is how many writers are looked at that hold the subject, or hold one that does.
const maxWrappers = 4

// wrappers are the writers, made by functions that are not recorded, that were given the
// subject to write to.
func (f *Finder) wrappers(s *Subject) []*Subject {
	var list []*Subject
	known := map[*history.Instance]bool{}
	next := []*Subject{s}
	for len(next) > 0 && len(list) < maxWrappers {
		s, next = next[0], next[1:]
		for i := range s.Instances {
			known[i] = true
		}
		for _, i := range f.wrappersOf(s) {
			if !known[i] && len(list) < maxWrappers {
				known[i] = true
				sub := f.ofInstances(i.String(), []*history.Instance{i})
				sub.writer = true
				list, next = append(list, sub), append(next, sub)
			}
		}
	}
	return list
}

// wrappersOf are the writers that were given the subject itself, by when.
func (f *Finder) wrappersOf(s *Subject) []*history.Instance {
	if len(s.Instances) == 0 {
		return nil
	}
	given := map[*history.Instance]int64{}
	for _, fn := range f.program.funcs {
		if fn == nil {
			continue
		}
		acts := f.events.byFunc[fn.id]
		acts = acts[max(0, len(acts)-maxLooked):]
		for _, c := range fn.calls {
			if len(acts) == 0 || c.external == nil {
				continue
			}
			for _, x := range fn.writers(c.external, c.expr, s.writer && !typeless(typeOf(fn, c.expr))) {
				if !f.program.may(fn, x, s) {
					continue
				}
				made := ast.Expr(c.expr)
				if len(c.operands) > len(c.expr.Args) && typeless(typeOf(fn, made)) {
					made = c.operands[0] // a method that sets it
				}
				for _, a := range acts {
					t, ok := f.events.is(f.program, a, pointee(x), a.End)
					if !ok || !s.Instances[t.of] {
						continue
					}
					if w, ok := f.events.is(f.program, a, pointee(made), a.End); ok && !s.Instances[w.of] {
						given[w.of] = w.time
					}
				}
			}
		}
	}
	return slices.SortedFunc(maps.Keys(given), func(a, b *history.Instance) int {
		return cmp.Or(cmp.Compare(given[a], given[b]), cmp.Compare(a.String(), b.String()))
	})
}

// writers are the arguments of a call that are written to, also through others that are made
// in its arguments: of slog.New(slog.NewTextHandler(w, nil)), w. Every argument counts if the
// call makes something of a writer.
func (f *function) writers(fn *types.Func, x *ast.CallExpr, every bool) []ast.Expr {
	var list []ast.Expr
	for i, arg := range x.Args {
		if call, ok := ast.Unparen(arg).(*ast.CallExpr); ok && callee(f, call) != nil {
			list = append(list, f.writers(callee(f, call), call, every)...)
		} else if every || writer(fn.Signature(), i) {
			list = append(list, arg)
		}
	}
	return list
}

// writer reports whether a parameter, by the number of its argument, is an interface that
// bytes can be written to.
func writer(sig *types.Signature, arg int) bool {
	n := sig.Params().Len()
	if n == 0 {
		return false
	}
	t := sig.Params().At(min(arg, n-1)).Type()
	if s, ok := t.(*types.Slice); ok && sig.Variadic() && arg >= n-1 {
		t = s.Elem()
	}
	iface, ok := t.Underlying().(*types.Interface)
	if !ok {
		return false
	}
	for m := range iface.Methods() {
		if s := m.Signature(); m.Name() == "Write" && s.Params().Len() == 1 && s.Results().Len() == 2 {
			return true
		}
	}
	return false
}

// typeless reports whether a call gives nothing that could hold a writer.
func typeless(t types.Type) bool {
	return t == nil || !isPointer(t) && !types.IsInterface(t) || types.TypeString(t, nil) == "error"
}

// pointee is the variable whose address an expression is, or the expression.
func pointee(x ast.Expr) ast.Expr {
	x = ast.Unparen(x)
	if u, ok := x.(*ast.UnaryExpr); ok && u.Op == token.AND {
		return ast.Unparen(u.X)
	}
	return x
}
