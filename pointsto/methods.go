package pointsto

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
)

// A methodSet are the signatures of methods by their names.
type methodSet map[string][]*types.Signature

func (s methodSet) has(m *types.Func) bool {
	for _, sig := range s[m.Name()] {
		if types.Identical(sig, m.Signature()) {
			return true
		}
	}
	return false
}

func (s methodSet) add(m *types.Func) {
	if !s.has(m) {
		s[m.Name()] = append(s[m.Name()], m.Signature())
	}
}

// libraryMethods notes the methods of the interfaces that the library declares, and
// those of its other types, by the groups of their packages.
func (a *analysis) libraryMethods() {
	a.known, a.common, a.provided = methodSet{}, methodSet{}, map[string]methodSet{}
	interfaces := func(t types.Type, sets ...methodSet) {
		if i, ok := t.Underlying().(*types.Interface); ok {
			for m := range i.Methods() {
				for _, s := range sets {
					s.add(m)
				}
			}
		}
	}
	interfaces(types.Universe.Lookup("error").Type(), a.known, a.common)
	for _, p := range a.prog.AllPackages() {
		path := p.Pkg.Path()
		if !isLibrary(path) {
			continue
		}
		group := groupOf(path)
		if a.provided[group] == nil {
			a.provided[group] = methodSet{}
		}
		scope := p.Pkg.Scope()
		for _, name := range scope.Names() {
			t, ok := scope.Lookup(name).(*types.TypeName)
			if !ok {
				continue
			}
			interfaces(t.Type(), a.known)
			if path == "io" {
				// Many functions wrap these in types of their own.
				interfaces(t.Type(), a.common)
			}
			if n, ok := t.Type().(*types.Named); !ok || n.TypeParams().Len() > 0 || types.IsInterface(n) {
				continue
			}
			set := a.prog.MethodSets.MethodSet(types.NewPointer(t.Type()))
			for i := range set.Len() {
				a.provided[group].add(set.At(i).Obj().(*types.Func))
			}
		}
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "extra.go", extra, 0)
	if err != nil {
		panic(err) // it is a constant
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	if _, err := (&types.Config{}).Check("p", fset, []*ast.File{f}, info); err != nil {
		panic(err)
	}
	for _, tv := range info.Types {
		if tv.IsType() {
			interfaces(tv.Type, a.known, a.common)
		}
	}
}

// declares reports whether a method is one of an interface that the library declares.
func (a *analysis) declares(m *types.Func) bool { return a.known.has(m) }

// provides reports whether a type of a group's packages may have all methods of an
// interface.
func (g *group) provides(t *types.Interface) bool {
	for m := range t.Methods() {
		if !g.a.common.has(m) && !g.a.provided[g.base].has(m) {
			return false
		}
	}
	return true
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
