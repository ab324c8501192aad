package gen

import (
	"math/rand/v2"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/internal/source"
)

// medleyQuestions is how much a [Medley] asks at a pause, at most, and medleyAsks how much in all.
const medleyQuestions, medleyAsks = 40, 160

// medleyMisuses is how many requests of a [Medley] should not come, at most: some change what is paused.
const medleyMisuses = 3

// restartAsks is in one of how many of its chances a [Medley] restarts the program, which it does once.
const restartAsks = 8

// oddLogs are messages of log points as people mistype them, with braces within, and with spaces, and oddConditions are conditions of which some cannot be
// evaluated.
var (
	oddLogs = []string{
		"", "", "{", "}", "{}", "{{1}}", "{ }", "a {1} b {2 + 3} c", "{nosuch}", "{1 +}", "{[]int{1, 2}[1]}", `{"a}"}`, `{ len("ab") }`, "{1}{2}{3}", "}{", "{1", "1}", "%d {1} %", "{1}\n{2}",
	}
	oddConditions = []string{"", "", "", "nosuch", "1", "nil == nil", "1 / 0 == 1", "true && nosuch", "false && nosuch", "runtime.curg != nil", "runtime.threadid > 0", "len(nosuch) > 1", "\"\"", "!true", " true "}
)

// earliest bounds after how many pauses a [Medley] changes the program that does not wait for its end with that.
const earliest = 6

// A Medley does in one session what a [Generator] does, and asks at its pauses what an [Asker] asks: a debugger's start costs more than
// dozens of questions.
type Medley struct {
	r       *rand.Rand
	acts    *Generator
	asks    *Asker
	at      *dap.Pause // where it asks
	left    int        // questions there
	asked   int
	misused int
	// free says that nothing but another debugger's answers is compared with what this one says.
	free      bool
	restarted bool
	deck      []card // what is dealt next
	changed   bool   // the finale has begun
	early     int    // after how many pauses it comes, if the program has not come to its end before; 0 if that is not bounded
}

// NewMedley makes the nth one of a campaign, which are dealt all there is to ask for in turn; what else it does depends on the seed, the configuration,
// the source, lines of other files than that has, and what the view shows. What only some sessions of a generator have, as little can be compared with
// those, more of these do. A free one is for what is compared with another debugger alone: it may have what is shown of the program be something else.
func NewMedley(nth int, seed uint64, cfg Config, src *source.Source, others []source.Place, free bool) *Medley {
	r := rand.New(rand.NewPCG(seed, 0x6d65646c6579))
	cfg.Extras, cfg.Features = max(cfg.Extras, 0.5), max(cfg.Features, 0.5)
	g := NewGenerator(seed, cfg, src)
	g.onData = g.onData || r.IntN(4) == 0
	g.byInstruction = g.byInstruction || r.IntN(4) == 0
	g.elsewhereToo = g.elsewhereToo || r.IntN(2) == 0
	if r.IntN(4) == 0 {
		g.plan = append(outside(r, src, 2, !free), g.plan...)
	}
	if r.IntN(2) == 0 {
		g.plan = append(atLines(r, others, 2), g.plan...)
	}
	for i := range g.plan {
		if a := &g.plan[i]; a.Kind == dap.Break && r.IntN(4) == 0 {
			a.Condition, a.Log = pick(r, oddConditions), pick(r, oddLogs)
		}
	}
	m := &Medley{r: r, acts: g, asks: &Asker{r: r, src: src}, free: free, deck: deck()}
	first := nth * dealtEach % len(m.deck)
	m.deck = slices.Concat(m.deck[first:], m.deck[:first])
	m.changed = !cfg.Assign || r.IntN(2) == 0
	if r.IntN(2) == 0 {
		m.early = 1 + r.IntN(earliest) // most programs end before there is nothing more to do
	}
	return m
}

// Next implements [Chooser].
func (m *Medley) Next(v View) (dap.Action, bool) {
	p := v.Pause()
	if v.Ended() || v.State() != dap.PausedState || p == nil || len(p.Stack) == 0 {
		m.asks.plan, m.at = nil, nil
		return m.acts.Next(v)
	}
	if p != m.at {
		m.at, m.left = p, m.r.IntN(medleyQuestions)
		if p.Exception() {
			return dap.Action{Kind: dap.Exception}, true // editors ask at once
		}
		if m.early--; m.early == 0 && !m.changed && len(m.asks.plan) == 0 {
			if all := m.change(v, p); len(all) > 0 {
				m.asks.plan = all[1:]
				return all[0], true
			}
		}
	}
	if len(m.asks.plan) > 0 {
		a := m.asks.plan[0]
		m.asks.plan = m.asks.plan[1:]
		return a, true
	}
	// What the generator has begun comes first: some of it belongs together.
	if m.left > 0 && m.asked < medleyAsks && len(m.acts.plan) == 0 {
		m.left--
		m.asked++
		switch n := m.r.IntN(24); {
		case n == 0 && m.misused < medleyMisuses:
			m.misused++
			return dap.Action{Kind: dap.Misuse, Name: pick(m.r, dap.Misuses("paused"))}, true
		case n == 1:
			// Where it stands; it is gone before the program runs on.
			a := dap.Action{Kind: dap.FuncBreak, Name: location(m.r, m.asks.src)}
			if !slices.ContainsFunc(v.Breakpoints(), func(b dap.Action) bool { return b.Name == a.Name }) {
				m.asks.plan = append(m.asks.plan, a.Removal())
				return a, true
			}
		case n == 2 && !m.restarted && m.r.IntN(restartAsks) == 0:
			m.restarted, m.acts.started = true, false
			return dap.Action{Kind: dap.Restart, Value: restarted(m.r, m.free), Running: m.r.IntN(6) == 0}, true
		case n == 3:
			// What cannot be read is rare, and asked for wherever it is.
			if all := Unreadable(p); len(all) > 0 {
				return dap.Action{Kind: dap.Evaluate, Name: pick(m.r, all), Context: pick(m.r, dap.Contexts)}, true
			}
		case n < 12:
			if all := m.deal(v, p); len(all) > 0 {
				m.asks.plan = append(m.asks.plan, all[1:]...)
				return all[0], true
			}
		case n < 18:
			return m.asks.question(v, p), true
		}
		frame := m.r.IntN(min(len(p.Stack), 4))
		if e, ok := Expression(m.r, m.asks.src, p, frame); ok && !strings.HasPrefix(e, "call ") && !StopsIn(e, v.Breakpoints(), DeclaredIn(m.asks.src)) {
			return dap.Action{Kind: dap.Evaluate, Frame: frame, Name: e, Context: pick(m.r, dap.Contexts)}, true
		}
	}
	a, ok := m.acts.Next(v)
	if !ok && !m.changed && !p.Exception() {
		if all := m.change(v, p); len(all) > 0 {
			m.asks.plan = all[1:]
			return all[0], true
		}
	}
	return a, ok
}
