package reference

import (
	"math/rand/v2"
	"slices"

	"misstep/dap"
	"misstep/gen"
	"misstep/history/timeline"
)

// A Tour chooses the actions of a session that goes where the history knows the
// truth: breakpoints of all kinds on lines that surely have code, steps into calls
// that happen, expressions that were computed, an assignment that was recorded.
type Tour struct {
	m      *Model
	r      *rand.Rand
	plan   []dap.Action
	left   int // execution actions
	assign bool
	counts bool // of a program with goroutines: only continue, to count hits
	asked  bool
	others bool // other goroutines than the one that has paused are stepped
	chase  int  // how many more questions there are about goroutines that have not paused
	// meanwhile says that something is asked for while the program runs.
	meanwhile bool
	data      bool // breakpoints are set on variables
	does      bool // a function is called that leaves a trace
	far       bool // a variable of a caller is assigned to, when there has been something to see
	calls     bool // functions are called at each pause, and none of them has a breakpoint
	called    int  // how many at this pause
	asks      bool // much is asked at each pause, as most mistakes are in what is seldom asked
	listed    bool // the goroutines have just been listed
	fails     int  // pauses because something went wrong
	out       bool // the last step was one out, so that the pause may be within a statement
}

// tourActions bounds the execution actions of a tour: at 2 to 8 ms each that is less than a
// second, and programs with more to see have several tours.
const tourActions = 100

// tourPoints bounds the breakpoints that are set on the way, so that most actions still are
// steps between them.
const tourPoints = 14

// mostFails is how often a program may go wrong before a tour ends.
const mostFails = 4

// Tour makes a tour. The model must have no reason why sessions cannot be judged.
func (m *Model) Tour(seed uint64, assign bool) *Tour {
	r := rand.New(rand.NewPCG(seed, 0x746f7572))
	t := &Tour{m: m, r: r, left: tourActions, assign: assign && !m.Concurrent() && r.IntN(3) > 0, counts: m.Concurrent() && r.IntN(2) == 0}
	var lines []*timeline.LineInfo
	for _, l := range m.Clears {
		if !l.Vague {
			lines = append(lines, l)
		}
	}
	if t.does = t.assign && r.IntN(3) > 0; t.does {
		lines = t.apart(lines)
	}
	if t.calls = seed%6 == 4 && !t.counts; t.calls {
		lines = slices.DeleteFunc(lines, func(l *timeline.LineInfo) bool { return len(callsAt(l.Watched)) == 0 })
		t.calls = len(lines) > 0
	}
	r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	if t.calls {
		for _, l := range lines[:min(len(lines), callLines)] {
			t.plan = append(t.plan, dap.Action{Kind: dap.Break, File: l.File, Line: l.Line})
		}
		t.plan = append(t.plan, t.entriesWithCalls()...)
		t.plan = append(t.plan, dap.Action{Kind: dap.Continue})
		return t
	}
	kinds := []func(l *timeline.LineInfo, a *dap.Action){
		func(*timeline.LineInfo, *dap.Action) {},
		t.condition, t.log, t.hit, t.condition,
		func(*timeline.LineInfo, *dap.Action) {},
		t.condition, t.log, t.conditionalLog,
	}
	if t.counts {
		plain, log := func(*timeline.LineInfo, *dap.Action) {}, func(_ *timeline.LineInfo, a *dap.Action) { a.Log = "here" }
		kinds = []func(*timeline.LineInfo, *dap.Action){plain, log, plain, log, plain, log}
		t.left = 200
	}
	for i, l := range lines[:min(len(lines), len(kinds))] {
		a := dap.Action{Kind: dap.Break, File: l.File, Line: l.Line}
		kinds[i](l, &a)
		t.plan = append(t.plan, a)
	}
	if !t.counts && r.IntN(2) == 0 {
		if a, ok := t.entry(); ok {
			t.plan = append(t.plan, a)
		}
	}
	if t.asks = seed%3 == 2 && !t.counts; t.asks {
		t.left = askingActions
	}
	t.far, t.others = assign && seed%4 == 2, seed%4 == 1
	t.meanwhile, t.data = seed%16 == 7, seed%8 == 5 && !m.Concurrent()
	if r.IntN(4) == 0 {
		t.plan = append(t.plan, dap.Action{Kind: dap.Catch, Name: gen.Caught()[r.IntN(len(gen.Caught()))]})
	}
	t.plan = append(t.plan, dap.Action{Kind: dap.Continue})
	return t
}

