package view

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"regexp"
	"strconv"

	"misstep/history"
)

// code is the recorded program, checked from the sources in its history alone. What
// packages that are not recorded hold is not known, and errors that follow from that
// are passed over.
func (s *sources) code() *history.Code {
	c := &checker{s: s, groups: map[group][]int{}, paths: map[string]group{}, done: map[group]*history.Package{}, unknown: map[string]*types.Package{}}
	var order []group
	of := func(file int) group { return group{filepath.Dir(s.plan.Files[file].Path), s.files[file].Name.Name} }
	for i, f := range s.files {
		if f == nil {
			continue
		}
		g := of(i)
		if c.groups[g] == nil {
			order = append(order, g)
		}
		c.groups[g] = append(c.groups[g], i)
	}
	for _, f := range s.plan.Funcs {
		if s.files[f.File] != nil {
			c.paths[f.Package] = of(f.File)
		}
	}
	rec := &history.Recording{Plan: s.plan}
	for _, g := range order {
		rec.Packages = append(rec.Packages, c.check(g))
	}
	return rec.Code()
}

// A group is the files of a package.
type group struct{ dir, name string }

// A checker checks the packages of a plan, each after those that it imports.
type checker struct {
	s       *sources
	groups  map[group][]int
	paths   map[string]group
	done    map[group]*history.Package
	unknown map[string]*types.Package
}

// check checks a package, once.
func (c *checker) check(g group) *history.Package {
	if p, ok := c.done[g]; ok {
		return p
	}
	p := &history.Package{Path: g.name, Fset: c.s.fset, Texts: map[string][]byte{}}
	for path, at := range c.paths {
		if at == g {
			p.Path = path
		}
	}
	p.Types = types.NewPackage(p.Path, g.name) // for those that import it in a circle
	c.done[g] = p
	for _, i := range c.groups[g] {
		p.Files = append(p.Files, c.s.files[i])
		p.Texts[c.s.plan.Files[i].Path] = []byte(c.s.plan.Files[i].Text)
	}
	p.Info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{},
		Instances: map[*ast.Ident]types.Instance{},
	}
	cfg := types.Config{Importer: c, FakeImportC: true, Error: func(error) {}}
	p.Types, _ = cfg.Check(p.Path, c.s.fset, p.Files, p.Info)
	return p
}

// Import is the package of a path: one of the plan, or what is guessed of another.
func (c *checker) Import(path string) (*types.Package, error) {
	if g, ok := c.paths[path]; ok {
		if p := c.check(g); p.Types != nil {
			return p.Types, nil
		}
	}
	if p, ok := c.unknown[path]; ok {
		return p, nil
	}
	p := types.NewPackage(path, packageName(path))
	c.unknown[path] = p
	for _, f := range c.s.files {
		if f != nil {
			declareCalled(p, f)
		}
	}
	p.MarkComplete()
	return p, nil
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// packageName is the name that a package most likely has.
func packageName(p string) string {
	if base := path.Base(p); majorVersion.MatchString(base) {
		return path.Base(path.Dir(p))
	}
	return path.Base(p)
}

// declareCalled declares the functions of an unknown package that a file calls, so
// that their calls are known to be of functions, which are not recorded.
func declareCalled(p *types.Package, f *ast.File) {
	name := ""
	for _, spec := range f.Imports {
		if at, _ := strconv.Unquote(spec.Path.Value); at != p.Path() {
			continue
		}
		name = p.Name()
		if spec.Name != nil {
			name = spec.Name.Name
		}
	}
	if name == "" {
		return
	}
	anything := types.NewSlice(types.Universe.Lookup("any").Type())
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if id, ok := sel.X.(*ast.Ident); ok && id.Name == name && p.Scope().Lookup(sel.Sel.Name) == nil {
			args := types.NewTuple(types.NewParam(token.NoPos, p, "", anything))
			p.Scope().Insert(types.NewFunc(token.NoPos, p, sel.Sel.Name, types.NewSignatureType(nil, nil, nil, args, nil, true)))
		}
		return true
	})
}
