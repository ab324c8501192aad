package gen

import (
	"math/rand/v2"
	"strings"

	"misstep/dap"
	"misstep/internal/source"
)

// A card is one thing that can be asked for where a program is paused. What comes by chance alone comes too seldom in a hunt of a minute:
// each card is dealt once before any is dealt again. It has no actions where there is nothing of the kind.
type card func(m *Medley, v View, p *dap.Pause) []dap.Action

// dealtEach is how far apart two [Medley]s begin in the deck, so that eight in a row begin all over it, and
// passedOver how many cards in a row that do not fit a pause are left for another.
const dealtEach, passedOver = 47, 6

// longName is how long an expression is that comes with a variable and is more than a name or two.
const longName = 40

// deck is all cards, in the same mixed order each time.
func deck() []card {
	var all []card
	add := func(cards ...card) { all = append(all, cards...) }
	for _, command := range prompts {
		add(func(*Medley, View, *dap.Pause) []dap.Action { return []dap.Action{prompted(command)} })
	}
	add(func(_ *Medley, _ View, p *dap.Pause) []dap.Action { return []dap.Action{files(p)} })
	for _, base := range bases {
		add(one(func(m *Medley, _ View, p *dap.Pause) (dap.Action, bool) { return examine(m.r, p, base) }))
	}
	for _, k := range askings {
		ask := func(m *Medley, _ View, p *dap.Pause) []dap.Action {
			return k.requests(m.r, m.asks.src, p, m.r.IntN(min(len(p.Stack), 4)))
		}
		add(ask, ask)
	}
	for n := range forms {
		add(one(func(m *Medley, v View, p *dap.Pause) (dap.Action, bool) { return m.wrong(v, p, n) }))
	}
	for n := range amendments {
		add(one(func(m *Medley, v View, p *dap.Pause) (dap.Action, bool) { return m.acts.amended(v, p, n) }))
	}
	for _, context := range dap.Contexts {
		add(one(func(m *Medley, _ View, p *dap.Pause) (dap.Action, bool) {
			text, ok := m.acts.part(p, 0)
			return dap.Action{Kind: dap.Evaluate, Name: text, Context: context}, ok
		}), one(func(m *Medley, v View, p *dap.Pause) (dap.Action, bool) { return m.call(v, p, context) }))
	}
	for _, access := range []string{"", "", "read", "readWrite"} {
		for _, as := range []string{"", "expression"} {
			add(one(func(m *Medley, v View, p *dap.Pause) (dap.Action, bool) {
				a, ok := Data(m.r, v, p)
				if a.Kind == dap.DataBreak {
					a.Access, a.As = access, as
				}
				return a, ok
			}))
		}
	}
	for _, a := range []dap.Action{
		{Kind: dap.Threads}, {Kind: dap.Exception}, {Kind: dap.Stack, Page: 1}, {Kind: dap.Stack, Page: 3}, {Kind: dap.Vars, Page: 3}, {Kind: dap.Vars, Page: 64},
		{Kind: dap.Disas}, {Kind: dap.Disas, Offset: 1}, {Kind: dap.Disas, Offset: 50}, {Kind: dap.Disas, Offset: 400},
	} {
		add(func(*Medley, View, *dap.Pause) []dap.Action { return []dap.Action{a} })
	}
	// Who asks twice for a pause, as people do, is not to find that the program stops once more when it is let run.
	pause := func(m *Medley, _ View, _ *dap.Pause) []dap.Action {
		return []dap.Action{{Kind: dap.Misuse, Name: "pause-paused"}, {Kind: pick(m.r, []dap.Kind{dap.Next, dap.Continue, dap.StepOut})}}
	}
	add(pause, pause, pause)
	whole := one(func(m *Medley, _ View, p *dap.Pause) (dap.Action, bool) {
		all := lengths(p)
		if len(all) == 0 {
			return dap.Action{}, false
		}
		return dap.Action{Kind: dap.Vars, Page: pick(m.r, all)}, true
	})
	memory := one(func(m *Medley, _ View, p *dap.Pause) (dap.Action, bool) { return Memory(m.r, p) })
	instruction := one(func(_ *Medley, _ View, p *dap.Pause) (dap.Action, bool) {
		return dap.Action{Kind: dap.InstBreak, Name: p.Top().Place}, p.Top().Place != ""
	})
	here := one(func(m *Medley, v View, p *dap.Pause) (dap.Action, bool) { return m.acts.breakHere(v, p) })
	within := one(func(m *Medley, _ View, p *dap.Pause) (dap.Action, bool) {
		frame := m.r.IntN(min(len(p.Stack), 4))
		text, ok := m.acts.part(p, frame)
		return dap.Action{Kind: dap.Evaluate, Frame: frame, Name: text}, ok
	})
	// Clients watch what is shown by the expressions that it comes with: those of parts, and long ones, are the ones that may be wrong.
	its := func(wanted func(v *dap.Variable) bool) card {
		return one(func(m *Medley, _ View, p *dap.Pause) (dap.Action, bool) {
			all := itsNames(p, wanted)
			if len(all) == 0 {
				return dap.Action{}, false
			}
			return dap.Action{Kind: dap.Evaluate, Name: pick(m.r, all), Context: pick(m.r, []string{"", "", "hover", "variables"})}, true
		})
	}
	part := func(v *dap.Variable) bool { return strings.ContainsAny(v.EvaluateName(), ".[(*") }
	entry := func(v *dap.Variable) bool { return strings.ContainsAny(v.EvaluateName(), "[\"`") }
	long := func(v *dap.Variable) bool { return len(v.EvaluateName()) > longName }
	add(its(part), its(part), its(entry), its(entry), its(long), its(long))
	add(func(m *Medley, _ View, p *dap.Pause) []dap.Action { return rewritten(m.r, p) })
	add(whole, memory, memory, memory, instruction, here, here, within, within, within)
	mixed := rand.New(rand.NewPCG(0x6465616c, 0))
	mixed.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// one makes a card of what makes an action, or none.
func one(of func(m *Medley, v View, p *dap.Pause) (dap.Action, bool)) card {
	return func(m *Medley, v View, p *dap.Pause) []dap.Action {
		if a, ok := of(m, v, p); ok {
			return []dap.Action{a}
		}
		return nil
	}
}

// deal is what the next card that fits asks for. Those that do not stay next.
func (m *Medley) deal(v View, p *dap.Pause) []dap.Action {
	for i := range min(passedOver, len(m.deck)) {
		if all := m.deck[i](m, v, p); len(all) > 0 {
			m.deck = append(m.deck[:i], m.deck[i+1:]...)
			return all
		}
	}
	if len(m.deck) > passedOver {
		m.deck = append(m.deck[1:], m.deck[0]) // one that fits nowhere holds nothing up
	}
	return nil
}

// wrong is an expression of the nth form that makes no sense.
func (m *Medley) wrong(v View, p *dap.Pause, n int) (dap.Action, bool) {
	w := newWrong(m.r, m.asks.src, p, 0)
	if w == nil {
		return dap.Action{}, false
	}
	text := w.formed(w.operand(), n)
	fits := len(text) <= maxText && !StopsIn(text, v.Breakpoints(), DeclaredIn(m.asks.src))
	return dap.Action{Kind: dap.Evaluate, Name: text, Context: pick(m.r, dap.Contexts)}, fits
}

// call calls a function that leaves no trace.
func (m *Medley) call(v View, p *dap.Pause, context string) (dap.Action, bool) {
	src, at := m.asks.src, source.Place{File: p.Top().File, Line: p.Top().Line}
	text, ok := CallAt(m.r, src, at, src.Locals(at))
	return dap.Action{Kind: dap.Evaluate, Name: text, Context: context}, ok && !StopsIn(text, v.Breakpoints(), DeclaredIn(src))
}
