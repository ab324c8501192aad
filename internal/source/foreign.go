package source

import (
	"go/types"
	"slices"
	"strings"
)

// Foreign is something that the program uses of a package that it imports.
type Foreign struct {
	Text string // as the program writes it, such as os.Args
	Obj  types.Object
}

// Foreign lists the variables of imported packages that the program uses, and those of their types made of a
// basic one that a variable of its own has, as they are written at a place, in order. What the program does not use
// the linker may have left out. Variables that tell how the program was started are none of them.
func (s *Source) Foreign(at Place) []Foreign {
	s.foreignOnce.Do(func() {
		if s.Info != nil && s.Pkg != nil {
			s.foreign = s.used()
		}
	})
	var out []Foreign
	for _, obj := range s.foreign {
		// The name of a package is that of an import, of the file, unless something hides it.
		if name, ok := s.Lookup(at, obj.Pkg().Name()).(*types.PkgName); ok && name.Imported() == obj.Pkg() {
			out = append(out, Foreign{name.Name() + "." + obj.Name(), obj})
		}
	}
	return out
}

// circumstances are packages whose variables tell how and where the program runs, which is another way in each run.
var circumstances = map[string]bool{"os": true, "flag": true}

func (s *Source) used() []types.Object {
	found := map[types.Object]bool{}
	for _, obj := range s.Info.Uses {
		if v, ok := obj.(*types.Var); ok && v.Pkg() != nil && v.Pkg() != s.Pkg && v.Exported() && v.Parent() == v.Pkg().Scope() && !circumstances[v.Pkg().Path()] {
			found[v] = true
		}
	}
	for _, obj := range s.Info.Defs {
		v, ok := obj.(*types.Var)
		if !ok {
			continue
		}
		if n, ok := v.Type().(*types.Named); ok && n.TypeArgs() == nil && n.Obj().Pkg() != nil && n.Obj().Pkg() != s.Pkg && n.Obj().Exported() {
			if _, basic := n.Underlying().(*types.Basic); basic {
				found[n.Obj()] = true
			}
		}
	}
	var list []types.Object
	for obj := range found {
		list = append(list, obj)
	}
	slices.SortFunc(list, func(a, b types.Object) int {
		return strings.Compare(a.Pkg().Path()+"."+a.Name(), b.Pkg().Path()+"."+b.Name())
	})
	return list
}
