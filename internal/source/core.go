package source

import "go/types"

// Core is the underlying type of a type, and of a type parameter that of the types that it stands for, if they have one;
// nil if there is none, or no type. See the Go specification, core types, of before Go 1.25.
func Core(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	p, ok := types.Unalias(t).(*types.TypeParam)
	if !ok {
		return t.Underlying()
	}
	constraint, ok := p.Constraint().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	for e := range constraint.EmbeddedTypes() {
		switch u := e.(type) {
		case *types.Union:
			if u.Len() > 0 {
				return u.Term(0).Type().Underlying()
			}
		default:
			return u.Underlying()
		}
	}
	return nil
}
