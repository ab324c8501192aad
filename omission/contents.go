package omission

import (
	"go/ast"
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

// contents are the expressions of a function whose values others hold then, in fields or as elements, and that may be objects worth a look. Several
// may hold one: a field that is read, and what it is assigned to.
func (f *function) contents() map[ast.Expr][]holding {
	all := map[ast.Expr][]holding{}
	add := func(x ast.Expr, h holding) {
		if !slices.Contains(all[x], h) {
			all[x] = append(all[x], h)
		}
	}
	for _, list := range []map[ast.Expr]holding{f.elementsPut(), f.holdings(), f.keysPut(), f.libraryPut()} {
		for x, h := range list {
			if !h.given {
				add(x, h)
			}
		}
	}
	for x, list := range maps.Clone(all) {
		for _, h := range list {
			f.capturedBy(x, h, add)
			if lit, ok := pointee(x).(*ast.CompositeLit); ok {
				add(lit, h) // where it is made
			}
		}
	}
	maps.DeleteFunc(all, func(x ast.Expr, _ []holding) bool { return !mayHold(typeOf(f, x)) && !made(x) })
	f.throughValues(all)
	return all
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
	if !refers(t) || isError(t) {
		return false
	}
	_, isFunc := t.Underlying().(*types.Signature)
	return !isFunc
}
