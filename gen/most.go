package gen

import "misstep/dap"

// AtMost chooses what another chooser does, until so many actions were chosen.
func AtMost(c Chooser, n int) Chooser { return &bounded{c, n} }

// bounded is what AtMost gives.
type bounded struct {
	of   Chooser
	left int
}

// Next implements [Chooser].
func (b *bounded) Next(v View) (dap.Action, bool) {
	if b.left <= 0 {
		return dap.Action{}, false
	}
	b.left--
	return b.of.Next(v)
}
