package reference

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"misstep/history"
	"misstep/history/timeline"
)

// waits reports whether the last that a goroutine began was to send to a channel, or to receive from one, which no clock has: those go on
// while the program is paused.
func (m *Model) waits(t *timeline.Thread) bool {
	_, pkg := m.Code.Node(m.Moments[t.Hi-1].Activation.Func)
	if pkg == nil {
		return false
	}
	switch n := m.step(t.Hi - 1).Node.(type) {
	case *ast.RangeStmt:
		x := pkg.Info.TypeOf(n.X)
		if x == nil {
			return false
		}
		_, ok := x.Underlying().(*types.Chan)
		return ok && !ofClock(pkg, n.X)
	case *ast.SelectStmt:
		for _, c := range n.Body.List {
			if c, ok := c.(*ast.CommClause); !ok || c.Comm == nil || !communicates(pkg, c.Comm) {
				return false
			}
		}
		return true
	case *ast.ExprStmt, *ast.AssignStmt, *ast.SendStmt, *ast.ReturnStmt, *ast.DeclStmt:
		return communicates(pkg, n)
	}
	return false
}

// communicates reports whether a simple statement sends or receives, and from no channel that a clock may have.
func communicates(pkg *history.Package, s ast.Node) bool {
	some, clock := false, false
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.SendStmt:
			some = true
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				some, clock = true, clock || ofClock(pkg, n.X)
			}
		}
		return true
	})
	return some && !clock
}

// ofClock reports whether a channel may be one that a clock sends to, or that is closed after a time: one of times, and one that something else
// than a variable gives.
func ofClock(pkg *history.Package, x ast.Expr) bool {
	_, variable := ast.Unparen(x).(*ast.Ident)
	t := pkg.Info.TypeOf(x)
	return !variable || t == nil || strings.Contains(types.TypeString(t, nil), "time.")
}

// An operation of a channel is of those with elements of a type: closing one is as sending to all that receive from it.
type operation struct {
	sends bool
	elem  types.Type
}

// operations are those that a statement does with channels, without the statements in it.
func operations(pkg *history.Package, s ast.Node) (ops []operation) {
	add := func(sends bool, x ast.Expr) {
		if t := pkg.Info.TypeOf(x); t != nil {
			if c, ok := t.Underlying().(*types.Chan); ok {
				ops = append(ops, operation{sends, c.Elem()})
			}
		}
	}
	var look func(n ast.Node) bool
	look = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.BlockStmt:
			return false
		case *ast.SendStmt:
			add(true, n.Chan)
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				add(false, n.X)
			}
		case *ast.RangeStmt:
			add(false, n.X)
		case *ast.SelectStmt:
			for _, c := range n.Body.List {
				if c, ok := c.(*ast.CommClause); ok && c.Comm != nil {
					ast.Inspect(c.Comm, look)
				}
			}
		case *ast.CallExpr:
			if id, ok := ast.Unparen(n.Fun).(*ast.Ident); ok && id.Name == "close" && len(n.Args) == 1 {
				add(true, n.Args[0])
			}
		}
		return true
	}
	ast.Inspect(s, look)
	return ops
}

// released reports whether another goroutine may have ended what one waits for at the end of its run, up to a moment of the main one: it sends to
// such a channel, or receives from one. What others than the main one do may come before that.
func (m *Model) released(t *timeline.Thread, at int) bool {
	at = min(at, m.Threads[0].Last-1)
	known := map[ast.Node][]operation{}
	of := func(n int) []operation {
		s := m.step(n)
		_, pkg := m.Code.Node(m.Moments[n].Activation.Func)
		if s.Node == nil || pkg == nil {
			return nil
		}
		ops, ok := known[s.Node]
		if !ok {
			ops = operations(pkg, s.Node)
			known[s.Node] = ops
		}
		return ops
	}
	waits := of(t.Hi - 1)
	for i, u := range m.Threads {
		if u == t {
			continue
		}
		end := u.Last
		if i == 0 {
			end = at + 1
		}
		for n := u.Lo; n < end; n++ {
			for _, op := range of(n) {
				if slices.ContainsFunc(waits, func(w operation) bool { return w.sends != op.sends && types.Identical(w.elem, op.elem) }) {
					return true
				}
			}
		}
	}
	return false
}
