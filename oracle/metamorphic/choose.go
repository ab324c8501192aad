package metamorphic

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"misstep/dap"
	"misstep/finding"
	"misstep/internal/debuggee"
	"misstep/internal/gobuild"
	"misstep/transform"
	"misstep/transform/rewrite"
)

// A deck is the transformations of one kind, in the order in which they are due. One that was tried goes
// to the end, and one that does not apply stays due: what seldom applies comes when it can.
type deck struct {
	order []int
	// times is how often each was tried.
	times []int
}

// deckOf is a deck of n, as they are given.
func deckOf(n int) deck {
	d := deck{make([]int, n), make([]int, n)}
	for i := range d.order {
		d.order[i] = i
	}
	return d
}

// tried puts a transformation to the end.
func (d deck) tried(i int) {
	at := slices.Index(d.order, i)
	copy(d.order[at:], d.order[at+1:])
	d.order[len(d.order)-1] = i
	d.times[i]++
}

// decks are those of a test.
type decks struct{ actions, rewrites, builds deck }

// choose takes the first transformation that is due and applies, of programs as often as of
// actions and of builds half as often, and makes its variant. It returns nil if there is none this time.
func (m *Test) choose(ctx context.Context, r *rand.Rand, due *decks, now *debuggee.Debuggee, base []dap.Event, out *Tested) (*step, error) {
	kinds := []func() (*step, error){
		func() (*step, error) { return m.chooseAction(r, due.actions, now, base), nil },
		func() (*step, error) { return m.chooseRewrite(ctx, r, due.rewrites, now, base, out) },
		func() (*step, error) { return m.chooseBuild(ctx, due.builds, now, base, out) },
	}
	first := 0
	switch n := r.IntN(10); {
	case n < 4 && len(m.Rewrites) > 0:
		first = 1
	case n < 6 && len(m.Builds) > 0:
		first = 2
	}
	for i := range kinds {
		s, err := kinds[(first+i)%len(kinds)]()
		if s != nil || err != nil {
			return s, err
		}
	}
	return nil, nil
}

func (m *Test) chooseAction(r *rand.Rand, due deck, now *debuggee.Debuggee, base []dap.Event) *step {
	for _, i := range due.order {
		if s := m.action(r, i, m.turn(due, i), now, base); s != nil {
			due.tried(i)
			return s
		}
	}
	return nil
}

// turn says which of an action transformation's ways is due: the runs of a campaign, and the times that it comes in one, go through
// all of them.
func (m *Test) turn(due deck, i int) int {
	n := due.times[i]
	if i < len(m.Turns) {
		n += m.Turns[i]
	}
	if m.Brief {
		return n
	}
	return n * max(m.Actions[i].Ways, 1)
}

// action makes the ith transformation of actions, in that of its ways. It returns nil if it does not apply.
func (m *Test) action(r *rand.Rand, i, turn int, now *debuggee.Debuggee, base []dap.Event) *step {
	t := m.Actions[i]
	p, ok := t.Choose(&transform.Choice{R: r, Base: base, Source: now.Source, Turn: turn})
	if !ok {
		return nil
	}
	s := &step{name: t.Name, doc: t.Doc, params: p, last: t.Last, action: &t, debuggee: now, base: base}
	for k := 1; k < t.Ways && !m.Brief; k++ {
		s.others = append(s.others, func(base []dap.Event) *step { return m.action(r, i, turn+k, now, base) })
	}
	return s
}

// beginning is how many actions that let the program run are in the beginning of a base.
const beginning = 4

// otherWays makes a transformation in its other ways as well, on the beginning of its base.
func (m *Test) otherWays(ctx context.Context, s *step, out *Tested) error {
	if len(s.others) == 0 {
		return nil
	}
	var actions []dap.Action
	runs := 0
	for _, e := range s.base {
		if e.Action.Kind.Resumes() {
			if runs++; runs > beginning || e.Action.Kind == dap.Finish {
				break
			}
		}
		actions = append(actions, e.Action)
	}
	base := s.base
	if len(actions)+1 < len(base) {
		var err error
		if base, err = m.record(ctx, s.debuggee, append(actions, dap.Action{Kind: dap.Finish})); err != nil || len(base) == 0 {
			return err
		}
	}
	for _, other := range s.others {
		o := other(base)
		if o == nil || slices.Equal(o.params.Words(), s.params.Words()) {
			continue
		}
		o.others = nil
		if _, _, err := m.test(ctx, o, s.debuggee, 0, out); err != nil || ctx.Err() != nil {
			return err
		}
	}
	return nil
}

