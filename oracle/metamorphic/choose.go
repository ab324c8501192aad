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

// choose picks a transformation that applies, of programs as often as of
// actions, and makes its variant. It returns nil if there is none this time.
func (m *Test) choose(ctx context.Context, r *rand.Rand, now *debuggee.Debuggee, base []dap.Event, out *Tested) (*step, error) {
	kinds := []func() (*step, error){
		func() (*step, error) { return m.chooseAction(r, now, base), nil },
		func() (*step, error) { return m.chooseRewrite(ctx, r, now, base, out) },
		func() (*step, error) { return m.chooseBuild(ctx, r, now, base, out) },
	}
	first := 0
	switch n := r.IntN(10); {
	case n < 5 && len(m.Rewrites) > 0:
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

func (m *Test) chooseAction(r *rand.Rand, now *debuggee.Debuggee, base []dap.Event) *step {
	for _, i := range r.Perm(len(m.Actions)) {
		t := m.Actions[i]
		if p, ok := t.Choose(&transform.Choice{R: r, Base: base, Source: now.Source}); ok {
			return &step{name: t.Name, doc: t.Doc, params: p, last: t.Last, action: &t, debuggee: now, base: base}
		}
	}
	return nil
}

func (m *Test) chooseRewrite(ctx context.Context, r *rand.Rand, now *debuggee.Debuggee, base []dap.Event, out *Tested) (*step, error) {
	order := r.Perm(len(m.Rewrites))
	if len(order) > 0 && now.Build.Engine.Optimises(now.Build.Program) {
		// Another program is optimised in another way.
		out.Tally.Missed(m.Rewrites[order[0]].Name)
		return nil, nil
	}
	if r.IntN(3) == 0 {
		slices.SortStableFunc(order, func(a, b int) int { return rank(m.Rewrites[a]) - rank(m.Rewrites[b]) })
	}
	for _, i := range order {
		t := m.Rewrites[i]
		s := rewrite.Of(now.Source, base)
		s.ExitCode = now.ExitCode
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
		made, defect, err := m.variant(ctx, t, p, now, v, count)
		if err != nil {
			return nil, err
		}
		if defect != nil {
			out.Defects = append(out.Defects, defect)
			if defect.Unsound {
				return nil, defect
			}
			continue
		}
		if made == nil {
			out.Tally.Missed(t.Name)
			continue
		}
		v.Relation.New = made.Source
		return &step{
			name: t.Name, doc: t.Doc, params: p, last: v.Relation.Test != "", variant: v, debuggee: made, base: base,
		}, nil
	}
	return nil, nil
}

// rank is 0 for a rewrite that seldom applies, and 1 for another.
func rank(t rewrite.Rewrite) int {
	if t.Rare {
		return 0
	}
	return 1
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
		if diff == nil {
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

func (m *Test) chooseBuild(ctx context.Context, r *rand.Rand, now *debuggee.Debuggee, base []dap.Event, out *Tested) (*step, error) {
	for _, i := range r.Perm(len(m.Builds)) {
		t := m.Builds[i]
		e, ok := t.With(now.Build.Engine)
		if !ok {
			continue
		}
		events := base
		if t.Optimised {
			var err error
			if events, err = m.record(ctx, now, transform.OnlyBreakpoints(base, now.Source)); err != nil {
				return nil, err
			}
		}
		if !t.Fits(events) {
			continue
		}
		count := out.Tally.Variant(t.Name)
		count.Candidates++
		count.Applied++
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
		if made.ExitCode == now.ExitCode && made.Stdout == now.Stdout {
			count.Sound++
		} else {
			// Another toolchain mode may compute another result, such as floats on
			// another processor; that is not the debugger's.
			out.Tally.Missed(t.Name)
			continue
		}
		return &step{name: t.Name, doc: t.Doc, params: transform.Params{}, last: t.Optimised, build: &t, debuggee: made, base: events}, nil
	}
	return nil, nil
}
