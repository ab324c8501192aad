package omission

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"misstep/history"
)

// A contained is an object that another one held in a field, or as an element.
type contained struct {
	in, of *history.Instance
	field  string
	part   bool // it is a map, a slice or a channel in a field, which is looked at with what has the field
}

// contents are what objects held of one another in the run, and the objects that variables of packages held.
func (f *Finder) contents() (map[contained]bool, map[*history.Instance]bool) {
	if f.contained != nil {
		return f.contained, f.outside
	}
	f.contained, f.outside = map[contained]bool{}, map[*history.Instance]bool{}
	holds := map[int]map[ast.Expr][]holding{}
	for _, fn := range f.program.funcs {
		if fn == nil || len(f.events.byFunc[fn.id]) == 0 {
			continue
		}
		list := fn.contents()
		holds[fn.id] = list
		// That a variable is put somewhere is no event of the object that it holds.
		variables := map[*node][]ast.Expr{}
		for _, n := range fn.graph.nodes {
			n.evaluates(fn.graph, func(x ast.Node) {
				e, ok := x.(ast.Expr)
				if !ok {
					return
				}
				if lit, is := e.(*ast.FuncLit); is {
					for _, id := range fn.captured(lit) {
						if list[id] != nil {
							variables[n] = append(variables[n], id)
						}
					}
				} else if list[e] != nil && fn.variable(e) != nil && !inPackage(fn.variable(e)) {
					variables[n] = append(variables[n], e)
				}
			})
		}
		if len(variables) == 0 {
			continue
		}
		acts := f.events.byFunc[fn.id]
		for _, a := range acts[max(0, len(acts)-maxLooked):] {
			trace := f.trace(fn, a)
			for i, v := range trace {
				for _, x := range variables[v.node] {
					after := step{fn: fn, a: a, trace: trace, i: i}.after()
					if t, ok := f.events.is(f.program, a, x, after); ok {
						for _, h := range list[x] {
							f.puts(fn, a, h, x, touch{of: t.of, time: after})
						}
					}
				}
			}
		}
	}
	for a, touches := range f.events.touches {
		fn := f.program.funcs[a.Func]
		if fn == nil {
			continue
		}
		for _, t := range touches {
			x := ast.Unparen(f.events.exprs[t.site])
			if v := fn.variable(x); v != nil && inPackage(v) {
				f.outside[t.of] = true
				continue
			}
			for _, h := range holds[fn.id][x] {
				f.puts(fn, a, h, x, t)
			}
		}
	}
	return f.contained, f.outside
}

// puts notes that the owner of a holding held what a touch is of.
func (f *Finder) puts(fn *function, a *history.Activation, h holding, x ast.Expr, t touch) {
	part := !strings.HasSuffix(h.field, elements) && container(typeOf(fn, x))
	for range maxCopies {
		owner, ok := f.events.is(f.program, a, h.owner, t.time)
		if !ok {
			owner, ok = f.events.is(f.program, a, pointee(h.owner), t.time) // the address of a literal is an object, the literal is none
		}
		if ok && owner.of != t.of {
			f.contained[contained{owner.of, t.of, h.field, part}] = true
		}
		// A parameter that is a value holds what the caller's value does, which lies somewhere else.
		v := fn.variable(h.owner)
		param := slices.IndexFunc(fn.params, func(p *types.Var) bool { return p != nil && types.Object(p) == v })
		if ok || param < 0 || refers(v.Type()) {
			return
		}
		at, c := f.calledFrom(fn, a)
		if c == nil {
			return
		}
		place, ok := at.fn.place(c.argument(fn, param))
		if !ok {
			return
		}
		h.owner, h.field = place.owner, joined(place.field, h.field)
		fn, a, t.time = at.fn, at.a, at.time()
	}
}

