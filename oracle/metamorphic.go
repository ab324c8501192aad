package oracle

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"misstep/dap"
	"misstep/internal/gobuild"
	"misstep/internal/source"
	"misstep/transform"
)

// A Subject is a build that sessions run, with its source.
type Subject struct {
	Build  *gobuild.Build
	Source *source.Source
	// Stdout and ExitCode are of a run without a debugger.
	Stdout   string
	ExitCode int

	unrun      []gobuild.Block
	unrunKnown bool
}

// Metamorphic transforms a run and judges the follow-up, iterated: actions,
// program and build, one after the other on the result of the last.
type Metamorphic struct {
	// Open opens a session of a subject, Done is told of each one when it is over.
	Open func(ctx context.Context, s *Subject) (*dap.Session, *dap.Output, error)
	Done func(sub *Subject, s *dap.Session, events []dap.Event)
	// Make builds a program, runs it once by itself and loads its source. A
	// program that does not compile is a *gobuild.BuildError, one that does not
	// run as programs to debug should a *gobuild.Unfit.
	Make func(ctx context.Context, p *gobuild.Program, e gobuild.Engine) (*Subject, error)
	// Unrun lists what a run of the subject does not execute.
	Unrun func(ctx context.Context, s *Subject) ([]gobuild.Block, error)

	Subject *Subject
	// Actions, Rewrites and Builds are what to choose from.
	Actions  []transform.Action
	Rewrites []transform.Rewrite
	Builds   []transform.Build
	// Limit is how many are applied at most, one on the result of the other.
	Limit int
	Seed  uint64
}

// An Outcome is what a metamorphic test run gave.
type Outcome struct {
	Finding *Finding // nil if all relations held
	Tests   int      // pairs of traces that were compared
	// Depth is how many transformations were applied on top of each other.
	Depth int
	// Unstable says why a mismatch is not a finding: it did not come again, or
	// the same actions without the transformation differ as well.
	Unstable string
	// Defects are faults of misstep: programs that a rewrite broke.
	Defects []*Defect
	Tally   Tally
}

// A Defect is a rewrite that broke a program: a fault of misstep.
type Defect struct {
	Rewrite string           `json:"rewrite"`
	Params  transform.Params `json:"params"`
	Program string           `json:"program"`
	// Unsound tells that the result compiles and does something else; otherwise
	// it does not compile.
	Unsound bool   `json:"unsound"`
	Text    string `json:"text"`
	// Original and Variant are the two programs.
	Original, Variant *gobuild.Program `json:"-"`
}

func (d *Defect) Error() string {
	what := "does not compile"
	if d.Unsound {
		what = "does something else"
	}
	return fmt.Sprintf("a fault of misstep: %s (%s) of %s %s: %s", d.Rewrite, d.Params, d.Program, what, d.Text)
}

// step is a transformation of any kind, chosen and ready to be made.
type step struct {
	name, doc string
	params    transform.Params
	last      bool
	action    *transform.Action
	build     *transform.Build
	variant   *transform.Variant
	subject   *Subject // what the follow-up runs
	base      []dap.Event
}

// Run applies transformation after transformation to a base run, until a
// relation fails or the limit is reached. A failed relation is believed only
// if it fails a second time in the same way, while the base itself, done once
// more, gives the same trace.
func (m *Metamorphic) Run(ctx context.Context, base []dap.Event) (*Outcome, error) {
	r := rand.New(rand.NewPCG(m.Seed, 0x6d657461))
	out := &Outcome{}
	replay := transform.Replay()
	control := &step{name: replay.Name, action: &replay, params: transform.Params{}, subject: m.Subject, base: base}
	// The control comes first: where the same actions give another trace for no
	// reason, nothing can be compared.
	if _, err := m.once(ctx, control); err != nil {
		var notMade *transform.NotMade
		var mismatch *transform.Mismatch
		switch {
		case errors.As(err, &mismatch):
			out.Tests++
			out.Unstable = "replay: " + mismatch.Error()
			return out, nil
		case errors.As(err, &notMade):
			out.Tally.Missed("replay")
			return out, nil
		}
		return out, err
	}
	out.Tests++
	out.Tally.Add("replay", 1)
	now := m.Subject
	for i := 1; i <= m.Limit; i++ {
		s, err := m.choose(ctx, r, now, base, out)
		if err != nil {
			return out, err
		}
		if s == nil {
			continue
		}
		d, err := m.once(ctx, s)
		var notMade *transform.NotMade
		var mismatch *transform.Mismatch
		switch {
		case errors.As(err, &notMade):
			out.Tally.Missed(s.name)
			continue
		case errors.As(err, &mismatch):
			out.Tests++
			out.Tally.Add(s.name, 1)
			why, err := m.confirm(ctx, s, now, mismatch)
			if err != nil {
				return out, err
			}
			if why != "" {
				out.Unstable = fmt.Sprintf("%s: %s: %v", s.name, why, mismatch)
				return out, nil
			}
			out.Finding = &Finding{
				Oracle: "metamorphic", Rule: s.name, Params: s.params,
				Reason: fmt.Sprintf("%s But %s.", s.doc, mismatch),
				Base:   s.base, Index: mismatch.Index, Diff: mismatch.Diff,
				Follow: d.Events, Iteration: i, Subject: now,
			}
			return out, nil
		case err != nil:
			return out, err
		}
		out.Tests++
		out.Depth++
		out.Tally.Add(s.name, 1)
		if !s.last {
			base, now = d.Events, s.subject
		}
	}
	return out, nil
}

