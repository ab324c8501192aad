package gen

import (
	"go/types"
	"math/rand/v2"

	"misstep/dap"
)

// manyData bounds the data breakpoints of a session, as many as processors have room for.
const manyData = 4

// data is a data breakpoint on a variable, or on a part of one: mostly where it is written, and named in either
// way. What debuggers cannot watch is asked for as well. If there are many, one of them is removed.
func (g *Generator) data(v View, p *dap.Pause, frame int) (dap.Action, bool) {
	if all := dataPoints(v); len(all) >= manyData {
		return pick(g.r, all).Removal(), true
	}
	e := newExprs(g.r, g.src, p, frame)
	if e == nil || len(e.atoms) == 0 {
		return dap.Action{}, false
	}
	x := e.within(pick(g.r, e.atoms))
	a := dap.Action{Kind: dap.DataBreak, Frame: frame, Name: x.text}
	if g.r.IntN(6) == 0 {
		a.Access = pick(g.r, []string{"read", "readWrite"})
	}
	if g.r.IntN(2) == 0 || g.src.Pkg.Scope().Lookup(x.text) != nil {
		a.As = "expression"
	}
	if g.r.IntN(6) == 0 {
		g.feature(&a)
		a.Log = "" // DAP has none for data
	}
	return a, true
}

// dataPoints are the data breakpoints that are set.
func dataPoints(v View) (all []dap.Action) {
	for _, b := range v.Breakpoints() {
		if b.Kind == dap.DataBreak {
			all = append(all, b)
		}
	}
	return all
}

// Data is a data breakpoint on a variable of a basic type that a pause shows, or the removal of one.
func Data(r *rand.Rand, v View, p *dap.Pause) (dap.Action, bool) {
	if all := dataPoints(v); len(all) >= manyData {
		return pick(r, all).Removal(), true
	}
	x, ok := shown(r, p, func(x dap.Variable) bool { return types.Universe.Lookup(x.Type) != nil && x.Type != "string" })
	return dap.Action{Kind: dap.DataBreak, Name: x.Name, As: pick(r, []string{"", "expression"})}, ok
}
