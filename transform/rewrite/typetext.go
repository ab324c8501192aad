package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"

	"misstep/internal/source"
)

// typeText writes a type as it can be written at the top level of a file.
func (s *scope) typeText(t types.Type, file *source.File) (string, bool) {
	ok := true
	text := types.TypeString(t, func(p *types.Package) string {
		if p == s.Source.Pkg {
			return ""
		}
		for _, imp := range file.AST.Imports {
			path, _ := strconv.Unquote(imp.Path.Value)
			if path != p.Path() {
				continue
			}
			if imp.Name == nil {
				return p.Name()
			}
			if imp.Name.Name != "_" && imp.Name.Name != "." {
				return imp.Name.Name
			}
		}
		ok = false
		return p.Name()
	})
	var visit func(t types.Type)
	seen := map[types.Type]bool{}
	visit = func(t types.Type) {
		if seen[t] {
			return
		}
		seen[t] = true
		switch t := t.(type) {
		case *types.Named:
			obj := t.Obj()
			if obj.Pkg() != nil && (obj.Parent() != obj.Pkg().Scope() || obj.Pkg() != s.Source.Pkg && !obj.Exported()) {
				ok = false // a local type
			}
			for i := range t.TypeArgs().Len() {
				visit(t.TypeArgs().At(i))
			}
		case *types.Alias:
			if obj := t.Obj(); obj.Pkg() != nil && obj.Parent() != obj.Pkg().Scope() {
				ok = false
			}
			visit(types.Unalias(t))
		case *types.Basic:
			if t.Kind() == types.Invalid || t.Info()&types.IsUntyped != 0 || t.Kind() == types.UnsafePointer || s.declares(t.Name()) {
				ok = false
			}
		case *types.Interface:
			ok = ok && t.NumMethods() == 0 && t.NumEmbeddeds() == 0
		default:
			list, known := parts(t)
			ok = ok && known
			for _, p := range list {
				visit(p)
			}
		}
	}
	visit(t)
	return text, ok
}

// parts are the types that a type without a name is made of; ok is false for structs, which
// are not taken apart, and what else there may be.
func parts(t types.Type) (list []types.Type, ok bool) {
	switch t := t.(type) {
	case *types.Pointer:
		return []types.Type{t.Elem()}, true
	case *types.Slice:
		return []types.Type{t.Elem()}, true
	case *types.Array:
		return []types.Type{t.Elem()}, true
	case *types.Map:
		return []types.Type{t.Key(), t.Elem()}, true
	case *types.Chan:
		return []types.Type{t.Elem()}, true
	case *types.Signature:
		for v := range t.Params().Variables() {
			list = append(list, v.Type())
		}
		for v := range t.Results().Variables() {
			list = append(list, v.Type())
		}
		return list, true
	}
	return nil, false
}

// constant reports whether an expression is one, or part of one, or stands where
// one must: an array's length, a constant's declaration, a case, a shift count,
// a key of an array, a conversion.
func (s *scope) constant(x ast.Expr) bool {
	parents := s.Source.Parents()
	var n ast.Node = x
	for {
		p := parents[n]
		switch p := p.(type) {
		case *ast.ParenExpr:
			n = p
			continue
		case *ast.ArrayType, *ast.CaseClause, *ast.Field:
			return true
		case *ast.ValueSpec:
			d, ok := parents[p].(*ast.GenDecl)
			return !ok || d.Tok == token.CONST
		case *ast.KeyValueExpr:
			return p.Key == n
		case *ast.BinaryExpr:
			if p.Op == token.SHL || p.Op == token.SHR {
				return true
			}
			return s.Source.Info.Types[p].Value != nil
		case ast.Expr:
			return s.Source.Info.Types[p].Value != nil
		}
		return false
	}
}

// plainLine reports whether an expression stands on the first line of the
// innermost statement around it, in a function that may be changed.
func (s *scope) plainLine(x ast.Expr) bool {
	parents := s.Source.Parents()
	for n := parents[x]; n != nil; n = parents[n] {
		switch n.(type) {
		case *ast.BlockStmt, *ast.LabeledStmt:
		case ast.Stmt:
			return s.Source.Line(n.Pos()) == s.Source.Line(x.Pos())
		}
	}
	return false
}
