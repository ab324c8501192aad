package rewrite

import (
	"bytes"
	"go/ast"
	"go/token"
	"go/types"
	"misstep/transform"
	"slices"
)

// wrapBlock puts braces around statements. Guards: nothing is declared in them
// that is used after them; no label is cut off from its jumps.
var wrapBlock = Rewrite{
	Name: "wrap-block",
	Doc:  "Wraps statements in a block: no difference.",
	Sites: func(s *Given) []Site {
		var sites []Site
		for _, run := range s.runs() {
			first, last := run[0], run[len(run)-1]
			if s.labels(run) {
				continue
			}
			sites = append(sites, Site{first.Pos(), func(c *Change) {
				indent, alone := s.indent(first.Pos())
				if alone && s.last(last.End()) && c.R.IntN(2) == 0 {
					c.insert(first.Pos(), "{\n"+indent)
					c.insert(last.End(), "\n"+indent+"}")
					return
				}
				c.insert(first.Pos(), "{ ")
				c.insert(last.End(), " }")
			}})
		}
		return sites
	},
}

// runs lists sequences of one to three statements that declare nothing which is
// used after them, and need not be the last of their list.
func (s *Given) runs() [][]ast.Stmt {
	var runs [][]ast.Stmt
	for _, sl := range s.slots() {
		for n := 1; n <= 3 && sl.i+n <= len(sl.list); n++ {
			run := sl.list[sl.i : sl.i+n]
			if n > 1 && sl.i%2 == 0 || !s.selfContained(run) {
				continue
			}
			runs = append(runs, run)
		}
	}
	return runs
}

// selfContained reports whether statements declare nothing that is in scope after
// them, and have no labels.
func (s *scope) selfContained(run []ast.Stmt) bool {
	for _, stmt := range run {
		var names []*ast.Ident
		switch x := stmt.(type) {
		case *ast.LabeledStmt:
			return false
		case *ast.DeclStmt:
			ast.Inspect(x, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && s.Source.Info.Defs[id] != nil {
					names = append(names, id)
				}
				return true
			})
		case *ast.AssignStmt:
			for _, l := range x.Lhs {
				if id, ok := l.(*ast.Ident); ok && x.Tok == token.DEFINE && s.Source.Info.Defs[id] != nil {
					names = append(names, id)
				}
			}
		}
		if len(names) > 0 {
			return false // its scope would end with the block
		}
	}
	return true
}

// declaredTwice reports whether the function around a position has several local variables of a name.
func (s *Given) declaredTwice(at token.Pos, name string) bool {
	for _, f := range s.Source.Files {
		for _, d := range f.AST.Decls {
			if d.Pos() > at || at >= d.End() {
				continue
			}
			found := 0
			ast.Inspect(d, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && id.Name == name {
					if v, ok := s.Source.Info.Defs[id].(*types.Var); ok && !v.IsField() {
						found++
					}
				}
				return true
			})
			return found > 1
		}
	}
	return false
}

// callLiteral turns statements into a function literal that is called at once.
// There is a frame more, which is left out, and of the variables from outside
// only those are shown there that the statements use. Guards: no jump leaves
// the statements, nothing is deferred or recovered in them, as that belongs to
// the function; breakpoints there have no conditions over what may not be seen.
var callLiteral = Rewrite{
	Name: "call-literal",
	Doc:  "Turns statements into a function literal that is called at once: apart from its frame, and from variables that the statements do not use, no difference.",
	Sites: func(s *Given) []Site {
		if s.assigns() || s.calls() {
			return nil
		}
		var sites []Site
		for _, run := range s.runs() {
			first, last := run[0], run[len(run)-1]
			_, alone := s.indent(first.Pos())
			if !alone || !s.last(last.End()) || s.labels(run) || !s.stays(run) || s.conditionsIn(first.Pos(), last.End()) {
				continue
			}
			if slices.ContainsFunc(run, func(x ast.Stmt) bool { _, decl := x.(*ast.DeclStmt); return decl }) {
				continue
			}
			if s.covers(run) || terminates(last) {
				continue
			}
			sites = append(sites, Site{first.Pos(), func(c *Change) {
				indent, _ := s.indent(first.Pos())
				c.insert(first.Pos(), "func() {\n"+indent)
				f := s.Source.FileOf(first.Pos())
				end := "\n" + indent + "}()"
				if rest, _, _ := bytes.Cut(f.Text[s.Source.Offset(last.End()):], []byte("\n")); len(bytes.TrimSpace(rest)) > 0 {
					// A comment after the statements would give the call their line.
					end += "\n" + indent
				}
				c.insert(last.End(), end)
				names := map[string]bool{}
				for _, stmt := range run {
					ast.Inspect(stmt, func(n ast.Node) bool {
						if id, ok := n.(*ast.Ident); ok {
							if v, ok := s.Source.Info.Uses[id].(*types.Var); ok && !v.IsField() {
								names[v.Name()] = true
							}
							if v, ok := s.Source.Info.Defs[id].(*types.Var); ok {
								names[v.Name()] = true
							}
						}
						return true
					})
				}
				for name := range names {
					// Of two variables of one name, the literal may capture one, and not what hides it.
					if s.declaredTwice(first.Pos(), name) {
						delete(names, name)
					}
				}
				c.Captured = append(c.Captured, transform.Captured{In: s.between(first.Pos(), last.End()), Names: names})
				c.Outermost = true
			}})
		}
		return sites
	},
}

