package metamorphic

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"misstep/dap"
	"misstep/finding"
	"misstep/internal/debuggee"
	"misstep/internal/gobuild"
	"misstep/transform"
	"misstep/transform/action"
	"misstep/transform/build"
	"misstep/transform/rewrite"
)

// A Test transforms a run and judges the follow-up, iterated: actions, program and build,
// one after the other on the result of the last.
type Test struct {
	// Open opens a session, Done is told of each one when it is over; whole says that it shows of the
	// debuggee what any debugger has to.
	Open func(ctx context.Context, t dap.Target) (*dap.Session, *dap.Output, error)
	Done func(d *debuggee.Debuggee, s *dap.Session, events []dap.Event, whole bool)
	// Make builds a program, runs it once by itself and loads its source. A
	// program that does not compile is a *gobuild.BuildError, one that does not
	// run as programs to debug should a *gobuild.Unfit.
	Make     func(ctx context.Context, p *gobuild.Program, e gobuild.Engine) (*debuggee.Debuggee, error)
	Debuggee *debuggee.Debuggee
	// Actions, Rewrites and Builds are what to choose from.
	Actions  []transform.Transformation
	Rewrites []rewrite.Rewrite
	Builds   []build.Build
	// Limit is how many are applied at most, one on the result of the other.
	Limit int
	Seed  uint64
}

// Tested is what a metamorphic test run gave.
type Tested struct {
	Finding *finding.Finding // nil if all relations held
	Tests   int              // pairs of traces that were compared
	// Depth is how many transformations were applied on top of each other.
	Depth int
	// Unstable says why a mismatch is not a finding: it did not come again, or
	// the same actions without the transformation differ as well.
	Unstable string
	// Defects are faults of misstep: programs that a rewrite broke.
	Defects []*Defect
	Tally   finding.Tally
}

// step is a transformation of any kind, chosen and ready to be made.
type step struct {
	name, doc string
	params    transform.Params
	last      bool
	action    *transform.Transformation
	build     *build.Build
	variant   *rewrite.Variant
	debuggee  *debuggee.Debuggee // what the follow-up runs
	base      []dap.Event
}

// Run applies transformation after transformation to a base run, until a
// relation fails or the limit is reached. A failed relation is believed only
// if it fails a second time in the same way, while the base itself, done once
// more, gives the same trace.
func (m *Test) Run(ctx context.Context, base []dap.Event) (*Tested, error) {
	r := rand.New(rand.NewPCG(m.Seed, 0x6d657461))
	out := &Tested{}
	if slices.ContainsFunc(base, func(e dap.Event) bool { return e.Action.Kind == dap.DataBreak }) {
		// Tolerance data-alone: where these pause follows from how the debugger lets the program run.
		out.Tally.Missed("replay")
		return out, nil
	}
	replay := action.Replay()
	control := &step{name: replay.Name, action: &replay, params: transform.Params{}, debuggee: m.Debuggee, base: base}
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
	now := m.Debuggee
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
			f := finding.OfSession(Rule(s.name, s.doc), now, &finding.Session{Base: s.base, Index: mismatch.Index, Follow: d.Events},
				mismatch.Diff, finding.Untransformed, finding.Transformed)
			f.Params, f.Iteration = s.params, i
			out.Finding = f
			return out, nil
		case err != nil:
			return out, err
		}
		out.Tests++
		out.Depth++
		out.Tally.Add(s.name, 1)
		if !s.last {
			base, now = d.Events, s.debuggee
		}
	}
	return out, nil
}

// record carries actions out and returns the trace; nil if it cannot be used.
func (m *Test) record(ctx context.Context, s *debuggee.Debuggee, actions []dap.Action) ([]dap.Event, error) {
	if len(actions) == 0 {
		return nil, nil
	}
	session, failed, err := m.Open(ctx, dap.TargetOf(s.Build))
	if err != nil {
		return nil, err
	}
	if failed != nil {
		m.Done(s, session, []dap.Event{{Output: *failed}}, true)
		return nil, nil
	}
	events, err := transform.Record(ctx, session, actions)
	m.Done(s, session, events, true)
	if len(events) > 0 && events[len(events)-1].Output.Kind.Fatal() {
		return nil, err
	}
	return events, err
}

func (m *Test) once(ctx context.Context, st *step) (*transform.Driver, error) {
	target, whole := dap.TargetOf(st.debuggee.Build), true
	if st.action != nil {
		whole = !st.action.Differs
		st.action.Start(&target, st.params)
	}
	s, failed, err := m.Open(ctx, target)
	if err != nil {
		return nil, err
	}
	if failed != nil {
		m.Done(st.debuggee, s, []dap.Event{{Output: *failed}}, whole)
		return nil, &transform.NotMade{Reason: "the second launch fails: " + failed.String()}
	}
	var d *transform.Driver
	switch {
	case st.action != nil:
		d, err = transform.Run(ctx, *st.action, st.params, st.base, st.debuggee.Source, s)
	case st.build != nil:
		d, err = transform.FollowBuild(ctx, st.build.Optimised, st.base, st.debuggee.Source, s)
	default:
		d, err = transform.Follow(ctx, st.variant.Relation, st.base, s)
	}
	m.Done(st.debuggee, s, d.Events, whole)
	return d, err
}

// confirm returns why a mismatch is not to be believed, or "".
func (m *Test) confirm(ctx context.Context, st *step, now *debuggee.Debuggee, first *transform.Mismatch) (string, error) {
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
	replay := action.Replay()
	for range 2 {
		_, err := m.once(ctx, &step{name: replay.Name, action: &replay, params: transform.Params{}, debuggee: now, base: st.base})
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
