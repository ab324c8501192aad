package pointsto

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// library makes the constraints of a function that is not analysed by its body.
func (a *analysis) library(f *function) {
	in, out := a.groupsOf(f.fn)
	for i, t := range f.types {
		in.take(f.params[i], a.lay.of(t))
	}
	out.give(f.results, a.lay.of(f.fn.Signature.Results()))
}

// groupsOf are the groups of what a function is given and of what it gives.
func (a *analysis) groupsOf(fn *ssa.Function) (in, out *group) {
	if r, ok := routes[nameOf(fn)]; ok {
		return a.group(r.in), a.group(r.out)
	}
	name := "external"
	if pkg := packageOf(fn); pkg != nil && isLibrary(pkg.Path()) {
		name = groupOf(pkg.Path())
	}
	g := a.group(name)
	return g, g
}

// borrow calls something that a group made: a method of a value in an interface, or a
// function. It may keep what it is given, or only pass it on.
func (a *analysis) borrow(site ssa.CallInstruction, g *group, sig *types.Signature, passes bool) {
	m := a.borrowed[site]
	if m == nil {
		m = map[*group]bool{}
		a.borrowed[site] = m
	}
	if m[g] {
		return
	}
	m[g] = true
	in := g
	if passes {
		in = a.group("passing")
	}
	for _, x := range site.Common().Args {
		in.take(a.value(x), a.lay.of(x.Type()))
	}
	if to := a.results(site); to >= 0 {
		g.give(to, a.lay.of(sig.Results()))
	}
}

// A localCall is a call of a function whose calls share nothing.
type localCall struct {
	site ssa.CallInstruction
	fn   *ssa.Function
}

func (a *analysis) localCall(site ssa.CallInstruction, f *function, l *localRoute) {
	base := ""
	if pkg := packageOf(f.fn); pkg != nil {
		base = groupOf(pkg.Path())
	}
	g := a.newGroup(f.fn.String(), base, l.manner)
	a.local[localCall{site, f.fn}] = g
	for _, x := range site.Common().Args {
		g.take(a.value(x), a.lay.of(x.Type()))
	}
	if to := a.results(site); to >= 0 {
		g.give(to, a.lay.of(f.fn.Signature.Results()))
	}
}