// contents are the expressions of a function whose values others hold then, in fields or as elements, and that may be objects worth a look.
func (f *function) contents() map[ast.Expr][]holding {
	one := f.elementsPut()
	maps.Copy(one, f.holdings())
	maps.Copy(one, f.keysPut())
	maps.Copy(one, f.libraryPut())
	maps.DeleteFunc(one, func(_ ast.Expr, h holding) bool { return h.given })
	f.capturedBy(one)
	for x, h := range maps.Clone(one) {
		if lit, ok := pointee(x).(*ast.CompositeLit); ok {
			one[lit] = h // where it is made
		}
	}
	maps.DeleteFunc(one, func(x ast.Expr, h holding) bool { return !mayHold(typeOf(f, x)) && !made(x) })
	return f.throughValues(one)
}

// inPackage reports whether a variable is one of a package.
func inPackage(v types.Object) bool { return v.Pkg() != nil && v.Parent() == v.Pkg().Scope() }

// made reports whether an expression is a literal, whose address is what is put somewhere.
func made(x ast.Expr) bool {
	_, is := x.(*ast.CompositeLit)
	return is
}

// mayHold reports whether values of a type lead to objects that are worth a look inside of others: no errors, and no functions.
func mayHold(t types.Type) bool {
	if !refers(t) || types.Identical(t, types.Universe.Lookup("error").Type()) {
		return false
	}
	_, isFunc := t.Underlying().(*types.Signature)
	return !isFunc
}

// elementsPut are the expressions of a function whose values are elements: that are put into a map, a slice or a channel, or read from one.
func (f *function) elementsPut() map[ast.Expr]holding {
	list := map[ast.Expr]holding{}
	put := func(value, owner ast.Expr) {
		if value = ast.Unparen(value); refers(typeOf(f, value)) {
			list[value] = holding{owner: owner, field: elements}
		}
	}
	// An array is part of what it is in.
	ofArray := func(value ast.Expr, x *ast.IndexExpr) {
		if _, is := typeOf(f, x.X).Underlying().(*types.Array); !is || !refers(typeOf(f, x)) {
			return
		}
		if owner, field, _ := f.operand(x); owner != nil && field != "" {
			list[ast.Unparen(value)] = holding{owner: owner, field: field}
		}
	}
	// values are those of a literal that is an element of another, or a field of that.
	var values func(lit *ast.CompositeLit, owner ast.Expr, in string)
	values = func(lit *ast.CompositeLit, owner ast.Expr, in string) {
		_, array := typeOf(f, lit).Underlying().(*types.Array)
		f.fieldsOf(lit, func(field string, x ast.Expr) {
			path := joined(in, field)
			inner, is := ast.Unparen(x).(*ast.CompositeLit)
			switch {
			case refers(typeOf(f, x)):
				list[ast.Unparen(x)] = holding{owner: owner, field: path}
			case is && (structOf(typeOf(f, inner)) != nil || array):
				values(inner, owner, path)
			}
		})
	}
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.AssignStmt:
			if len(n.Lhs) == len(n.Rhs) {
				for i, l := range n.Lhs {
					if x, ok := ast.Unparen(l).(*ast.IndexExpr); ok && container(typeOf(f, x.X)) {
						put(n.Rhs[i], x.X)
					} else if ok {
						ofArray(n.Rhs[i], x)
					}
				}
			}
		case *ast.IndexExpr:
			if container(typeOf(f, n.X)) {
				put(n, n.X)
			} else {
				ofArray(n, n)
			}
		case *ast.SendStmt:
			put(n.Value, n.Chan)
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				put(n, n.X)
			}
		case *ast.CallExpr:
			if f.appends(n) {
				for _, v := range n.Args[1:] {
					put(v, n)
				}
			}
		case *ast.CompositeLit:
			if !container(typeOf(f, n)) {
				return true
			}
			for _, e := range n.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					e = kv.Value
				}
				put(e, n)
				if lit, ok := ast.Unparen(e).(*ast.CompositeLit); ok && !refers(typeOf(f, lit)) {
					values(lit, n, elements)
				}
			}
		}
		return true
	})
	return list
}
