package gen

import (
	"go/token"
	"go/types"
	"math/rand/v2"

	"misstep/dap"
)

// data is a breakpoint on what a variable, or a part of one, has in memory: mostly where it is written, and
// named in either way. What debuggers cannot watch is asked for as well.
func (g *Generator) data(p *dap.Pause, frame int) (dap.Action, bool) {
	e := newExprs(g.r, g.src, p, frame)
	if e == nil || len(e.atoms) == 0 {
		return dap.Action{}, false
	}
	x := pick(g.r, e.atoms)
	for range g.r.IntN(3) {
		if _, flat := x.typ.Underlying().(*types.Basic); flat {
			break
		}
		y, ok := e.part(x)
		if !ok {
			break
		}
		x = y
	}
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

// dataPoints are the breakpoints on data that are set.
func dataPoints(v View) (all []dap.Action) {
	for _, b := range v.Breakpoints() {
		if b.Kind == dap.DataBreak {
			all = append(all, b)
		}
	}
	return all
}

// Data is a breakpoint on a variable of a basic type that a pause shows, or the removal of one.
func Data(r *rand.Rand, v View, p *dap.Pause) (dap.Action, bool) {
	if all := dataPoints(v); len(all) > 2 {
		return pick(r, all).Removal(), true
	}
	var can []string
	for _, s := range p.Scopes {
		for _, x := range s.Vars {
			if types.Universe.Lookup(x.Type) != nil && x.Type != "string" && token.IsIdentifier(x.Name) {
				can = append(can, x.Name)
			}
		}
	}
	if len(can) == 0 {
		return dap.Action{}, false
	}
	return dap.Action{Kind: dap.DataBreak, Name: pick(r, can), As: pick(r, []string{"", "expression"})}, true
}
