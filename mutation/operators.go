package mutation

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
)

// body goes through what a function does.
func (m *mutator) body(body *ast.BlockStmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			m.statements(n.List)
		case *ast.CaseClause:
			m.statements(n.Body)
		case *ast.CommClause:
			m.statements(n.Body)
		case *ast.IfStmt:
			if _, ok := ast.Unparen(n.Cond).(*ast.BinaryExpr); !ok {
				m.negate(n.Cond)
			}
		case *ast.BinaryExpr:
			m.binary(n)
		case *ast.CallExpr:
			m.call(n)
		case *ast.ReturnStmt:
			m.constants(n.Results)
		case *ast.AssignStmt:
			m.constants(n.Rhs)
		case *ast.GenDecl:
			return n.Tok == token.VAR
		}
		return true
	})
}

// leave is a function that returns at once.
func (m *mutator) leave(fn *ast.FuncDecl) {
	if fn.Recv == nil && (fn.Name.Name == "init" || fn.Name.Name == "main") {
		return
	}
	if m.shadowed(fn.Type.Results, fn.Body.Lbrace+1) {
		return
	}
	var zero []string
	if list := fn.Type.Results; list != nil {
		for _, f := range list.List {
			if len(f.Names) > 0 {
				zero = nil // the results have names
				break
			}
			zero = append(zero, "*new("+m.source(f.Type)+")")
		}
	}
	n := m.add(fn.Name, "returns at once")
	m.edits = append(m.edits, insertion{at: m.offset(fn.Body.Lbrace) + 1, text: fmt.Sprintf(" if mutant(%d) { return %s };", n, strings.Join(zero, ", ")), depth: -1})
}

func (m *mutator) statements(all []ast.Stmt) {
	for _, s := range all {
		m.deletion(s)
	}
}

// deletion is a statement that is not executed.
func (m *mutator) deletion(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		if s.Tok == token.DEFINE {
			return
		}
		if id, ok := s.Lhs[0].(*ast.Ident); ok && id.Name == "_" {
			return
		}
	case *ast.ExprStmt:
		if call, ok := s.X.(*ast.CallExpr); ok {
			if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "panic" || m.logs(call) {
				return
			}
		}
	case *ast.BranchStmt:
		if s.Tok != token.BREAK && s.Tok != token.CONTINUE {
			return
		}
	case *ast.IncDecStmt, *ast.SendStmt, *ast.DeferStmt, *ast.GoStmt:
	default:
		return
	}
	m.around(s, s, fmt.Sprintf("if !mutant(%d) { ", m.add(s, "statement deleted")), " }")
}

// loggers are packages, by the last element of their paths, whose calls tell what happens and do nothing
// about it: without one the program does the same.
var loggers = []string{"log", "slog", "logflags", "logrus"}

// logs reports whether a call is a logger's.
func (m *mutator) logs(call *ast.CallExpr) bool {
	fn := typeutil.Callee(m.pkg.TypesInfo, call)
	return fn != nil && fn.Pkg() != nil && slices.Contains(loggers, path.Base(fn.Pkg().Path()))
}

// negate is a condition of which the opposite is taken.
func (m *mutator) negate(x ast.Expr) {
	if m.truth(x) {
		m.around(x, x, "((", fmt.Sprintf(") != mutant(%d))", m.add(x, "condition negated")))
	}
}

