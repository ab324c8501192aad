package reference

import (
	"misstep/dap"
	"misstep/gen"
)

// Assigning is a chooser whose assignments are those that the program can be recorded with;
// where there are none, it makes none.
func (m *Model) Assigning(g gen.Chooser) gen.Chooser { return &assigning{m: m, Chooser: g} }

type assigning struct {
	m *Model
	gen.Chooser
	out bool // the last step was one out, so that the pause may be within a statement
}

// Next implements [gen.Chooser].
func (g *assigning) Next(v gen.View) (dap.Action, bool) {
	for {
		a, ok := g.Chooser.Next(v)
		if !ok || a.Kind != dap.SetVar || a.Frame > 0 || a.Thread > 0 {
			if a.Kind.Resumes() {
				g.out = a.Kind == dap.StepOut
			}
			return a, ok
		}
		if g.out {
			continue
		}
		p := v.Pause()
		if p == nil || len(p.Stack) == 0 {
			continue
		}
		w := g.m.LineAt(p.Top().File, p.Top().Line).Watched
		if w == nil || len(w.Sets) == 0 {
			continue
		}
		s := w.Sets[(len(a.Name)+len(a.Value))%len(w.Sets)]
		return dap.Action{Kind: dap.SetVar, Name: s.Name, Value: s.Value}, true
	}
}
