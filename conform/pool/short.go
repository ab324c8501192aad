package pool

import (
	"fmt"
	"path"

	"misstep/internal/gobuild"
	"misstep/script"
	"misstep/triage/reduce"
)

// mostSlices is how many slices of a program there are at most: the first have most of it.
const mostSlices = 4

// short are the programs to try sessions on in the place of one: itself, or slices of it if it is too long. Why says why there is none.
func (g *Grower) short(p *gobuild.Program) (short []*gobuild.Program, why string, err error) {
	if g.Lines == 0 {
		return []*gobuild.Program{p}, "", nil
	}
	files, target, err := gobuild.Pack(p)
	if err != nil {
		return nil, err.Error(), nil
	}
	whole := &script.Script{Files: files}
	n := whole.Lines()
	if n <= g.Lines {
		return []*gobuild.Program{p}, "", nil
	}
	slices := reduce.Slices(files, target, g.Lines)
	for i, files := range slices[:min(len(slices), mostSlices)] {
		dir, err := g.Env.Keeper.TempDir("slice")
		if err != nil {
			return nil, "", fmt.Errorf("making a folder for a slice: %w", err)
		}
		s, err := gobuild.Unpack(dir, path.Join(p.Name, fmt.Sprintf("slice-%d", i+1)), files, target, p.RunArgs, p.Test)
		if err != nil {
			return nil, "", err
		}
		short = append(short, s)
	}
	return short, fmt.Sprintf("has %d lines, and no slice of %d", n, g.Lines), nil
}