// apart are the lines without those in functions that can be called for what they do, as a call is not made which would meet a
// breakpoint; all of them, if few are left.
func (t *Tour) apart(lines []*timeline.LineInfo) []*timeline.LineInfo {
	var calls []string
	for _, l := range lines {
		if l.Watched == nil {
			continue
		}
		for _, s := range l.Watched.Sets {
			if call := "call " + s.Value; s.Name == "" && !slices.Contains(calls, call) {
				calls = append(calls, call)
			}
		}
	}
	left := slices.DeleteFunc(slices.Clone(lines), func(l *timeline.LineInfo) bool {
		here := []dap.Action{{Kind: dap.Break, File: l.File, Line: l.Line}}
		return slices.ContainsFunc(calls, func(call string) bool { return gen.StopsIn(call, here, t.m.declared) })
	})
	t.does = len(calls) > 0
	if len(left) > 2 {
		return left
	}
	return lines
}

// callLines is at how many lines a tour pauses that calls functions, callEntries at how many functions' entries, where parameters still are in
// registers, and callsEach how many it calls at each pause: where most lines have a breakpoint, hardly a call comes to its end.
const callLines, callEntries, callsEach = 3, 2, 6

// askingActions are the execution actions of a tour that asks asksEach expressions at each pause, one of callersAsked in the frame of a
// caller.
const askingActions, asksEach, callersAsked = 40, 8, 4

// Next is the next action; ok is false when there is nothing more to do.
func (t *Tour) Next(v gen.View) (a dap.Action, ok bool) {
	if len(t.plan) > 0 {
		a, t.plan = t.plan[0], t.plan[1:]
		return a, true
	}
	p := v.Pause()
	if v.Ended() || v.State() != dap.PausedState || p == nil || len(p.Stack) == 0 || t.left <= 0 {
		return dap.Action{}, false
	}
	if p.Exception() {
		if t.fails++; t.fails > mostFails {
			return dap.Action{}, false // it fails again and again where it is
		}
	}
	if t.listed = !t.listed && t.m.Concurrent() && t.r.IntN(3) == 0; t.listed {
		return dap.Action{Kind: dap.Threads}, true // as editors do at each pause
	}
	if t.counts {
		t.left--
		return dap.Action{Kind: dap.Continue}, true
	}
	if t.calls && t.called < callsEach && !p.Exception() {
		t.called++
		calls := callsAt(t.m.LineAt(p.Top().File, p.Top().Line).Watched)
		if len(calls) == 0 {
			calls = callsOf(t.ofEntry(p.Top()))
		}
		if len(calls) > 0 {
			if call := calls[t.r.IntN(len(calls))]; !gen.StopsIn(call, v.Breakpoints(), t.m.declared) {
				return dap.Action{Kind: dap.Evaluate, Name: call}, true
			}
		}
	}
	if t.calls {
		t.called = 0
		t.left--
		return dap.Action{Kind: []dap.Kind{dap.Next, dap.Next, dap.Continue}[t.r.IntN(3)]}, true
	}
	if t.asks && t.called < asksEach && !p.Exception() {
		t.called++
		frame := 0
		if t.called%callersAsked == 0 && len(p.Stack) > 1 {
			frame = 1 + t.r.IntN(min(len(p.Stack)-1, 4))
		}
		if expr, ok := t.computed(p, frame); ok && !gen.StopsIn(expr, v.Breakpoints(), t.m.declared) {
			return dap.Action{Kind: dap.Evaluate, Frame: frame, Name: expr}, true
		}
	}
	t.called = 0
	if !t.asked && t.r.IntN(3) > 0 && !p.Exception() {
		t.asked = t.r.IntN(3) == 0
		if a, ok := t.ask(p); ok && (!gen.StopsIn(a.Name, v.Breakpoints(), t.m.declared) || t.r.IntN(60) == 0) {
			return a, true
		}
	}
	if t.m.Concurrent() && t.chase == 0 && t.r.IntN(12) == 0 && !p.Exception() {
		t.chase = 3 + t.r.IntN(5)
	}
	if t.chase > 0 {
		t.chase--
		if a, ok := t.elsewhere(v); ok {
			return a, true
		}
	}
	if t.data && t.r.IntN(4) == 0 && !p.Exception() {
		if a, ok := gen.Data(t.r, v, p); ok {
			return a, true
		}
	}
	t.asked = false
	t.left--
	if t.r.IntN(6) == 0 && len(v.Breakpoints()) < tourPoints {
		if a, ok := t.another(v, p); ok {
			return a, true
		}
	}
	top := p.Top()
	at := t.m.LineAt(top.File, top.Line)
	w := at.Watched
	if t.does && !t.out && t.r.IntN(3) == 0 && w != nil && !t.data && !p.Exception() {
		if a, ok := doing(w, t.r.IntN, v, t.m); ok {
			t.does = false
			return a, true
		}
	}
	if sets := given(w); t.assign && !t.out && t.left < tourActions*2/3 && len(sets) > 0 && !p.Exception() {
		t.assign = false
		s := sets[t.r.IntN(len(sets))]
		for _, other := range sets {
			if rootOf(other.Name) != other.Name && t.r.IntN(2) == 0 {
				s = other // a part of a variable, as these are rare
			}
		}
		t.plan = append(t.plan, dap.Action{Kind: dap.Evaluate, Name: s.Name})
		return dap.Action{Kind: dap.SetVar, Name: s.Name, Value: s.Value}, true
	}
	if t.left == 2 || t.far && t.left < tourActions*4/5 {
		if a, ok := t.callers(p); ok {
			t.left = 0
			return a, true
		}
	}
	kind := t.onward(p, at)
	t.out = kind == dap.StepOut
	a = dap.Action{Kind: kind}
	if n := len(v.Threads()); t.others && n > 1 && kind.Steps() && t.r.IntN(2) == 0 {
		a.Thread = 1 + t.r.IntN(n)
	}
	if kind == dap.Continue && t.meanwhile && t.r.IntN(2) == 0 {
		// What sets something is left to a transformation: where the program is then depends on time.
		can := slices.DeleteFunc(slices.Clone(dap.Meanwhiles), func(s string) bool { return s == "breakpoints" || s == "exceptions" })
		a.Meanwhile = can[t.r.IntN(len(can))]
	}
	return a, true
}

