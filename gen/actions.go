package gen

import (
	"math/rand/v2"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/internal/source"
)

// A Config sets how many actions are generated and of which kind. The first
// four are those of Lehmann and Pradel (section 5.1).
type Config struct {
	Breakpoints float64 // chance that a line gets one
	Most        int     // breakpoints at most
	Removals    float64 // chance that one is removed again
	Actions     int     // execution actions at most
	Extras      float64 // chance that something else is asked after a pause
	Features    float64 // chance that a breakpoint has a condition, a hit condition or a log message
	Assign      bool    // set variables to other values
	// Functions: a breakpoint at each function and nothing but pauses there, which builds of all kinds can be compared by.
	Functions bool
}

// DefaultConfig is what a hunt uses.
func DefaultConfig() Config {
	return Config{Breakpoints: 0.1, Most: 8, Removals: 0.2, Actions: 20, Extras: 0.35, Features: 0.4, Assign: true}
}

// A View is what the debugger has shown, as far as the choice of the next
// action depends on it. A *dap.Session is one.
type View interface {
	State() dap.State
	Ended() bool
	Pause() *dap.Pause
	Breakpoints() []dap.Action
	Threads() []*dap.Pause
}

// A Generator chooses actions.
type Generator struct {
	r    *rand.Rand
	cfg  Config
	src  *source.Source
	code []source.Place

	plan    []dap.Action // what is to be done before the program starts
	started bool
	exec    int
	extra   bool // the last action was an extra
	onData  bool // sets data breakpoints
	doer    *Doer
	// concurrent says that the program starts goroutines, or has been seen to have several.
	concurrent bool
	// chase is how many more questions there are about other threads at this pause: the list comes first, then a stack.
	chase int
	// elsewhereToo says that other threads than the one that has paused are stepped.
	elsewhereToo bool
	// byInstruction says that some of the steps are of one instruction, after which no other program or build
	// can be compared with.
	byInstruction bool
}

// Kinds is a multiple of how many sessions there are for each one of a kind that is rare, here and of tours: the remainder
// of a session's seed tells what kind it is.
const Kinds = 48

// How many sessions there are for each one with data breakpoints, which pause it again and again, and for
// each one with steps by instruction.
const dataSessions, instructionSessions = 12, 16

// threadSessions is how many sessions of a program with several goroutines there are for each one in which others than
// the paused one are stepped.
const threadSessions = 4

// NewGenerator makes a generator whose choices depend on the seed, the source
// and what the view shows, and on nothing else.
func NewGenerator(seed uint64, cfg Config, src *source.Source) *Generator {
	g := &Generator{
		r: rand.New(rand.NewPCG(seed, 0x6d697373)), cfg: cfg, src: src, code: src.Code(), onData: seed%dataSessions == 3, byInstruction: seed%instructionSessions == 5,
		concurrent: src.Concurrent(), elsewhereToo: seed%threadSessions == 2,
	}
	g.planBreakpoints()
	return g
}

// A Chooser chooses the next action from what a debugger has shown; ok is false when there
// is nothing more to do.
type Chooser interface {
	Next(View) (a dap.Action, ok bool)
}

// Next is the next action; ok is false when there is nothing more to do.
func (g *Generator) Next(v View) (a dap.Action, ok bool) {
	if len(g.plan) > 0 {
		a, g.plan = g.plan[0], g.plan[1:]
		return a, true
	}
	if v.Ended() {
		return dap.Action{}, false
	}
	if !g.started {
		g.started = true
		return dap.Action{Kind: dap.Continue}, true
	}
	if v.State() != dap.PausedState || g.exec >= g.cfg.Actions {
		return dap.Action{}, false
	}
	p := v.Pause()
	if g.chase > 0 {
		g.chase--
		if a, ok := g.elsewhere(v); ok {
			return a, true
		}
	}
	if p != nil && len(p.Stack) > 0 && !g.extra && g.r.Float64() < g.cfg.Extras {
		if a, ok := g.extras(v, p); ok {
			g.extra = g.r.Float64() < 0.5 // maybe another one right after
			return a, true
		}
	}
	if g.elsewhereToo && g.concurrent && !g.extra && len(v.Threads()) == 0 && g.r.IntN(2) == 0 {
		g.extra = true
		return dap.Action{Kind: dap.Threads}, true
	}
	g.extra = false
	g.exec++
	return g.execution(v, p), true
}

