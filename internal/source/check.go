package source

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"runtime"
)

// Check type-checks an expression at the start of a line.
func (s *Source) Check(p Place, x ast.Expr) (*types.Info, error) {
	l, ok := s.find(p)
	if !ok || s.Pkg == nil {
		return nil, fmt.Errorf("%s is no place in the program", p)
	}
	return Check(s.Fset, s.Pkg, l.file.tok.LineStart(l.line), x)
}

// Check type-checks an expression at a position of a package.
func Check(fset *token.FileSet, pkg *types.Package, pos token.Pos, x ast.Expr) (*types.Info, error) {
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	if err := types.CheckExpr(fset, pkg, pos, x, info); err != nil {
		return nil, err
	}
	return info, nil
}

// Representable reports whether a variable can hold an expression's value: a constant without a type has to
// fit the type that it takes by default (Go specification, Constants).
func Representable(tv types.TypeAndValue) bool {
	if tv.Value == nil {
		return true
	}
	b, ok := types.Default(tv.Type).Underlying().(*types.Basic)
	if !ok || b.Info()&types.IsInteger == 0 {
		return true
	}
	v := constant.ToInt(tv.Value)
	switch b.Kind() {
	case types.Int32: // an untyped rune
		n, exact := constant.Int64Val(v)
		return exact && n == int64(int32(n))
	case types.Uint64, types.Uint, types.Uintptr:
		_, exact := constant.Uint64Val(v)
		return exact
	}
	_, exact := constant.Int64Val(v)
	return exact
}

// Assignable reports whether a variable of a type can be given a value, as check types it at a place (Go
// specification, Assignability).
func Assignable(t types.Type, value string, check func(ast.Expr) (*types.Info, error)) bool {
	x, err := parser.ParseExpr(value)
	if err != nil {
		return false
	}
	info, err := check(x)
	if err != nil {
		return false
	}
	tv := info.Types[x]
	if !tv.IsValue() {
		return false
	}
	b, basic := t.Underlying().(*types.Basic)
	from, untyped := tv.Type.(*types.Basic)
	numbers := basic && untyped && b.Info()&types.IsNumeric != 0 && from.Info()&types.IsUntyped != 0 && from.Info()&types.IsNumeric != 0
	if tv.Value == nil || !numbers {
		return types.AssignableTo(tv.Type, t)
	}
	// Whether a constant fits, a conversion of it says.
	_, err = check(&ast.CallExpr{Fun: ast.NewIdent(b.Name()), Args: []ast.Expr{x}})
	return err == nil
}

// check type-checks the files. It fails where the toolchain's export data is of a later form than this misstep was built to
// read, at which go/importer panics.
func (s *Source) check(conf *types.Config, files []*ast.File) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it is built by a toolchain that is newer than misstep's, %s: %v", runtime.Version(), r)
		}
	}()
	s.Pkg, _ = conf.Check(files[0].Name.Name, s.Fset, files, s.Info)
	return nil
}