// choose picks a transformation that applies, of programs as often as of
// actions, and makes its variant. It returns nil if there is none this time.
func (m *Metamorphic) choose(ctx context.Context, r *rand.Rand, now *Subject, base []dap.Event, out *Outcome) (*step, error) {
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

func (m *Metamorphic) chooseAction(r *rand.Rand, now *Subject, base []dap.Event) *step {
	for _, i := range r.Perm(len(m.Actions)) {
		t := m.Actions[i]
		if p, ok := t.Choose(&transform.Choice{R: r, Base: base, Source: now.Source}); ok {
			return &step{name: t.Name, doc: t.Doc, params: p, last: t.Last, action: &t, subject: now, base: base}
		}
	}
	return nil
}

func (m *Metamorphic) chooseRewrite(ctx context.Context, r *rand.Rand, now *Subject, base []dap.Event, out *Outcome) (*step, error) {
	order := r.Perm(len(m.Rewrites))
	if r.IntN(3) == 0 {
		slices.SortStableFunc(order, func(a, b int) int { return rank(m.Rewrites[a]) - rank(m.Rewrites[b]) })
	}
	for _, i := range order {
		t := m.Rewrites[i]
		s := &transform.Subject{Source: now.Source, Base: base, ExitCode: now.ExitCode}
		if t.NeedsRun {
			if err := m.runs(ctx, now); err != nil {
				return nil, err
			}
			s.Unrun = now.unrun
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
			name: t.Name, doc: t.Doc, params: p, last: v.Relation.Test != "", variant: v, subject: made, base: base,
		}, nil
	}
	return nil, nil
}

// rank is 0 for a rewrite that seldom applies, and 1 for another.
func rank(t transform.Rewrite) int {
	if t.Rare {
		return 0
	}
	return 1
}

// runs finds out once what a run of the subject does not execute.
func (m *Metamorphic) runs(ctx context.Context, s *Subject) error {
	if s.unrunKnown {
		return nil
	}
	unrun, err := m.Unrun(ctx, s)
	if err != nil {
		return err
	}
	s.unrun, s.unrunKnown = unrun, true
	return nil
}

// variant builds and runs a rewritten program. It is nil without a defect if
// the original does not run twice alike either.
func (m *Metamorphic) variant(ctx context.Context, t transform.Rewrite, p transform.Params, now *Subject, v *transform.Variant, count *VariantCount) (*Subject, *Defect, error) {
	defect := &Defect{Rewrite: t.Name, Params: p, Program: now.Build.Program.Name, Original: now.Build.Program, Variant: v.Program}
	made, err := m.Make(ctx, v.Program, now.Build.Engine)
	var build *gobuild.BuildError
	var unfit *gobuild.Unfit
	switch {
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case errors.As(err, &build):
		defect.Text = build.Error()
		return nil, defect, nil
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
		defect.Text = diff.String()
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
	return nil, defect, nil
}

func (m *Metamorphic) chooseBuild(ctx context.Context, r *rand.Rand, now *Subject, base []dap.Event, out *Outcome) (*step, error) {
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
		return &step{name: t.Name, doc: t.Doc, params: transform.Params{}, last: t.Optimised, build: &t, subject: made, base: events}, nil
	}
	return nil, nil
}

// record carries actions out and returns the trace; nil if it cannot be used.
func (m *Metamorphic) record(ctx context.Context, s *Subject, actions []dap.Action) ([]dap.Event, error) {
	if len(actions) == 0 {
		return nil, nil
	}
	session, failed, err := m.Open(ctx, s)
	if err != nil {
		return nil, err
	}
	if failed != nil {
		m.Done(s, session, []dap.Event{{Output: *failed}})
		return nil, nil
	}
	events, err := transform.Record(ctx, session, actions)
	m.Done(s, session, events)
	if len(events) > 0 && events[len(events)-1].Output.Kind.Fatal() {
		return nil, err
	}
	return events, err
}

func (m *Metamorphic) once(ctx context.Context, st *step) (*transform.Driver, error) {
	s, failed, err := m.Open(ctx, st.subject)
	if err != nil {
		return nil, err
	}
	if failed != nil {
		m.Done(st.subject, s, []dap.Event{{Output: *failed}})
		return nil, &transform.NotMade{Reason: "the second launch fails: " + failed.String()}
	}
	var d *transform.Driver
	switch {
	case st.action != nil:
		d, err = transform.Run(ctx, *st.action, st.params, st.base, st.subject.Source, s)
	case st.build != nil:
		d, err = transform.FollowBuild(ctx, *st.build, st.base, st.subject.Source, s)
	default:
		d, err = transform.Follow(ctx, st.variant.Relation, st.base, s)
	}
	m.Done(st.subject, s, d.Events)
	return d, err
}

// confirm returns why a mismatch is not to be believed, or "".
func (m *Metamorphic) confirm(ctx context.Context, st *step, now *Subject, first *transform.Mismatch) (string, error) {
	var again *transform.Mismatch
	if _, err := m.once(ctx, st); !errors.As(err, &again) {
		var notMade *transform.NotMade
		if err != nil && !errors.As(err, &notMade) {
			return "", err
		}
		return "it held when tried again", nil
	}
	if again.Index != first.Index || again.Diff.Kind != first.Diff.Kind {
		return "it failed in another way when tried again", nil
	}
	replay := transform.Replay()
	for range 2 {
		_, err := m.once(ctx, &step{name: replay.Name, action: &replay, params: transform.Params{}, subject: now, base: st.base})
		var other *transform.Mismatch
		var notMade *transform.NotMade
		switch {
		case errors.As(err, &other):
			return "the same actions without it differ as well", nil
		case errors.As(err, &notMade):
			return "the same actions without it cannot be done again", nil
		case err != nil:
			return "", err
		}
	}
	return "", nil
}
