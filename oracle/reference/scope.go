package reference

import (
	"go/token"
	"go/types"

	"misstep/dap"
	"misstep/history"
	"misstep/history/timeline"
)

// inScope lists the names of the local variables that a debugger may show at a step: those
// whose scopes are around it, and that are not declared on a later line; of each name the
// innermost first.
func (m *Model) inScope(x *timeline.Activation, s timeline.Step) (map[string][]*types.Var, bool) {
	_, pkg := m.Code.Node(x.Func)
	if pkg == nil || s.Node == nil {
		return nil, false
	}
	names := map[string][]*types.Var{}
	for scope := pkg.Scope(s.Node.Pos()); scope != nil && scope.Parent() != nil && scope.Parent() != types.Universe; scope = scope.Parent() {
		for _, name := range scope.Names() {
			if v, ok := scope.Lookup(name).(*types.Var); ok && pkg.Fset.PositionFor(v.Pos(), false).Line <= s.Last {
				names[name] = append(names[name], v)
			}
		}
	}
	return names, true
}

// shown is the variable that is shown under a name; the innermost of several.
func shown(scopes []dap.Scope, name string) *dap.Variable {
	var found *dap.Variable
	for si := range scopes {
		for vi := range scopes[si].Vars {
			if v := &scopes[si].Vars[vi]; v.Name == name {
				found = v
			}
		}
	}
	return found
}

// count is how many variables are shown.
func count(scopes []dap.Scope) int {
	n := 0
	for _, s := range scopes {
		n += len(s.Vars)
	}
	return n
}

// declaredBefore reports whether a variable that a step can see is declared on a line before
// it: where another iteration of a loop comes, debuggers need not show what its head declares.
func (m *Model) declaredBefore(x *timeline.Activation, s timeline.Step, name string) bool {
	_, pkg := m.Code.Node(x.Func)
	if pkg == nil || s.Node == nil {
		return true
	}
	vars, _ := m.inScope(x, s)
	return len(vars[name]) > 0 && pkg.Fset.PositionFor(declaredAt(pkg, vars[name][0]), false).Line < s.First
}

// declaredAt is where the compiler says that a variable is declared: that of a type switch is in each
// clause.
func declaredAt(pkg *history.Package, v *types.Var) token.Pos {
	for n, obj := range pkg.Info.Implicits {
		if obj == v {
			return n.Pos()
		}
	}
	return v.Pos()
}
