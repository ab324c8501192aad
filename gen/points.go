package gen

import (
	"math/rand/v2"
	"slices"

	"misstep/dap"
	"misstep/internal/source"
)

// atLines are breakpoints at some of a list of lines.
func atLines(r *rand.Rand, lines []source.Place, most int) (points []dap.Action) {
	for _, i := range r.Perm(len(lines))[:min(len(lines), most)] {
		points = append(points, dap.Action{Kind: dap.Break, File: lines[i].File, Line: lines[i].Line})
	}
	return points
}

// atFunctions are breakpoints at some of a program's functions, none of which is generic: those have several places.
func atFunctions(r *rand.Rand, src *source.Source, most int) (points []dap.Action) {
	funcs := slices.DeleteFunc(src.Funcs(), func(f source.Func) bool { return f.Generic })
	for _, i := range r.Perm(len(funcs))[:min(len(funcs), most)] {
		points = append(points, dap.Action{Kind: dap.FuncBreak, Name: funcs[i].Name})
	}
	return points
}
