package gen

import (
	"math/rand/v2"
	"slices"

	"misstep/dap"
	"misstep/internal/source"
)

// dealerCards is how many cards a [Dealer] deals in a session, and changes in one of how many it changes the program instead.
const dealerCards, changes = 4, 5

// A Dealer chooses short sessions: to a pause, where it asks the next few of all the things that can be asked for, or changes the program. It is for
// tests that are to be read, and for who wants all of them soon: [Medley]s ask them beside much else.
type Dealer struct {
	m    *Medley
	plan []dap.Action
	left int // cards to be dealt
	// alters says that it changes the program in their place.
	alters bool
}

// NewDealer makes the nth one of several, which are dealt all cards in turn; what else it does depends on the seed, the source, and what the view shows.
func NewDealer(n int, seed uint64, src *source.Source) *Dealer {
	r := rand.New(rand.NewPCG(seed, 0x6465616c6572))
	cfg := DefaultConfig()
	cfg.Assign = true
	d := &Dealer{m: &Medley{r: r, acts: NewGenerator(seed, cfg, src), asks: &Asker{r: r, src: src}, deck: deck()}, left: dealerCards}
	d.m.acts.plan = nil
	d.alters = n%changes == changes-1
	first := (n - n/changes) * dealerCards % len(d.m.deck)
	d.m.deck = slices.Concat(d.m.deck[first:], d.m.deck[:first])
	d.plan = append(atLines(r, src.Code(), 1+r.IntN(2)), dap.Action{Kind: dap.Continue})
	if r.IntN(3) == 0 {
		d.plan = append(d.plan, dap.Action{Kind: pick(r, []dap.Kind{dap.Next, dap.StepIn})})
	}
	return d
}

// Next implements [Chooser].
func (d *Dealer) Next(v View) (dap.Action, bool) {
	p := v.Pause()
	pauses := !v.Ended() && p != nil && len(p.Stack) > 0
	for pauses && len(d.plan) == 0 && d.left > 0 {
		d.left--
		if d.alters {
			d.plan, d.left = d.m.change(v, p), 0
		} else {
			d.plan = d.m.deal(v, p)
		}
	}
	if len(d.plan) == 0 || v.Ended() {
		return dap.Action{}, false
	}
	a := d.plan[0]
	d.plan = d.plan[1:]
	if a.Kind.Steps() && !pauses {
		return dap.Action{}, false
	}
	return a, true
}