// execution is the third part of algorithm 1: each of the four with the same
// chance. Where the program has left its own source, the way back is likelier;
// after a panic there is nothing to step through.
func (g *Generator) execution(v View, p *dap.Pause) dap.Action {
	if g.cfg.Functions {
		return dap.Action{Kind: dap.Continue}
	}
	kinds := []dap.Kind{dap.Continue, dap.Next, dap.StepIn, dap.StepOut}
	if p != nil {
		switch {
		case p.Reason == "exception":
			kinds = kinds[:1]
		case !g.src.Own(p.Top().File) && g.r.Float64() < 0.8:
			kinds = []dap.Kind{dap.StepOut, dap.Continue}
		}
	}
	a := dap.Action{Kind: pick(g.r, kinds)}
	if g.byInstruction && a.Kind != dap.Continue && a.Kind != dap.StepOut {
		a.Instruction = g.r.IntN(3) == 0
	}
	if others := len(v.Threads()); g.elsewhereToo && others > 1 && a.Kind.Steps() && g.r.IntN(2) == 0 {
		a.Thread = 1 + g.r.IntN(others)
	}
	return a
}

// extras is everything else that a user does while the program is paused. The weights, of
// 100: a third evaluates, as expressions have the most that can differ; a fifth sets
// breakpoints and a tenth asks for variables and for stacks, as users do; restarts, lists and
// disassembly are rare, as each costs much or can show little. What is left does nothing.
func (g *Generator) extras(v View, p *dap.Pause) (dap.Action, bool) {
	if p.Reason == "exception" {
		return g.post(p)
	}
	frame := 0
	if user := userFrames(g.src.Own, p); len(user) > 0 && g.r.Float64() < 0.4 {
		frame = pick(g.r, user)
	}
	if g.cfg.Functions {
		return pick(g.r, []dap.Action{{Kind: dap.Vars, Frame: frame}, {Kind: dap.Stack}}), true
	}
	if g.onData && g.r.IntN(3) == 0 {
		return g.data(v, p, frame)
	}
	g.concurrent = g.concurrent || len(v.Threads()) > 1
	if g.concurrent && g.r.IntN(6) == 0 {
		g.chase = 2 + g.r.IntN(5)
		return g.elsewhere(v)
	}
	switch n := g.r.IntN(100); {
	case n < 2:
		return Prompt(g.r, p)
	case n < 6:
		if e, ok := Wrong(g.r, g.src, p, frame); ok && !StopsIn(e, v.Breakpoints(), DeclaredIn(g.src)) {
			return dap.Action{Kind: dap.Evaluate, Frame: frame, Name: e, Context: pick(g.r, dap.Contexts)}, true
		}
	case n < 36:
		text := g.expression
		if n < 11 {
			text = g.part
		}
		// What is called and interrupted leaves the session somewhere else: that is seldom wanted.
		if e, ok := text(p, frame); ok && (!StopsIn(e, v.Breakpoints(), DeclaredIn(g.src)) || g.r.IntN(60) == 0) {
			a := dap.Action{Kind: dap.Evaluate, Frame: frame, Name: e}
			if g.r.IntN(2) == 0 {
				a.Context = pick(g.r, dap.Contexts)
			}
			return a, true
		}
	case n < 45:
		if g.r.IntN(5) == 0 {
			frame = g.r.IntN(len(p.Stack)) // of whoever
		}
		return dap.Action{Kind: dap.Vars, Frame: frame, Page: pick(g.r, pages(p))}, true
	case n < 53:
		return dap.Action{Kind: dap.Stack, Page: pick(g.r, []int{0, 1, 2, 3})}, true
	case n < 55:
		return dap.Action{Kind: dap.Threads}, true
	case n < 57:
		return dap.Action{Kind: dap.Disas, Frame: frame, Offset: pick(g.r, []int{0, 0, 0, 1, 3})}, true
	case n < 58:
		return dap.Action{Kind: dap.Exception}, true
	case n < 66:
		return g.breakHere(v, p)
	case n < 72:
		return g.amend(v, p)
	case n < 80:
		if bs := v.Breakpoints(); len(bs) > 0 {
			return pick(g.r, bs).Removal(), true
		}
	case n < 84:
		if funcs := g.src.Funcs(); len(funcs) > 0 {
			return g.entry(pick(g.r, funcs)), true
		}
	case n < 88:
		if place := p.Top().Place; place != "" {
			return dap.Action{Kind: dap.InstBreak, Name: place}, true
		}
	case n < 94:
		return g.assignment(v, p, frame)
	case n < 97:
		return Memory(g.r, p)
	case n < 98:
		g.started = false
		return dap.Action{Kind: dap.Restart}, true
	}
	return dap.Action{}, false
}

