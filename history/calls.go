package history

import (
	"go/ast"
	"go/types"
	"slices"

	"misstep/internal/source"
)

// exprs replays expressions: operands behind && and ||, and calls.
func (w *walker) exprs(xs ...ast.Expr) {
	for _, x := range xs {
		w.expr(x)
	}
}

func (w *walker) expr(x ast.Expr) {
	switch x := x.(type) {
	case nil, *ast.FuncLit, *ast.Ident, *ast.BasicLit:
	case *ast.ParenExpr:
		w.expr(x.X)
	case *ast.BinaryExpr:
		w.expr(x.X)
		site, ok := w.site(Second, x.OpPos)
		if !ok {
			w.expr(x.Y)
			return
		}
		// The operand's own events come before its mark.
		if w.evaluated(site, x.Y) {
			w.expr(x.Y)
			value := !w.passes(site) && w.passes(site+1)
			w.yield(Step{Node: x, Part: Operand, Time: w.time, Value: value})
		}
	case *ast.CallExpr:
		tv := w.pkg.Info.Types[x.Fun]
		if !tv.IsType() {
			w.expr(x.Fun)
		}
		w.exprs(x.Args...)
		if !tv.IsType() && !tv.IsBuiltin() {
			w.call(x)
			w.returned(x)
		}
	case *ast.CompositeLit:
		for _, e := range x.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				w.expr(kv.Key)
				e = kv.Value
			}
			w.expr(e)
		}
	case *ast.SelectorExpr:
		w.expr(x.X)
	case *ast.IndexExpr:
		w.exprs(x.X, x.Index)
	case *ast.IndexListExpr:
		w.expr(x.X)
	case *ast.SliceExpr:
		w.exprs(x.X, x.Low, x.High, x.Max)
	case *ast.StarExpr:
		w.expr(x.X)
	case *ast.TypeAssertExpr:
		w.expr(x.X)
	case *ast.UnaryExpr:
		w.expr(x.X)
	}
}

// evaluated reports whether the operand after && or || was evaluated: its mark comes
// before any other that does not lie inside of it.
func (w *walker) evaluated(site int, operand ast.Expr) bool {
	return w.upcoming(site, operand) || w.upcoming(site+1, operand)
}

// upcoming reports whether the mark of a site comes before any other that does not lie
// inside of some expressions.
func (w *walker) upcoming(site int, xs ...ast.Expr) bool {
	for _, it := range w.a.Items[w.i:] {
		if !it.Marks() {
			continue
		}
		if it.Site == site {
			return true
		}
		at := w.c.Plan.Sites[it.Site]
		inside := func(x ast.Expr) bool {
			if x == nil {
				return false
			}
			file := w.pkg.Fset.File(x.Pos())
			return file.Offset(x.Pos()) <= at.Offset && at.Offset < file.Offset(x.End())
		}
		if at.Kind != Second && at.Kind != After || !slices.ContainsFunc(xs, inside) {
			return false
		}
	}
	return false
}

// call passes the activation that a call began, if it is recorded.
func (w *walker) call(x *ast.CallExpr) {
	if fn := Callee(w.pkg.Info, x); fn != nil {
		if n, ok := w.c.Declared(fn); ok {
			w.enter(func(a *Activation) bool { return a.Func == n })
			return
		}
		w.callback(x)
		return
	}
	if lit, ok := ast.Unparen(x.Fun).(*ast.FuncLit); ok {
		n, ok := w.c.lits[lit]
		w.enter(func(a *Activation) bool { return ok && a.Func == n })
		return
	}
	if sel, ok := ast.Unparen(x.Fun).(*ast.SelectorExpr); ok && w.pkg.Info.Selections[sel] != nil && w.pkg.Info.Selections[sel].Kind() == types.MethodVal {
		w.enter(func(a *Activation) bool { return w.named(a, sel.Sel.Name) })
		return
	}
	w.enter(w.value)
}

// returned passes what a call has called back, up to the mark of its end, if it has one.
func (w *walker) returned(x *ast.CallExpr) {
	if site, ok := w.site(After, x.Rparen); ok {
		w.upTo(site)
	}
}

// upTo passes what was called back before a mark, and the mark, if that is the next one.
func (w *walker) upTo(site int) {
	if !w.upcoming(site) {
		return
	}
	for w.enter(w.value) {
	}
	w.passes(site)
}

// nextEnd reports whether the next mark is that of the end of a call, or of a statement: it tells what was
// called back until there.
func (w *walker) nextEnd() (site int, ok bool) {
	for _, it := range w.a.Items[w.i:] {
		if it.Marks() {
			return it.Site, w.c.Plan.Sites[it.Site].Kind == After
		}
	}
	return 0, false
}

// named reports whether an activation is of a method of that name.
func (w *walker) named(a *Activation, name string) bool {
	d, ok := w.c.nodes[a.Func].(*ast.FuncDecl)
	return ok && d.Recv != nil && d.Name.Name == name
}

// enter passes the next activation if it is one that fits.
func (w *walker) enter(fits func(*Activation) bool) bool {
	w.ends()
	if w.i >= len(w.a.Items) {
		return false
	}
	a := w.a.Items[w.i].Call
	if a == nil || w.a.Items[w.i].Body != nil || !fits(a) {
		return false
	}
	w.entered(a)
	return true
}

// entered passes an activation, which is the next item.
func (w *walker) entered(a *Activation) {
	w.calls = append(w.calls, a)
	w.pass()
	if a.End >= 0 {
		w.time = a.End
	}
}

// Recorded reports whether a call surely calls a function that is recorded.
func (c *Code) Recorded(info *types.Info, call *ast.CallExpr) bool {
	if fn := Callee(info, call); fn != nil {
		_, ok := c.Declared(fn)
		return ok
	}
	lit, ok := ast.Unparen(call.Fun).(*ast.FuncLit)
	if ok {
		_, ok = c.lits[lit]
	}
	return ok
}

// Calls reports whether a node calls a function, outside of literals.
func Calls(info *types.Info, n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			tv := info.Types[n.Fun]
			found = found || !tv.IsType() && !tv.IsBuiltin()
		}
		return !found
	})
	return found
}

// OverFunc reports whether a loop ranges over a function.
func OverFunc(info *types.Info, n *ast.RangeStmt) bool {
	_, ok := source.Core(info.TypeOf(n.X)).(*types.Signature)
	return ok
}
