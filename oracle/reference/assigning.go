package reference

import (
	"slices"

	"misstep/dap"
	"misstep/gen"
	"misstep/history"
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
		if !ok || a.Kind != dap.SetVar && a.Kind != dap.Call || a.Frame > 0 || a.Thread > 0 {
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
		n := len(a.Name) + len(a.Value)
		if a.Kind == dap.Call {
			if a, ok := doing(w, func(of int) int { return n % of }, v, g.m); ok {
				return a, true
			}
			continue
		}
		sets := given(w)
		if len(sets) == 0 {
			continue
		}
		s := sets[n%len(sets)]
		return dap.Action{Kind: dap.SetVar, Name: s.Name, Value: s.Value}, true
	}
}

// given are the assignments that the program can be recorded with at a statement, without the calls.
func given(w *history.Watched) []history.Assignment {
	if w == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(w.Sets), func(s history.Assignment) bool { return s.Name == "" })
}

// doing is a call that the program can be recorded with at a statement, and that meets no breakpoint.
func doing(w *history.Watched, pick func(int) int, v gen.View, m *Model) (dap.Action, bool) {
	if w == nil {
		return dap.Action{}, false
	}
	calls := slices.DeleteFunc(slices.Clone(w.Sets), func(s history.Assignment) bool { return s.Name != "" })
	if len(calls) == 0 {
		return dap.Action{}, false
	}
	call := calls[pick(len(calls))].Value
	if gen.StopsIn("call "+call, v.Breakpoints(), m.declared) {
		return dap.Action{}, false
	}
	return dap.Action{Kind: dap.Call, Name: call}, true
}