func (m *Test) chooseRewrite(ctx context.Context, r *rand.Rand, due deck, now *debuggee.Debuggee, base []dap.Event, out *Tested) (*step, error) {
	if len(due.order) > 0 && now.Build.Engine.Optimises(now.Build.Program) {
		// Another program is optimised in another way.
		out.Tally.Missed(m.Rewrites[due.order[0]].Name)
		return nil, nil
	}
	for _, i := range slices.Clone(due.order) {
		t := m.Rewrites[i]
		s := rewrite.Of(now.Source, base)
		s.ExitCode, s.CompilesC, s.CompilesCPlus = now.ExitCode, now.Build.Engine.CompilesC(), now.Build.Engine.CompilesCPlus()
		if t.NeedsRun {
			var err error
			if s.Unrun, err = now.Unrun(ctx); err != nil {
				return nil, err
			}
		}
		p, n := t.Choose(s, r)
		count := out.Tally.Variant(t.Name)
		count.Candidates += n
		if n == 0 {
			continue
		}
		v, err := t.Make(s, p)
		if err != nil {
			return nil, err
		}
		count.Applied++
		due.tried(i)
		made, defect, err := m.variant(ctx, t, p, now, v, count)
		if err != nil {
			return nil, err
		}
		if defect != nil {
			out.Defects = append(out.Defects, defect)
			if defect.Unsound {
				return nil, nil // each is run several times: one is enough of a test
			}
		}
		if made == nil {
			if defect == nil {
				out.Tally.Missed(t.Name)
			}
			continue
		}
		v.Relation.New = made.Source
		return &step{
			name: t.Name, doc: t.Doc, params: p, last: v.Relation.Last(), variant: v, debuggee: made, base: base,
		}, nil
	}
	return nil, nil
}

// variant builds and runs a rewritten program. It is nil without a defect if
// the original does not run twice alike either.
func (m *Test) variant(ctx context.Context, t rewrite.Rewrite, p transform.Params, now *debuggee.Debuggee, v *rewrite.Variant, count *finding.VariantCount) (*debuggee.Debuggee, *Defect, error) {
	defect := &Defect{Rewrite: t.Name, Params: p, Program: now.Build.Program.Name}
	made, err := m.Make(ctx, v.Program, now.Build.Engine)
	var build *gobuild.BuildError
	var unfit *gobuild.Unfit
	switch {
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case errors.As(err, &build):
		defect.Text = build.Error()
		return nil, defect.with(now.Build.Program, v.Program), nil
	case errors.As(err, &unfit):
		defect.Text = unfit.Reason
	case err != nil:
		return nil, nil, err
	default:
		want := &dap.Output{Kind: dap.Ended, Exit: &dap.Exit{Code: &now.ExitCode, Stdout: v.Relation.Expected(now.Stdout)}}
		got := &dap.Output{Kind: dap.Ended, Exit: &dap.Exit{Code: &made.ExitCode, Stdout: made.Stdout}}
		diff := dap.Diff(want, got, dap.Lens{})
		if diff == nil || now.Unsteady != "" {
			count.Compiled++
			count.Sound++
			made.Stdout = now.Stdout
			return made, nil, nil
		}
		defect.Text = diff.Says("the original", "the variant")
	}
	// The original has to be the same each time for that to mean anything.
	count.Compiled++
	defect.Unsound = true
	for range 3 {
		again, err := m.Make(ctx, now.Build.Program, now.Build.Engine)
		if errors.As(err, &unfit) {
			return nil, nil, nil
		}
		if err != nil {
			return nil, nil, err
		}
		if again.ExitCode != now.ExitCode || again.Stdout != now.Stdout {
			return nil, nil, nil
		}
	}
	return nil, defect.with(now.Build.Program, v.Program), nil
}

func (m *Test) chooseBuild(ctx context.Context, due deck, now *debuggee.Debuggee, base []dap.Event, out *Tested) (*step, error) {
	for _, i := range slices.Clone(due.order) {
		t := m.Builds[i]
		e, ok := t.With(now.Build.Engine)
		if !ok {
			continue
		}
		if t.View == transform.ByName && now.Build.Symbols.WithC() {
			continue // functions have names then only where Go's own linker has linked (tolerance linked-names)
		}
		events := base
		var err error
		switch t.View {
		case transform.AtBreakpoints, transform.Inlined:
			events, err = m.record(ctx, now, transform.OnlyBreakpoints(base, now.Source))
		case transform.ByName:
			events, err = m.record(ctx, now, transform.OnlyFunctions(base, now.Source))
		}
		if err != nil {
			return nil, err
		}
		if !t.Fits(events) {
			continue
		}
		count := out.Tally.Variant(t.Name)
		count.Candidates++
		count.Applied++
		due.tried(i)
		made, err := m.Make(ctx, now.Build.Program, e)
		var build *gobuild.BuildError
		var unfit *gobuild.Unfit
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.As(err, &build):
			// The options do not suit this program or this machine.
			out.Tally.Missed(t.Name)
			continue
		case errors.As(err, &unfit):
			count.Compiled++
			out.Tally.Missed(t.Name)
			continue
		case err != nil:
			return nil, err
		}
		count.Compiled++
		if made.ExitCode == now.ExitCode && (made.Stdout == now.Stdout || now.Unsteady != "") {
			count.Sound++
		} else {
			// Another toolchain mode may compute another result, such as floats on
			// another processor; that is not the debugger's.
			out.Tally.Missed(t.Name)
			continue
		}
		return &step{name: t.Name, doc: t.Doc, params: transform.Params{}, last: t.View != transform.Whole, build: &t, debuggee: made, base: events}, nil
	}
	return nil, nil
}
