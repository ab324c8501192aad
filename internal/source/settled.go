package source

import (
	"bytes"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// Settled reports whether a variable that a debugger shows in a frame at p has
// surely been given its value: p lies behind the statement that declares it. A
// debugger shows a variable by line numbers, and so may show it while its own
// initialiser runs, or a result at the function's entry; what it shows then is
// whatever lies in memory. Results without names have no value before the
// function returns. Names that are not in the source are not settled either.
func (s *Source) Settled(p Place, fn, name string) bool {
	name = strings.TrimSuffix(strings.TrimPrefix(name, "("), ")")
	name = strings.TrimPrefix(name, "&")
	l, ok := s.find(p)
	if !ok || s.Pkg == nil || strings.HasPrefix(name, "~") {
		return false
	}
	f := l.file
	s.settleOnce.Do(s.settle)
	pos := f.tok.Pos(f.tok.Size())
	if l.line < f.Lines() {
		pos = f.tok.LineStart(l.line + 1)
	}
	// The last token of the line, as a scope ends with its last statement.
	text := bytes.TrimRight(f.Text[:f.tok.Offset(pos)], " \t\r\n")
	last := f.tok.Pos(max(0, len(text)-1))
	for scope := s.Pkg.Scope().Innermost(last); scope != nil; scope = scope.Parent() {
		obj := scope.Lookup(name)
		if obj == nil || obj.Pos() >= pos {
			continue
		}
		if obj.Parent() == s.Pkg.Scope() {
			return true
		}
		if strings.Contains(fn, ".func") || strings.Contains(fn, "-range") {
			for _, lit := range s.literals {
				if s.line(lit.Pos()) <= l.line && l.line <= s.line(lit.Body.Lbrace) && obj.Pos() < lit.Pos() {
					return false
				}
			}
		}
		return l.line > s.settledAt[obj]
	}
	return false
}

// settle notes, for each variable, the last line of what declares it.
func (s *Source) settle() {
	s.settledAt = map[types.Object]int{}
	note := func(id *ast.Ident, end token.Pos) {
		if obj := s.Info.Defs[id]; obj != nil {
			s.settledAt[obj] = s.line(end)
		}
	}
	signature := func(t *ast.FuncType, body *ast.BlockStmt) {
		if t.Results == nil || body == nil {
			return
		}
		for _, field := range t.Results.List {
			for _, id := range field.Names {
				note(id, body.Lbrace)
			}
		}
	}
	for _, f := range s.Files {
		ast.Inspect(f.AST, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				signature(n.Type, n.Body)
			case *ast.FuncLit:
				s.literals = append(s.literals, n)
				signature(n.Type, n.Body)
			case *ast.AssignStmt:
				if n.Tok == token.DEFINE {
					for _, x := range n.Lhs {
						if id, ok := x.(*ast.Ident); ok {
							note(id, n.End())
						}
					}
				}
			case *ast.ValueSpec:
				for _, id := range n.Names {
					note(id, n.End())
				}
			case *ast.RangeStmt:
				for _, x := range []ast.Expr{n.Key, n.Value} {
					if id, ok := x.(*ast.Ident); ok {
						note(id, n.Body.Lbrace)
					}
				}
			case *ast.CaseClause:
				if obj := s.Info.Implicits[n]; obj != nil {
					s.settledAt[obj] = s.line(n.Colon)
				}
			}
			return true
		})
	}
}
