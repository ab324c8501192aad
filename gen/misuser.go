package gen

import (
	"math/rand/v2"

	"misstep/dap"
)

// How many misuses of each moment a [Misuser] makes; a refusal takes milliseconds.
const earlyMisuses, configuringMisuses, pausedMisuses, endedMisuses = 10, 24, 12, 14

// A Misuser chooses a session full of requests that come when they should not.
type Misuser struct {
	// Early are those that come before the program is launched.
	Early []string
	plan  []dap.Action
}

// NewMisuser makes one whose choices depend on the seed alone.
func NewMisuser(seed uint64) *Misuser {
	r := rand.New(rand.NewPCG(seed, 0x77726f6e))
	some := func(when string, n int) []string {
		names := dap.Misuses(when)
		r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		return names[:min(n, len(names))]
	}
	m := &Misuser{Early: append(some("early", earlyMisuses), some("configuring", configuringMisuses)...)}
	m.plan = []dap.Action{{Kind: dap.FuncBreak, Name: "main.main"}, {Kind: dap.Continue}}
	for range 2 {
		for _, name := range some("paused", pausedMisuses) {
			m.plan = append(m.plan, dap.Action{Kind: dap.Misuse, Name: name})
		}
		m.plan = append(m.plan, dap.Action{Kind: dap.Next})
	}
	if r.IntN(2) == 0 {
		// The program is asked to pause wherever it is, which is often its end, and stepped from there.
		m.plan = append(m.plan, dap.Action{Kind: dap.Interrupt}, dap.Action{Kind: dap.Stack}, dap.Action{Kind: dap.Threads},
			dap.Action{Kind: dap.Next}, dap.Action{Kind: dap.Interrupt}, dap.Action{Kind: dap.StepOut})
	}
	m.plan = append(m.plan, dap.Action{Kind: dap.Finish})
	for _, name := range some("ended", endedMisuses) {
		m.plan = append(m.plan, dap.Action{Kind: dap.Misuse, Name: name})
	}
	return m
}

// Next implements [Chooser]. What needs a pause is left out where there is none.
func (m *Misuser) Next(v View) (dap.Action, bool) {
	for len(m.plan) > 0 {
		a := m.plan[0]
		m.plan = m.plan[1:]
		if v.Pause() == nil && (a.Kind.Steps() || a.Kind == dap.Interrupt || a.Kind == dap.Stack || a.Kind == dap.Threads) {
			continue
		}
		return a, true
	}
	return dap.Action{}, false
}