// truth reports whether the type of an expression is the plain bool, and it no constant.
func (m *mutator) truth(x ast.Expr) bool {
	tv, ok := m.pkg.TypesInfo.Types[x]
	if !ok || tv.Value != nil {
		return false
	}
	b, ok := tv.Type.(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

// operators are those of comparisons and sums, with the function in their place.
var operators = map[token.Token][2]string{
	token.LSS: {"mutantLess(", "boundary"},
	token.LEQ: {"mutantMost(", "boundary"},
	token.GTR: {"mutantMore(", "boundary"},
	token.GEQ: {"mutantLeast(", "boundary"},
	token.ADD: {"mutantAdd(", "sign"},
	token.SUB: {"mutantSub(", "sign"},
}

func (m *mutator) binary(x *ast.BinaryExpr) {
	if m.pkg.TypesInfo.Types[x].Value != nil {
		return
	}
	switch x.Op {
	case token.LAND, token.LOR:
		if !m.truth(x.X) || !m.truth(x.Y) {
			return
		}
		n := m.add(x, "and ↔ or")
		// By De Morgan's laws the other operator is this one with all of it negated.
		m.around(x, x, "((", fmt.Sprintf(")) != mutant(%d))", n))
		m.edits = append(m.edits,
			insertion{at: m.offset(x.X.Pos()), text: "((", depth: m.depth},
			insertion{at: m.offset(x.X.End()), text: fmt.Sprintf(") != mutant(%d))", n), end: true, depth: m.depth},
			insertion{at: m.offset(x.Y.Pos()), text: "((", depth: m.depth},
			insertion{at: m.offset(x.Y.End()), text: fmt.Sprintf(") != mutant(%d)", n), end: true, depth: m.depth})
		m.depth++
		return
	case token.SHL, token.SHR:
		return // a count of another type
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		m.negate(x)
	}
	if op, ok := operators[x.Op]; ok && m.numbers(x) {
		n := m.add(x, op[1])
		m.around(x, x, fmt.Sprintf("%s%d, ", op[0], n), ")")
		m.edits = append(m.edits, insertion{at: m.offset(x.OpPos), del: len(x.Op.String()), text: ","})
	}
	m.constants([]ast.Expr{x.X, x.Y})
}

// numbers reports whether the operands are numbers. They have the same type, but for a constant,
// which takes the other's.
func (m *mutator) numbers(x *ast.BinaryExpr) bool {
	tv := m.pkg.TypesInfo.Types[x.X]
	if tv.Value != nil {
		tv = m.pkg.TypesInfo.Types[x.Y]
	}
	b, ok := tv.Type.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsInteger|types.IsFloat) != 0
}

// call is one whose constants are others, or whose two arguments are in the place of each
// other.
func (m *mutator) call(x *ast.CallExpr) {
	tv := m.pkg.TypesInfo.Types[x.Fun]
	if tv.IsType() || tv.IsBuiltin() || tv.Type == nil || x.Ellipsis.IsValid() {
		return
	}
	m.constants(x.Args)
	sig, ok := tv.Type.Underlying().(*types.Signature)
	if !ok || sig.Variadic() || len(x.Args) != 2 || sig.Params().Len() != 2 {
		return
	}
	a, b := m.pkg.TypesInfo.Types[x.Args[0]], m.pkg.TypesInfo.Types[x.Args[1]]
	if a.Value != nil || b.Value != nil || a.IsNil() || b.IsNil() || !types.Identical(a.Type, b.Type) || m.source(x.Args[0]) == m.source(x.Args[1]) {
		return
	}
	n := m.add(x, "operands swapped")
	m.around(x.Args[0], x.Args[1], fmt.Sprintf("mutantPair(%d, ", n), ")")
}

// constants are those of expressions, where no constant is needed: whole numbers that are one
// more, and the other truth value.
func (m *mutator) constants(list []ast.Expr) {
	for _, x := range list {
		tv := m.pkg.TypesInfo.Types[x]
		if tv.Value == nil {
			continue
		}
		b, ok := tv.Type.(*types.Basic)
		if !ok || b.Info()&types.IsUntyped != 0 || !m.predeclared(b.Name(), x.Pos()) {
			continue
		}
		switch x := x.(type) {
		case *ast.BasicLit:
			if b.Info()&types.IsInteger != 0 {
				m.around(x, x, fmt.Sprintf("mutantConst[%s](%d, ", b.Name(), m.add(x, "constant")), ")")
			}
		case *ast.Ident:
			if b.Kind() == types.Bool && (x.Name == "true" || x.Name == "false") {
				m.around(x, x, "(", fmt.Sprintf(" != mutant(%d))", m.add(x, "constant")))
			}
		}
	}
}

// predeclared reports whether a name is the language's at a place.
func (m *mutator) predeclared(name string, at token.Pos) bool {
	in := m.pkg.Types.Scope().Innermost(at)
	if in == nil {
		return false
	}
	_, obj := in.LookupParent(name, at)
	return obj != nil && obj.Parent() == types.Universe
}

// shadowed reports whether names of types mean something else at a place in the function's body.
func (m *mutator) shadowed(list *ast.FieldList, at token.Pos) bool {
	in := m.pkg.Types.Scope().Innermost(at)
	if list == nil || in == nil {
		return false
	}
	found := false
	ast.Inspect(list, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && m.pkg.TypesInfo.Uses[id] != nil && m.pkg.TypesInfo.Uses[id].Parent() != nil {
			_, obj := in.LookupParent(id.Name, at)
			found = found || obj != m.pkg.TypesInfo.Uses[id]
		}
		return true
	})
	return found || !m.predeclared("new", at) // zero values are made by it
}