// post is what is asked where the program went wrong: what it is about, and who has called what with which values, in frames of
// the runtime as well.
func (g *Generator) post(p *dap.Pause) (dap.Action, bool) {
	frame := g.r.IntN(max(len(p.Stack), 1))
	if user := userFrames(g.src.Own, p); len(user) > 0 && g.r.IntN(2) == 0 {
		frame = pick(g.r, user)
	}
	switch g.r.IntN(6) {
	case 0, 1:
		return dap.Action{Kind: dap.Exception}, true
	case 2, 3:
		return dap.Action{Kind: dap.Vars, Frame: frame}, true
	case 4:
		return dap.Action{Kind: dap.Stack, Page: pick(g.r, []int{0, 1, 3})}, true
	}
	e, ok := g.expression(p, frame)
	return dap.Action{Kind: dap.Evaluate, Frame: frame, Name: e}, ok && !strings.HasPrefix(e, "call ")
}

// part is a variable, or a part of one of any type, as people watch them: what is shown of it there is shown where it is
// a part, too.
func (g *Generator) part(p *dap.Pause, frame int) (string, bool) {
	e := newExprs(g.r, g.src, p, frame)
	if e == nil || len(e.atoms) == 0 {
		return "", false
	}
	return e.within(pick(g.r, e.atoms)).text, true
}

// userFrames lists the frames above the innermost that lie in the program's
// own source.
func userFrames(own func(file string) bool, p *dap.Pause) []int {
	var user []int
	for i, f := range p.Stack {
		if i > 0 && own(f.File) {
			user = append(user, i)
		}
	}
	return user
}

// assignment gives a variable or a part of one another value. Sometimes it is looked at after that;
// one of a caller always is, as nothing else says whether it was assigned to.
func (g *Generator) assignment(v View, p *dap.Pause, frame int) (dap.Action, bool) {
	if !g.cfg.Assign {
		return dap.Action{}, false
	}
	if frame > 0 && g.r.Float64() > 0.35 {
		return dap.Action{}, false // seldom, as what follows is another run than the recorded one
	}
	if frame == 0 && g.r.IntN(3) == 0 {
		return g.call(v, p)
	}
	e := newExprs(g.r, g.src, p, frame)
	if e == nil {
		return dap.Action{}, false
	}
	e.atoms = slices.DeleteFunc(e.atoms, func(x typed) bool { return g.src.Pkg.Scope().Lookup(x.text) != nil })
	name, value, ok := e.assignment(len(e.atoms))
	if !ok {
		return dap.Action{}, false
	}
	a := dap.Action{Kind: dap.SetVar, Frame: frame, Name: name, Value: value}
	if frame > 0 || g.r.Float64() < 0.3 {
		g.plan = append(g.plan, pick(g.r, []dap.Action{{Kind: dap.Vars, Frame: frame}, {Kind: dap.Evaluate, Frame: frame, Name: a.Name}}))
	}
	return a, true
}

// call has a function called for what it does.
func (g *Generator) call(v View, p *dap.Pause) (dap.Action, bool) {
	if g.doer == nil {
		g.doer = NewDoer(g.src)
	}
	at := source.Place{File: p.Top().File, Line: p.Top().Line}
	for range 4 {
		call, ok := g.doer.CallAt(g.r, at, g.src.Locals(at))
		if ok && !StopsIn("call "+call, v.Breakpoints(), DeclaredIn(g.src)) {
			return dap.Action{Kind: dap.Call, Name: call}, true
		}
	}
	return dap.Action{}, false
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }
