package omission

import (
	"cmp"
	"context"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"misstep/history"
)

// Whoever asks about an object means what it is made of as well: a server means the entries of the tables of its databases, a screen the terminal
// that it embeds. What is inside of an object is what it holds, and what that holds, where nothing else does: what others hold, too, such as a
// configuration that several objects were given, is an object of its own.

const (
	// maxInside is how far inside is looked: the object's fields and elements are one step away.
	maxInside = 3
	// maxRooms is how many fields and elements are looked at inside of an object.
	maxRooms = 12
	// insideWeight is what each step into an object counts in a ranking.
	insideWeight = 1.5
)

// A room is a field, or the elements of one, that held objects inside of a subject.
type room struct {
	path  string
	depth int
	of    []*history.Instance
	uses  int64 // how often they were seen
}

// A contained is an object that another one held in a field, or as an element.
type contained struct {
	in, of *history.Instance
	field  string
	part   bool // it is a map, a slice or a channel in a field, which is looked at with what has the field
}

// inside are the rooms of a subject, the nearest first, and of these those that were used most.
func (f *Finder) inside(s *Subject) []room {
	all, outside := f.contents()
	roots := maps.Clone(s.Instances)
	for _, part := range s.Parts {
		maps.Copy(roots, part.Instances)
	}
	by := map[*history.Instance][]contained{}
	for c := range all {
		by[c.in] = append(by[c.in], c)
	}
	// What can be reached, and by which way first.
	type way struct {
		path  string
		depth int
		part  bool
	}
	ways := map[*history.Instance]way{}
	next := byFirst(roots)
	at := func(i *history.Instance) way {
		if roots[i] {
			for _, part := range s.Parts {
				if part.Instances[i] {
					return way{path: part.Name, part: true}
				}
			}
			return way{}
		}
		return ways[i]
	}
	for len(next) > 0 {
		i := next[0]
		next = next[1:]
		from := at(i)
		if from.depth == maxInside {
			continue
		}
		list := by[i]
		slices.SortFunc(list, func(a, b contained) int {
			return cmp.Or(cmp.Compare(a.field, b.field), cmp.Compare(a.of.First, b.of.First), cmp.Compare(a.of.String(), b.of.String()))
		})
		for _, c := range list {
			if _, known := ways[c.of]; known || roots[c.of] || outside[c.of] {
				continue
			}
			// What a part holds in its elements is looked at by itself.
			w := way{path: within(from.path, c.field), depth: from.depth + 1, part: c.part && !from.part}
			if w.part {
				w.depth--
			}
			ways[c.of] = w
			next = append(next, c.of)
		}
	}
	// What others hold as well is not inside, and neither is what is held by that alone.
	for again := true; again; {
		again = false
		for c := range all {
			if _, in := ways[c.of]; !in || roots[c.in] {
				continue
			}
			if _, in := ways[c.in]; !in {
				delete(ways, c.of)
				again = true
			}
		}
	}
	type kind struct{ path, typ string } // an interface may hold several
	rooms := map[kind]*room{}
	for i, w := range ways {
		if w.part {
			continue
		}
		k := kind{w.path, typeName(i)}
		r := rooms[k]
		if r == nil {
			r = &room{path: w.path, depth: w.depth}
			rooms[k] = r
		}
		r.depth = min(r.depth, w.depth)
		r.of = append(r.of, i)
		r.uses += i.Events
	}
	list := make([]room, 0, len(rooms))
	for _, r := range rooms {
		set := map[*history.Instance]bool{}
		for _, i := range r.of {
			set[i] = true
		}
		r.of = byFirst(set)
		list = append(list, *r)
	}
	slices.SortFunc(list, func(a, b room) int {
		return cmp.Or(cmp.Compare(a.depth, b.depth), cmp.Compare(b.uses, a.uses), cmp.Compare(a.path, b.path), cmp.Compare(a.of[0].String(), b.of[0].String()))
	})
	return list
}

// within is a field's path, or that of its elements, as it is shown.
func within(path, field string) string {
	if strings.HasPrefix(field, elements) {
		path += field
	} else {
		path = joined(path, field)
	}
	return strings.ReplaceAll(path, "."+elements, elements)
}

