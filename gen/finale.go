package gen

import "misstep/dap"

// assigned is how many variables a [Medley] sets at its end.
const assigned = 4

// change is the finale, which comes once.
func (m *Medley) change(v View, p *dap.Pause) []dap.Action {
	m.changed = true
	return m.finale(v, p)
}

// finale is what changes the program, of which a recorded run can follow only a part: assignments to variables of all kinds, each of which is
// looked at, bytes in memory, and a call of what leaves a trace.
func (m *Medley) finale(v View, p *dap.Pause) (all []dap.Action) {
	for range assigned {
		frame := 0
		if m.r.IntN(2) == 0 {
			frame = m.r.IntN(min(len(p.Stack), 4))
		}
		if e := newExprs(m.r, m.asks.src, p, frame); e != nil {
			if name, value, ok := e.assignment(len(e.atoms)); ok {
				look := pick(m.r, []dap.Action{{Kind: dap.Vars, Frame: frame}, {Kind: dap.Evaluate, Frame: frame, Name: name}})
				all = append(all, dap.Action{Kind: dap.SetVar, Frame: frame, Name: name, Value: value}, look)
			}
		}
	}
	if a, ok := Memory(m.r, p); ok {
		write := dap.Action{Kind: dap.WriteMem, Name: a.Name, Value: pick(m.r, []string{"61", "62 63", "00"})}
		all = append(all, write, a, dap.Action{Kind: dap.Vars})
	}
	if a, ok := m.acts.call(v, p); ok {
		all = append(all, a, dap.Action{Kind: dap.Vars})
	}
	return all
}