// terminates reports whether a statement may be why its function needs no return at
// its end, which a call of a literal would not be (Go specification, terminating
// statements).
func terminates(stmt ast.Stmt) bool {
	switch x := stmt.(type) {
	case *ast.ExprStmt:
		call, ok := ast.Unparen(x.X).(*ast.CallExpr)
		if !ok {
			return false
		}
		id, ok := ast.Unparen(call.Fun).(*ast.Ident)
		return ok && id.Name == "panic"
	case *ast.ForStmt:
		return x.Cond == nil
	case *ast.SelectStmt:
		return true
	case *ast.BlockStmt:
		return len(x.List) > 0 && terminates(x.List[len(x.List)-1])
	case *ast.IfStmt:
		return x.Else != nil && terminates(x.Body) && terminates(x.Else)
	case *ast.SwitchStmt:
		return allTerminate(x.Body)
	case *ast.TypeSwitchStmt:
		return allTerminate(x.Body)
	}
	return false
}

func allTerminate(body *ast.BlockStmt) bool {
	for _, c := range body.List {
		list := c.(*ast.CaseClause).Body
		if len(list) == 0 || !terminates(list[len(list)-1]) {
			return false
		}
	}
	return len(body.List) > 0
}

// covers reports whether statements declare a name that a local variable around
// them has.
func (s *scope) covers(run []ast.Stmt) bool {
	found := false
	for _, stmt := range run {
		ast.Inspect(stmt, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && s.Source.Info.Defs[id] != nil {
				scope := s.Source.Pkg.Scope().Innermost(run[0].Pos())
				if scope == nil {
					return true
				}
				if _, obj := scope.LookupParent(id.Name, run[0].Pos()); obj != nil {
					if v, ok := obj.(*types.Var); ok && s.local(v) {
						found = true
					}
				}
			}
			return !found
		})
	}
	return found
}

// stays reports whether statements can be a function's body: control leaves them
// at their end only, and nothing in them depends on which function it is in.
func (s *scope) stays(run []ast.Stmt) bool {
	ok := true
	for _, stmt := range run {
		var visit func(n ast.Node, loop, sw bool)
		visit = func(n ast.Node, loop, sw bool) {
			ast.Inspect(n, func(m ast.Node) bool {
				if m == n {
					return ok
				}
				switch x := m.(type) {
				case *ast.FuncLit:
					return false
				case *ast.ReturnStmt, *ast.DeferStmt, *ast.LabeledStmt:
					ok = false
				case *ast.BranchStmt:
					switch x.Tok {
					case token.BREAK:
						ok = ok && (loop || sw)
					case token.CONTINUE:
						ok = ok && loop
					case token.GOTO:
						ok = false
					}
				case *ast.CallExpr:
					if id, is := ast.Unparen(x.Fun).(*ast.Ident); is && id.Name == "recover" {
						ok = false
					}
				case *ast.ForStmt, *ast.RangeStmt:
					visit(m, true, sw)
					return false
				case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
					visit(m, loop, true)
					return false
				}
				return ok
			})
		}
		visit(&ast.BlockStmt{List: []ast.Stmt{stmt}}, false, false)
	}
	return ok
}
