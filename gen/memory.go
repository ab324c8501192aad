package gen

import (
	"fmt"
	"go/token"
	"math/rand/v2"
	"slices"
	"strconv"

	"misstep/dap"
)

// flatTypes have no addresses in their memory, which differ from run to run.
var flatTypes = []string{"string", "[]uint8", "[]int", "[]int32", "[]float64", "[]bool"}

// Memory reads that of a string or a slice that a pause shows.
func Memory(r *rand.Rand, p *dap.Pause) (dap.Action, bool) {
	v, ok := shown(r, p, func(v dap.Variable) bool { return slices.Contains(flatTypes, v.Type) })
	return dap.Action{Kind: dap.Memory, Name: v.Name}, ok
}

// rewritten reads the memory of a string that a pause shows, writes the same bytes there, and looks again: nothing is another.
func rewritten(r *rand.Rand, p *dap.Pause) []dap.Action {
	v, ok := shown(r, p, func(v dap.Variable) bool {
		text, err := strconv.Unquote(v.Value)
		return err == nil && v.Type == "string" && text != "" && len(text) <= dap.MemoryBytes
	})
	if !ok {
		return nil
	}
	text, _ := strconv.Unquote(v.Value)
	from := r.IntN(len(text))
	to := from + 1 + r.IntN(len(text)-from)
	read := dap.Action{Kind: dap.Memory, Name: v.Name}
	return []dap.Action{read, {Kind: dap.WriteMem, Name: v.Name, Offset: from, Value: fmt.Sprintf("% x", text[from:to])}, read, {Kind: dap.Vars}}
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
