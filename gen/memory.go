package gen

import (
	"go/token"
	"math/rand/v2"
	"slices"

	"misstep/dap"
)

// flatTypes have no addresses in their memory, which differ from run to run.
var flatTypes = []string{"string", "[]uint8", "[]int", "[]int32", "[]float64", "[]bool"}

// Memory reads that of a string or a slice that a pause shows.
func Memory(r *rand.Rand, p *dap.Pause) (dap.Action, bool) {
	v, ok := shown(r, p, func(v dap.Variable) bool { return slices.Contains(flatTypes, v.Type) })
	return dap.Action{Kind: dap.Memory, Name: v.Name}, ok
}

// shown is one of the variables that a pause shows under their plain names and that fit.
func shown(r *rand.Rand, p *dap.Pause, fits func(dap.Variable) bool) (dap.Variable, bool) {
	var can []dap.Variable
	for _, s := range p.Scopes {
		for _, v := range s.Vars {
			if token.IsIdentifier(v.Name) && fits(v) {
				can = append(can, v)
			}
		}
	}
	if len(can) == 0 {
		return dap.Variable{}, false
	}
	return pick(r, can), true
}
