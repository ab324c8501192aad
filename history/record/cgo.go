package record

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"slices"

	"golang.org/x/tools/go/packages"

	"misstep/internal/gobuild"
)

// withoutCgo gives a package that imports C its files as they are written, in place of those that the cgo command has made of
// them: it is the former that are instrumented, and built by cgo after that. What is C's has no type.
func withoutCgo(pkg *packages.Package, p *gobuild.Program) error {
	if !slices.ContainsFunc(pkg.GoFiles, func(path string) bool { return !slices.Contains(pkg.CompiledGoFiles, path) }) {
		return nil
	}
	var files []*ast.File
	for _, path := range pkg.GoFiles {
		text, err := p.Read(path)
		if err != nil {
			return fmt.Errorf("reading %s: %w", path, err)
		}
		f, err := parser.ParseFile(pkg.Fset, path, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("parsing %s: %w", p.Name, err)
		}
		files = append(files, f)
	}
	imported := map[string]*types.Package{"unsafe": types.Unsafe}
	for _, q := range pkg.Types.Imports() {
		imported[q.Path()] = q
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{}, Scopes: map[ast.Node]*types.Scope{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, FileVersions: map[*ast.File]string{},
	}
	conf := types.Config{Importer: packagesOf(imported), FakeImportC: true, Sizes: pkg.TypesSizes, Error: func(error) {}}
	// What is wrong is what follows from types of C, as the package itself was checked.
	checked, _ := conf.Check(pkg.PkgPath, pkg.Fset, files, info)
	untyped(files, info)
	pkg.Syntax, pkg.Types, pkg.TypesInfo = files, checked, info
	return nil
}

// untyped gives the invalid type to expressions that the checker has given none, as what is made of C's: whoever asks for it finds one that
// is of no kind, in place of none.
func untyped(files []*ast.File, info *types.Info) {
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident, *ast.KeyValueExpr, *ast.Ellipsis: // of which others have none either
			case ast.Expr:
				if _, ok := info.Types[n]; !ok {
					info.Types[n] = types.TypeAndValue{Type: types.Typ[types.Invalid]}
				}
			}
			return true
		})
	}
}

// packagesOf imports those of a map.
type packagesOf map[string]*types.Package

// Import implements [types.Importer].
func (m packagesOf) Import(path string) (*types.Package, error) {
	if p := m[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("no package %s", path)
}
