package omission

import (
	"go/ast"
	"go/token"
	"go/types"
	"math"
	"slices"
	"sort"

	"misstep/history"
	"misstep/internal/source"
)

// A touch is an event about an object.
type touch struct {
	time int64
	site int
	of   *history.Instance
	// offset is where in the object it leads to, in bytes, and size how many of it; 0 if the
	// type of the expression says so.
	offset, size int64
}

// events are what a history says about objects, by the activations that they are in.
type events struct {
	tree      *history.Tree
	instances *history.Instances
	touches   map[*history.Activation][]touch
	// exprs are the expressions of sites.
	exprs map[int]ast.Expr
	// uses are the sites of a function at which a variable alone is the expression.
	uses map[int]map[types.Object][]int
	// cut says that there are more events; ended that those that were read end with the
	// program.
	cut, ended bool
	// byFunc are the activations of each function, in the order in which they began.
	byFunc map[int][]*history.Activation
}

// readEvents reads so many events of a history: its tree, and which object each event is
// about.
func readEvents(r *history.Reader, limit int64) (*events, error) {
	tree, err := r.TreeUntil(limit)
	if err != nil {
		return nil, err
	}
	e := &events{tree: tree, instances: history.NewInstances(r.Plan), touches: map[*history.Activation][]touch{}, exprs: map[int]ast.Expr{}, uses: map[int]map[types.Object][]int{}, byFunc: map[int][]*history.Activation{}}
	begun := map[int64]*history.Activation{} // those of the tree
	for _, a := range tree.Activations {
		begun[a.Start] = a
		e.byFunc[a.Func] = append(e.byFunc[a.Func], a)
	}
	// half is the first of the two events of a reflect.Value.
	type half struct {
		of   *history.Instance
		site int
		in   *history.Activation
		at   int
	}
	open := map[uint64]half{} // of goroutines
	for p, err := range r.PointsBefore(e.instances, limit) {
		if err != nil {
			return nil, err
		}
		if p.Instance != nil && p.In != nil {
			a := begun[p.In.Start]
			if r.Plan.Sites[p.ID].Reflected() {
				// Two events say where it begins and ends.
				t := open[p.Goroutine]
				if t.of == p.Instance && t.site == p.ID && t.in == a {
					first := &e.touches[a][t.at]
					first.size = int64(p.Addr-p.Instance.Base) - first.offset + 1
					delete(open, p.Goroutine)
					continue
				}
				open[p.Goroutine] = half{p.Instance, p.ID, a, len(e.touches[a])}
			}
			e.touches[a] = append(e.touches[a], touch{time: p.Time, site: p.ID, of: p.Instance, offset: int64(p.Addr - p.Instance.Base)})
		}
	}
	e.cut = r.More
	e.ended = !e.cut && r.End != nil && r.End.Stopped == ""
	return e, nil
}

// unknown reports whether it is not known where an activation stood when the events ended: it
// had not returned, and neither ended the program nor was in a call that it is known to be
// in, as others of the same goroutine are above it.
func (e *events) unknown(plan *history.Plan, a *history.Activation) bool {
	if a.End >= 0 {
		return false
	}
	if !e.ended || len(a.Items) == 0 {
		return true
	}
	last := a.Items[len(a.Items)-1]
	if last.Call != nil {
		return last.Call.End >= 0
	}
	return plan.Sites[last.Site].Kind != history.Last
}

