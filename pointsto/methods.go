package pointsto

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// interfaceMethods are the methods of the interfaces that the library declares.
func interfaceMethods(prog *ssa.Program) map[string][]*types.Signature {
	known := map[string][]*types.Signature{}
	add := func(t types.Type) {
		i, ok := t.Underlying().(*types.Interface)
		if !ok {
			return
		}
		for m := range i.Methods() {
			sig := m.Signature()
			for _, other := range known[m.Name()] {
				if types.Identical(other, sig) {
					sig = nil
					break
				}
			}
			if sig != nil {
				known[m.Name()] = append(known[m.Name()], sig)
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
	return known
}

// declares tells whether a method is one of an interface that the library declares.
func (a *analysis) declares(m *types.Func) bool {
	for _, sig := range a.known[m.Name()] {
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
