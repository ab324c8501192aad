package pointsto

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// libraryMethods are the methods of the interfaces that the library declares, and of
// its other types, by their names.
func libraryMethods(prog *ssa.Program) (known, provided map[string][]*types.Signature) {
	known, provided = map[string][]*types.Signature{}, map[string][]*types.Signature{}
	note := func(to map[string][]*types.Signature, m *types.Func) {
		if !has(to, m) {
			to[m.Name()] = append(to[m.Name()], m.Signature())
		}
	}
	add := func(t types.Type) {
		if i, ok := t.Underlying().(*types.Interface); ok {
			for m := range i.Methods() {
				note(known, m)
			}
		} else if n, ok := types.Unalias(t).(*types.Named); ok {
			for m := range n.Methods() {
				note(provided, m)
			}
		}
	}
	for _, p := range prog.AllPackages() {
		if !isLibrary(p.Pkg.Path()) {
			continue
		}
		scope := p.Pkg.Scope()
		for _, name := range scope.Names() {
			if t, ok := scope.Lookup(name).(*types.TypeName); ok {
				add(t.Type())
			}
		}
	}
	fset := token.NewFileSet()
	if f, err := parser.ParseFile(fset, "extra.go", extra, 0); err == nil {
		info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
		var conf types.Config
		if _, err := conf.Check("p", fset, []*ast.File{f}, info); err == nil {
			for _, tv := range info.Types {
				if tv.IsType() {
					add(tv.Type)
				}
			}
		}
	}
	return known, provided
}

// declares tells whether a method is one of an interface that the library declares.
func (a *analysis) declares(m *types.Func) bool { return has(a.known, m) }

// provides tells whether types of the library may have all methods of an interface.
func (a *analysis) provides(t *types.Interface) bool {
	for m := range t.Methods() {
		if !has(a.known, m) && !has(a.provided, m) {
			return false
		}
	}
	return true
}

func has(methods map[string][]*types.Signature, m *types.Func) bool {
	for _, sig := range methods[m.Name()] {
		if types.Identical(sig, m.Signature()) {
			return true
		}
	}
	return false
}

// methodsOf are the methods of a type.
func (a *analysis) methodsOf(lay *layout) []*types.Selection {
	if !lay.listed {
		lay.listed = true
		set := a.prog.MethodSets.MethodSet(lay.typ)
		for i := range set.Len() {
			lay.methods = append(lay.methods, set.At(i))
		}
	}
	return lay.methods
}
