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
	case *ast.SelectStmt:
		for _, c := range n.Body.List {
			if c, ok := c.(*ast.CommClause); !ok || c.Comm == nil || !communicates(pkg, c.Comm) {
				return false
			}
		}
		return true
	case *ast.RangeStmt, *ast.ExprStmt, *ast.AssignStmt, *ast.SendStmt, *ast.ReturnStmt, *ast.DeclStmt:
		return communicates(pkg, n)
	}
	return false
}

// communicates reports whether a statement sends or receives by itself, and from no channel that a clock may have.
func communicates(pkg *history.Package, s ast.Node) bool {
	ops := slices.DeleteFunc(operations(pkg, s), func(op operation) bool { return op.does == closes })
	return len(ops) > 0 && !slices.ContainsFunc(ops, func(op operation) bool { return op.clock })
}

// ofClock reports whether a channel may be one that a clock sends to, or that is closed after a time: one of times, and one that something else
// than a variable gives.
func ofClock(pkg *history.Package, x ast.Expr) bool {
	_, variable := ast.Unparen(x).(*ast.Ident)
	t := pkg.Info.TypeOf(x)
	return !variable || t == nil || strings.Contains(types.TypeString(t, nil), "time.")
}

// An operation is of a channel that has elements of a type.
type operation struct {
	does  deed
	elem  types.Type
	clock bool // it receives from one that a clock may have
}

// A deed is what an operation does with a channel.
type deed string

const (
	sends    deed = ">"
	receives deed = "<"
	closes   deed = "x"
)

// meets reports whether an operation may end what another waits for: closing a channel is as sending to all that receive from it.
func (op operation) meets(waits operation) bool {
	return (op.does == receives) == (waits.does == sends) && types.Identical(op.elem, waits.elem)
}

// operations are those that a statement does with channels, without the statements in it.
func operations(pkg *history.Package, s ast.Node) (ops []operation) {
	add := func(does deed, x ast.Expr) {
		if t := pkg.Info.TypeOf(x); t != nil {
			if c, ok := t.Underlying().(*types.Chan); ok {
				ops = append(ops, operation{does, c.Elem(), does == receives && ofClock(pkg, x)})
			}
		}
	}
	var look func(n ast.Node) bool
	look = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.BlockStmt:
			return false
		case *ast.SendStmt:
			add(sends, n.Chan)
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				add(receives, n.X)
			}
		case *ast.RangeStmt:
			add(receives, n.X)
		case *ast.SelectStmt:
			for _, c := range n.Body.List {
				if c, ok := c.(*ast.CommClause); ok && c.Comm != nil {
					ast.Inspect(c.Comm, look)
				}
			}
		case *ast.CallExpr:
			if id, ok := ast.Unparen(n.Fun).(*ast.Ident); ok && id.Name == "close" && len(n.Args) == 1 {
				add(closes, n.Args[0])
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
				if slices.ContainsFunc(waits, op.meets) {
					return true
				}
			}
		}
	}
	return false
}