// locate finds the expressions of the sites of objects.
func (e *events) locate(p *program) {
	type span struct{ fn, start, end int }
	sites := map[span][]int{}
	for n, s := range p.code.Plan.Sites {
		if s.Kind.Object() {
			sites[span{s.Func, s.Offset, s.End}] = append(sites[span{s.Func, s.Offset, s.End}], n)
		}
	}
	for _, f := range p.funcs {
		if f == nil {
			continue
		}
		file := f.pkg.Fset.File(f.node.Pos())
		e.uses[f.id] = map[types.Object][]int{}
		note := func(x ast.Expr, k span) {
			for _, n := range sites[k] {
				if old := e.exprs[n]; old == nil {
					e.exprs[n] = x
				}
				id, ok := ast.Unparen(x).(*ast.Ident)
				if u, addr := ast.Unparen(x).(*ast.UnaryExpr); addr && u.Op == token.AND {
					// A variable that is an object itself.
					if id, ok = ast.Unparen(u.X).(*ast.Ident); ok {
						t := typeOf(f, id)
						ok = !refers(t)
					}
				}
				if ok {
					if v := f.pkg.Info.ObjectOf(id); v != nil {
						e.uses[f.id][v] = append(e.uses[f.id][v], n)
					}
				}
			}
		}
		ast.Inspect(f.node, func(n ast.Node) bool {
			if n == f.node {
				return true
			}
			switch x := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.AssignStmt:
				// What a variable is given, it is from then on.
				for i, to := range x.Lhs {
					id, ok := to.(*ast.Ident)
					if !ok || len(x.Lhs) != len(x.Rhs) {
						continue
					}
					given := ast.Unparen(x.Rhs[i])
					if _, plain := given.(*ast.Ident); plain {
						continue
					}
					if v := f.pkg.Info.ObjectOf(id); v != nil {
						e.uses[f.id][v] = append(e.uses[f.id][v], sites[span{f.id, file.Offset(given.Pos()), file.Offset(given.End())}]...)
					}
				}
			case *ast.Ident:
				note(x, span{f.id, file.Offset(x.Pos()), 0}) // a parameter
				note(x, span{f.id, file.Offset(x.Pos()), file.Offset(x.End())})
			case ast.Expr:
				note(x, span{f.id, file.Offset(x.Pos()), file.Offset(x.End())})
			}
			return true
		})
	}
}

// is tells which object an expression was, would it be evaluated in an activation at a
// time; false if that is not known. It goes by what the same expression, or the same
// variable, was elsewhere in the activation, or in that of the function around a
// literal.
func (e *events) is(p *program, a *history.Activation, x ast.Expr, time int64) (touch, bool) {
	f := p.funcs[a.Func]
	v := f.variable(x)
	if v == nil && history.Reflects(typeOf(f, x)) {
		if from := f.origin(x); from != nil && from != x {
			return e.is(p, a, from, time)
		}
	}
	if v == nil {
		return e.text(f, a, ast.Unparen(x), time)
	}
	for f != nil {
		if sites := e.uses[f.id][v]; len(sites) > 0 {
			constant := f.assigned[v] <= 1
			if t, ok := pick(e.touches[a], time, constant, func(t touch) bool { return slices.Contains(sites, t.site) }); ok {
				return t, true
			}
		}
		// What a variable is that was given another's value.
		if f.assigned[v] == 1 && f.defs[v] != nil {
			if t, ok := e.is(p, a, f.defs[v], time); ok {
				return t, true
			}
		}
		if f.node.Pos() <= v.Pos() && v.Pos() <= f.node.End() || f.outer < 0 {
			return touch{}, false
		}
		outer := f.outer
		for a = a.Parent; a != nil && a.Func != outer; a = a.Parent {
		}
		if a == nil {
			// A goroutine's function has no parent; but there may be one that it can be of.
			if len(e.byFunc[outer]) != 1 {
				return touch{}, false
			}
			a = e.byFunc[outer][0]
		}
		f = p.funcs[outer]
	}
	return touch{}, false
}

// text is which object an expression with the same text was.
func (e *events) text(f *function, a *history.Activation, x ast.Expr, time int64) (touch, bool) {
	want := ""
	if source.Root(x) != nil && !source.Calls(x) {
		want = types.ExprString(x)
	}
	return pick(e.touches[a], time, true, func(t touch) bool {
		y := e.exprs[t.site]
		return y != nil && (y == x || want != "" && types.ExprString(ast.Unparen(y)) == want)
	})
}

// pick is the last touch up to a time that fits, or else, if later ones may be taken,
// the first after it.
func pick(list []touch, time int64, later bool, fits func(touch) bool) (touch, bool) {
	if time < 0 {
		time = math.MaxInt64 // the activation did not end
	}
	n := sort.Search(len(list), func(i int) bool { return list[i].time > time })
	for i := n - 1; i >= 0; i-- {
		if fits(list[i]) {
			return list[i], true
		}
	}
	if later {
		for _, t := range list[n:] {
			if fits(t) {
				return t, true
			}
		}
	}
	return touch{}, false
}

// ran counts how often the subject was seen in expressions.
func (e *events) ran(s *Subject) map[ast.Expr]int {
	n := map[ast.Expr]int{}
	for _, list := range e.touches {
		for _, t := range list {
			if s.Instances[t.of] {
				n[e.exprs[t.site]]++
			}
		}
	}
	return n
}