// callers is an assignment to a variable of a caller, which is looked at after that. What follows is
// another run than the recorded one, so that it comes at a tour's end.
func (t *Tour) callers(p *dap.Pause) (dap.Action, bool) {
	for frame := 1; frame < min(len(p.Stack), 5); frame++ {
		f := p.Stack[frame]
		sets := given(t.m.LineAt(f.File, f.Line).Watched)
		if len(sets) == 0 || p.Exception() || t.m.wrapper(p, frame) {
			continue
		}
		s := sets[t.r.IntN(len(sets))]
		t.plan = append(t.plan, dap.Action{Kind: dap.Evaluate, Frame: frame, Name: s.Name}, dap.Action{Kind: dap.Vars, Frame: frame})
		return dap.Action{Kind: dap.SetVar, Frame: frame, Name: s.Name, Value: s.Value}, true
	}
	return dap.Action{}, false
}

// onward is how the program goes on from a pause: into what it calls, and mostly out of that
// again.
func (t *Tour) onward(p *dap.Pause, at timeline.LineInfo) dap.Kind {
	kind := []dap.Kind{dap.Continue, dap.Next, dap.Next, dap.StepIn, dap.StepIn, dap.StepOut}[t.r.IntN(6)]
	switch {
	case p.Exception():
		kind = dap.Continue
	case !t.m.own(p):
		kind = dap.StepOut
	case at.Calls && t.r.IntN(6) > 0:
		kind = dap.StepIn
	case len(t.m.frames(p)) > 1 && t.r.IntN(5) > 0:
		kind = dap.StepOut
	case kind == dap.StepOut && len(t.m.frames(p)) < 2:
		kind = dap.Next // there is nothing to step out of
	case t.left < 5:
		kind = dap.Continue
	}
	return kind
}
