package faults

import (
	"go/ast"
	"go/parser"
	"go/token"
)

// parsed is a file's syntax; nil if it cannot be read.
func parsed(path string) (*token.FileSet, *ast.File) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return fset, nil
	}
	return fset, f
}

// literalAt is the innermost function literal over several lines that a line is within.
func literalAt(path string, line int) (found *ast.FuncLit) {
	fset, f := parsed(path)
	if f == nil {
		return nil
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok && fset.Position(lit.Body.Lbrace).Line < line && line <= fset.Position(lit.Body.Rbrace).Line {
			found = lit
		}
		return true
	})
	return found
}

// declared are the names that a function literal declares.
func declared(lit *ast.FuncLit) map[string]bool {
	names := map[string]bool{}
	add := func(e ast.Expr) {
		if id, ok := e.(*ast.Ident); ok {
			names[id.Name] = true
		}
	}
	ast.Inspect(lit, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			for _, id := range n.Names {
				add(id)
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				add(id)
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				for _, e := range n.Lhs {
					add(e)
				}
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				add(n.Key)
				add(n.Value)
			}
		}
		return true
	})
	return names
}

// globals are the names of a file's package variables.
func globals(path string) (names []string) {
	_, f := parsed(path)
	if f == nil {
		return nil
	}
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
			for _, s := range g.Specs {
				for _, id := range s.(*ast.ValueSpec).Names {
					if id.Name != "_" {
						names = append(names, id.Name)
					}
				}
			}
		}
	}
	return names
}

// callsRecovering reports whether there is a call on a line of a function of that file that
// recovers.
func callsRecovering(path string, line int) (found bool) {
	fset, f := parsed(path)
	if f == nil {
		return false
	}
	recovers := map[string]bool{}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
			ast.Inspect(fn, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "recover" {
						recovers[fn.Name.Name] = true
					}
				}
				return true
			})
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && fset.Position(call.Pos()).Line == line {
			if id, ok := call.Fun.(*ast.Ident); ok && recovers[id.Name] {
				found = true
			}
		}
		return true
	})
	return found
}
