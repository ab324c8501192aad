package reference

import (
	"go/ast"
	"go/token"
	"go/types"
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
