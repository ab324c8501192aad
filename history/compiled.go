package history

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// Compiled is [ast.Inspect] for what the compiler takes over of a function's body: statements
// after one that ends the control flow, and branches and clauses that are known not to be executed,
// are left out before it looks at what they use (cmd/compile/internal/noder, stmts and staticBool,
// since Go 1.22). A variable that only those mention is not captured, and has no debug information.
func Compiled(info *types.Info, n ast.Node, f func(ast.Node) bool) {
	c := &compiled{info, map[ast.Node]bool{}}
	ast.Inspect(n, func(n ast.Node) bool {
		if c.dropped[n] {
			return false
		}
		switch n := n.(type) {
		case *ast.BlockStmt:
			c.list(n.List)
		case *ast.CaseClause:
			c.list(n.Body)
		case *ast.CommClause:
			c.list(n.Body)
		case *ast.IfStmt:
			switch known := c.static(n.Cond); {
			case known < 0:
				c.dropped[n.Body] = true
			case known > 0 && n.Else != nil:
				c.dropped[n.Else] = true
			}
		case *ast.SwitchStmt:
			c.choose(n)
		case *ast.ForStmt:
			if n.Cond != nil && c.static(n.Cond) < 0 {
				c.dropped[n.Body] = true
				if n.Post != nil {
					c.dropped[n.Post] = true
				}
			}
		}
		return f(n)
	})
}

type compiled struct {
	info    *types.Info
	dropped map[ast.Node]bool
}

// list drops what comes after a statement that ends the control flow, and after the last label.
func (c *compiled) list(list []ast.Stmt) {
	label := -1
	for i, s := range list {
		if _, ok := s.(*ast.LabeledStmt); ok {
			label = i
		}
	}
	dead := false
	for i, s := range list {
		if dead && i > label {
			c.dropped[s] = true
			continue
		}
		dead = c.ends(s)
	}
}

// choose drops the clauses of a switch on a constant that are not executed, if all that comes
// before the one that is are constants as well.
func (c *compiled) choose(s *ast.SwitchStmt) {
	tag := constant.MakeBool(true)
	if s.Tag != nil {
		if tag = c.info.Types[s.Tag].Value; tag == nil {
			return
		}
	}
	var target *ast.CaseClause
search:
	for _, n := range s.Body.List {
		clause := n.(*ast.CaseClause)
		if clause.List == nil {
			target = clause
		}
		for _, e := range clause.List {
			v := c.info.Types[e].Value
			if v == nil {
				return
			}
			if constant.Compare(tag, token.EQL, v) {
				target = clause
				break search
			}
		}
	}
	if target != nil && len(target.Body) > 0 {
		if b, ok := target.Body[len(target.Body)-1].(*ast.BranchStmt); ok && b.Tok == token.FALLTHROUGH {
			return
		}
	}
	for _, n := range s.Body.List {
		if n != target {
			c.dropped[n] = true
		}
	}
}

// ends reports whether the compiler sees that the control flow ends with a statement.
func (c *compiled) ends(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.BranchStmt:
		return s.Tok == token.GOTO
	case *ast.ReturnStmt:
		return true
	case *ast.ExprStmt:
		if call, ok := ast.Unparen(s.X).(*ast.CallExpr); ok {
			if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok {
				b, ok := c.info.Uses[id].(*types.Builtin)
				return ok && b.Name() == "panic"
			}
		}
	case *ast.IfStmt:
		known := c.static(s.Cond)
		return (known < 0 || c.ends(s.Body)) && (known > 0 || s.Else != nil && c.ends(s.Else))
	case *ast.BlockStmt:
		for i := len(s.List) - 1; i >= 0; i-- {
			if _, empty := s.List[i].(*ast.EmptyStmt); !empty {
				return c.ends(s.List[i])
			}
		}
	}
	return false
}

// static is positive if the compiler sees that a condition always holds, negative if never, and
// 0 if it does not know. Operands that it does not need for that are dropped.
func (c *compiled) static(e ast.Expr) int {
	if v := c.info.Types[e].Value; v != nil && v.Kind() == constant.Bool {
		if constant.BoolVal(v) {
			return 1
		}
		return -1
	}
	b, ok := e.(*ast.BinaryExpr)
	if !ok || b.Op != token.LAND && b.Op != token.LOR {
		return 0
	}
	// What decides: the one that is false of &&, the one that is true of ||.
	sign := 1
	if b.Op == token.LAND {
		sign = -1
	}
	x := sign * c.static(b.X)
	if x > 0 {
		c.dropped[b.Y] = true
		return sign
	}
	if y := sign * c.static(b.Y); x < 0 || y > 0 {
		return sign * y
	}
	return 0
}
