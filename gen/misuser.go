package gen

import (
	"math/rand/v2"

	"misstep/dap"
	"misstep/internal/source"
)

// pausedTimes is how often a [Misuser] pauses for misuses.
const pausedTimes = 2

// How many misuses of each moment it makes; a refusal takes milliseconds.
const earlyMisuses, configuringMisuses, pausedMisuses, endedMisuses = 14, 28, 23, 20

// A Misuser chooses a session full of requests that come when they should not.
type Misuser struct {
	// Early are those that come before the program is launched.
	Early []string
	plan  []dap.Action
}

// NewMisuser makes the nth one of a campaign, which go through all misuses in turn; what else it does depends on the seed.
func NewMisuser(n int, seed uint64, src *source.Source) *Misuser {
	r := rand.New(rand.NewPCG(seed, 0x77726f6e))
	m := &Misuser{Early: append(misuses(r, "early", n, earlyMisuses), misuses(r, "configuring", n, configuringMisuses)...)}
	// Old debuggers have no breakpoints at functions.
	m.plan = append(atLines(r, src.Code(), 2), dap.Action{Kind: dap.FuncBreak, Name: "main.main"}, dap.Action{Kind: dap.Continue})
	for k := range pausedTimes {
		for _, name := range misuses(r, "paused", n*pausedTimes+k, pausedMisuses) {
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
	for _, name := range misuses(r, "ended", n, endedMisuses) {
		m.plan = append(m.plan, dap.Action{Kind: dap.Misuse, Name: name})
	}
	return m
}

// shortMisuses is how many misuses a short session has.
const shortMisuses = 5

// NewShortMisuser makes the nth of several sessions of a few misuses each, of one moment, which go through all in turn.
func NewShortMisuser(n int, seed uint64, src *source.Source) *Misuser {
	r := rand.New(rand.NewPCG(seed, 0x77726f6e))
	m := &Misuser{}
	// Most misuses are of pauses.
	moments := []string{"early", "paused", "configuring", "paused", "ended", "paused"}
	when, turn := moments[n%len(moments)], n/len(moments)
	switch when {
	case "early", "configuring":
		m.Early = misuses(r, when, turn, shortMisuses)
		return m
	case "paused":
		m.plan = append(atLines(r, src.Code(), 1), dap.Action{Kind: dap.Continue})
		turn = turn*3 + n%len(moments)/2
	case "ended":
		m.plan = []dap.Action{{Kind: dap.Finish}}
	}
	for _, name := range misuses(r, when, turn, shortMisuses) {
		m.plan = append(m.plan, dap.Action{Kind: dap.Misuse, Name: name})
	}
	return m
}

// misuses are the nth so many of a moment, which are in the same mixed order each time.
func misuses(r *rand.Rand, when string, n, most int) []string {
	names := dap.Misuses(when)
	mixed := rand.New(rand.NewPCG(0x6d6978, 0))
	mixed.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	var list []string
	for i := range min(most, len(names)) {
		list = append(list, names[(n*most+i)%len(names)])
	}
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
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