// contents are what objects held of one another in the run, and the objects that variables of packages held.
func (f *Finder) contents() (map[contained]bool, map[*history.Instance]bool) {
	if f.contained != nil {
		return f.contained, f.outside
	}
	f.contained, f.outside = map[contained]bool{}, map[*history.Instance]bool{}
	holds := map[int]map[ast.Expr]holding{}
	for _, fn := range f.program.funcs {
		acts := f.events.byFunc[fn.number()]
		if len(acts) == 0 {
			continue
		}
		list := fn.holdings()
		for x, h := range fn.elementsPut() {
			if _, is := list[x]; !is {
				list[x] = h
			}
		}
		for x, h := range list {
			if lit, ok := pointee(x).(*ast.CompositeLit); ok {
				list[lit] = h // where it is made
			}
		}
		maps.DeleteFunc(list, func(x ast.Expr, h holding) bool { return h.given || !mayHold(typeOf(fn, x)) && !made(x) })
		holds[fn.id] = list
		// That a variable is put somewhere is no event of the object that it holds.
		for _, a := range acts[max(0, len(acts)-maxLooked):] {
			for x, h := range list {
				if v := fn.variable(x); v != nil && !inPackage(v) {
					if t, ok := f.events.is(f.program, a, x, a.End); ok {
						f.puts(fn, a, h, x, touch{of: t.of, time: a.End})
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
			} else if h, ok := holds[fn.id][x]; ok {
				f.puts(fn, a, h, x, t)
			}
		}
	}
	return f.contained, f.outside
}

// puts notes that the owner of a holding held what a touch is of.
func (f *Finder) puts(fn *function, a *history.Activation, h holding, x ast.Expr, t touch) {
	owner, ok := f.events.is(f.program, a, h.owner, t.time)
	if !ok {
		owner, ok = f.events.is(f.program, a, pointee(h.owner), t.time) // the address of a literal is an object, the literal is none
	}
	if ok && owner.of != t.of {
		f.contained[contained{owner.of, t.of, h.field, h.field != elements && container(typeOf(fn, x))}] = true
	}
}

// number is a function's number; -1 of none.
func (f *function) number() int {
	if f == nil {
		return -1
	}
	return f.id
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
		st := structOf(typeOf(f, lit))
		_, array := typeOf(f, lit).Underlying().(*types.Array)
		for i, e := range lit.Elts {
			field := elements
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				if id, ok := kv.Key.(*ast.Ident); ok && st != nil {
					field = id.Name
				}
				e = kv.Value
			} else if st != nil && i < st.NumFields() {
				field = st.Field(i).Name()
			}
			path := joined(in, field)
			inner, is := ast.Unparen(e).(*ast.CompositeLit)
			switch {
			case refers(typeOf(f, e)):
				list[ast.Unparen(e)] = holding{owner: owner, field: path}
			case is && (structOf(typeOf(f, inner)) != nil || array):
				values(inner, owner, path)
			}
		}
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
			if id, ok := ast.Unparen(n.Fun).(*ast.Ident); ok && id.Name == "append" && f.pkg.Info.Types[n.Fun].IsBuiltin() && !n.Ellipsis.IsValid() && len(n.Args) > 0 {
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

// insides are the balloons of what is inside of a subject; untold leaves out what is known already.
func (f *Finder) insides(ctx context.Context, s *Subject, opts Options) ([]*Balloon, error) {
	if len(s.Instances) == 0 || s.Field != "" {
		return nil, nil
	}
	rooms := f.inside(s)
	var lists [][]*Balloon
	for _, r := range rooms[:min(len(rooms), maxRooms)] {
		sub := f.ofInstances(within(s.Name, r.path), f.grown(r.of))
		f.parts(sub)
		list, _, err := f.find(ctx, sub, opts)
		if err != nil {
			return nil, err
		}
		on(list, sub.Name+", which is inside of it", insideWeight*float64(r.depth))
		for _, b := range list {
			for _, op := range b.Operations {
				if strings.Contains(op.Text, sub.Name) {
					op.On = "" // it says so itself
				}
			}
		}
		lists = append(lists, list)
	}
	return Merge(lists...), nil
}
