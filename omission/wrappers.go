package omission

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/types/typeutil"

	"misstep/history"
)

// What is written to a buffer often comes to it through writers that hold it: of packages
// bufio, encoding/csv, encoding/json, text/tabwriter, compress/gzip, log. What should have
// been done to one of these should have happened to the buffer.

// maxWrappers is how many writers are looked at that hold the subject, or hold one that does.
const maxWrappers = 4

// wrappers are the writers that hold the subject to write to it: of recorded packages, those in a field of which it was;
// of others, those that were given it when they were made, or that a method of one of them gave. Those of one place are
// one subject.
func (f *Finder) wrappers(s *Subject) []*Subject {
	var list []*Subject
	known := map[*history.Instance]bool{}
	next := []*Subject{s}
	for len(next) > 0 && len(list) < maxWrappers {
		s, next = next[0], next[1:]
		for i := range s.Instances {
			known[i] = true
		}
		for _, group := range f.wrappersOf(s) {
			group = slices.DeleteFunc(group, func(i *history.Instance) bool { return known[i] })
			if len(group) == 0 || len(list) == maxWrappers {
				continue
			}
			name := group[0].String()
			if len(group) > 1 {
				name += fmt.Sprintf(" and %d more", len(group)-1)
			}
			for _, i := range group {
				known[i] = true
			}
			sub := f.ofInstances(name, group)
			sub.writer = true
			list, next = append(list, sub), append(next, sub)
		}
	}
	return list
}

// wrappersOf are the writers that were given the subject itself, or that a method of it gave if it
// is a writer, by the places that made them and by when.
func (f *Finder) wrappersOf(s *Subject) [][]*history.Instance {
	if len(s.Instances) == 0 {
		return nil
	}
	given := map[*history.Instance]int64{}
	places := map[*history.Instance]*call{}
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
			for _, w := range fn.wrapping(c, s.writer) {
				if !f.program.may(fn, w.given, s) {
					continue
				}
				for _, a := range acts {
					t, ok := f.events.is(f.program, a, pointee(w.given), a.End)
					if !ok || !s.Instances[t.of] {
						continue
					}
					if made, ok := f.events.is(f.program, a, pointee(w.made), a.End); ok && !s.Instances[made.of] {
						given[made.of], places[made.of] = made.time, c
					}
				}
			}
		}
	}
	groups := f.holders(s)
	at := map[*call]int{}
	for _, i := range slices.SortedFunc(maps.Keys(given), func(a, b *history.Instance) int {
		return cmp.Or(cmp.Compare(given[a], given[b]), cmp.Compare(a.String(), b.String()))
	}) {
		n, ok := at[places[i]]
		if !ok {
			n, at[places[i]] = len(groups), len(groups)
			groups = append(groups, nil)
		}
		groups[n] = append(groups[n], i)
	}
	return groups
}

// holders are the objects that held the subject in a field to write to it, by the places where it was given to the field.
func (f *Finder) holders(s *Subject) [][]*history.Instance {
	var groups [][]*history.Instance
	known := map[*history.Instance]bool{}
	for _, fn := range f.program.funcs {
		if fn == nil || len(f.events.byFunc[fn.id]) == 0 {
			continue
		}
		acts := f.events.byFunc[fn.id]
		acts = acts[max(0, len(acts)-maxLooked):]
		list := fn.holdings()
		for _, x := range slices.SortedFunc(maps.Keys(list), func(a, b ast.Expr) int { return cmp.Compare(a.Pos(), b.Pos()) }) {
			h := list[x]
			if h.given || !writes(typeOf(fn, x)) || !f.program.may(fn, x, s) {
				continue
			}
			var group []*history.Instance
			for _, a := range acts {
				t, ok := f.events.is(f.program, a, pointee(x), a.End)
				if !ok || !s.Instances[t.of] {
					continue
				}
				owner, ok := f.events.is(f.program, a, h.owner, a.End) // the address of a literal is an object, the literal is none
				if !ok {
					owner, ok = f.events.is(f.program, a, pointee(h.owner), a.End)
				}
				if ok && !s.Instances[owner.of] && !known[owner.of] {
					known[owner.of] = true
					group = append(group, owner.of)
				}
			}
			if len(group) > 0 {
				groups = append(groups, group)
			}
		}
	}
	return groups
}

// A wrapping is a writer that a call makes, and what it is given that this writes to.
type wrapping struct{ given, made ast.Expr }

// wrapping are the writers that a call makes: of the writers that it is given, and, as zip.Writer.Create does, of the one that it
// is a method of, if this is known to be a writer.
func (f *function) wrapping(c *call, known bool) []wrapping {
	var list []wrapping
	made := ast.Expr(c.expr)
	method := len(c.operands) > len(c.expr.Args)
	for _, x := range f.writers(c.external, c.expr, known && !typeless(typeOf(f, c.expr))) {
		if method && typeless(typeOf(f, made)) {
			list = append(list, wrapping{x, c.operands[0]}) // it sets it
		} else {
			list = append(list, wrapping{x, made})
		}
	}
	if !known || !method {
		return list
	}
	results := []ast.Expr{made}
	if s, ok := c.node.at.(*ast.AssignStmt); ok && len(s.Rhs) == 1 && ast.Unparen(s.Rhs[0]) == c.expr {
		results = s.Lhs
	}
	for _, x := range results {
		if writes(typeOf(f, x)) {
			list = append(list, wrapping{c.operands[0], x})
		}
	}
	return list
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
	return types.IsInterface(t) && writes(t)
}

// writes reports whether a type has the method of an io.Writer.
func writes(t types.Type) bool {
	for _, sel := range typeutil.IntuitiveMethodSet(t, nil) {
		if s := sel.Obj().(*types.Func).Signature(); sel.Obj().Name() == "Write" && s.Params().Len() == 1 && s.Results().Len() == 2 {
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
