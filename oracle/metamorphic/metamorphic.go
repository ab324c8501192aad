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
	// Open opens a session, which waits as many times as long as usual as patience says. Done is told of each one when
	// it is over; whole says that it shows of the debuggee what any debugger has to, and of which transformation of actions
	// it is the follow-up; nil of one that its events alone tell how to carry out once more.
	Open Opener
	Done func(d *debuggee.Debuggee, s *dap.Session, events []dap.Event, whole bool, of *FollowUp)
	// Make builds a program, runs it once by itself and loads its source. A
	// program that does not compile is a *gobuild.BuildError, one that does not
	// run as programs to debug should a *gobuild.Unfit.
	Make     func(ctx context.Context, p *gobuild.Program, e gobuild.Engine) (*debuggee.Debuggee, error)
	Debuggee *debuggee.Debuggee
	// Actions, Rewrites and Builds are what to choose from, the first first.
	Actions  []transform.Transformation
	Rewrites []rewrite.Rewrite
	Builds   []build.Build
	// Limit is how many are applied at most, one on the result of the other.
	Limit int
	// Wide is how many more of actions are applied to the base itself.
	Wide int
	Seed uint64
	// Turns say how often each of Actions was due before, so that those with several ways go on with the next; nil for never.
	Turns []int
	// Brief says that the base is not carried out once more before, only where a relation fails, and that each transformation is made in one way.
	Brief bool

	varying Varying
}

// An Opener opens a session, which waits as many times as long as usual as patience says.
type Opener func(ctx context.Context, t dap.Target, patience int) (*dap.Session, *dap.Output, error)

// A FollowUp is a session that a transformation of actions has made of a base.
type FollowUp struct {
	Name   string
	Params transform.Params
	Base   []dap.Event
	// Again makes it once more, in a session that the opener opens. It is for who made it to close.
	Again func(ctx context.Context, open Opener) (*dap.Session, []dap.Event, error)
}

// Tested is what a metamorphic test run gave.
type Tested struct {
	Findings []*finding.Finding // none if all relations held
	Tests    int                // pairs of traces that were compared
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
	patience  int // 0 and 1 are the usual one
	// others make it in its other ways, on a base of the same debuggee; a step is nil that does not apply.
	others []func(base []dap.Event) *step
}

// Run applies transformation after transformation to a base run, until the
// limit is reached. A failed relation is believed only if it fails a second
// time in the same way, while the base itself, done once more, gives the same
// trace; nothing is built on what it gave.
func (m *Test) Run(ctx context.Context, base []dap.Event) (*Tested, error) {
	r := rand.New(rand.NewPCG(m.Seed, 0x6d657461))
	out := &Tested{}
	if slices.ContainsFunc(base, func(e dap.Event) bool {
		return e.Action.Kind == dap.DataBreak || e.Action.Thread > 0 && e.Action.Kind.Resumes()
	}) {
		// Tolerances data-alone and waiting-threads: where these pause follows from how the debugger lets the program run.
		out.Tally.Missed("replay")
		return out, nil
	}
	now := m.Debuggee
	if i := slices.IndexFunc(base, func(e dap.Event) bool { return e.Output.Interrupted }); i >= 0 {
		var err error
		if base, err = m.steady(ctx, now, base, i, out); err != nil || len(base) == 0 {
			return out, err
		}
	} else if !m.Brief {
		var err error
		if base, err = m.alike(ctx, now, base, out); err != nil || len(base) == 0 {
			return out, err
		}
	}
	due := &decks{deckOf(len(m.Actions)), deckOf(len(m.Rewrites)), deckOf(len(m.Builds))}
	first, original := base, now
	for i := 1; i <= m.Limit; i++ {
		s, err := m.choose(ctx, r, due, now, base, out)
		if err != nil {
			return out, err
		}
		if s == nil {
			continue
		}
		d, unsteady, err := m.test(ctx, s, now, i, out)
		switch {
		case err != nil:
			return out, err
		case unsteady != nil && (s.build == nil || s.build.View == transform.Whole): // the base of others was made for them
			if base, err = m.steady(ctx, now, base, unsteady.Index, out); err != nil || len(base) == 0 {
				return out, err
			}
		case d != nil && !s.last:
			base, now = m.varying.Mask(d.Events), s.debuggee
		}
		if err := m.otherWays(ctx, s, out); err != nil {
			return out, err
		}
		if err := m.onOptimised(ctx, r, due, s, first, out); err != nil {
			return out, err
		}
	}
	// Those of actions are cheap, and there are many: some more are applied to the base itself.
	for range m.Wide {
		s := m.chooseAction(r, due.actions, original, first)
		if s == nil {
			break
		}
		if _, _, err := m.test(ctx, s, original, 0, out); err != nil {
			return out, err
		}
		if m.Brief {
			continue
		}
		if err := m.otherWays(ctx, s, out); err != nil {
			return out, err
		}
	}
	return out, nil
}

// optimisedActions is how many transformations of actions are made on a build that optimises.
const optimisedActions = 2

// onOptimised makes transformations of actions on a build that optimises, whose own relation is the last of its kind: what a debugger
// shows there follows from locations that other builds do not have.
func (m *Test) onOptimised(ctx context.Context, r *rand.Rand, due *decks, s *step, first []dap.Event, out *Tested) error {
	if s.build == nil || s.build.View != transform.AtBreakpoints && s.build.View != transform.Inlined {
		return nil
	}
	var actions []dap.Action
	for _, e := range first {
		actions = append(actions, e.Action)
	}
	base, err := m.record(ctx, s.debuggee, actions)
	if err != nil || len(base) == 0 {
		return err
	}
	for range optimisedActions {
		next := m.chooseAction(r, due.actions, s.debuggee, base)
		if next == nil {
			return nil
		}
		if _, _, err := m.test(ctx, next, s.debuggee, 0, out); err != nil {
			return err
		}
	}
	return nil
}

// test makes one transformation, the ith on top of others or 0 for one on the base itself, and judges the follow-up. It returns
// the follow-up if the relation holds, and the mismatch if that did not come again.
func (m *Test) test(ctx context.Context, s *step, now *debuggee.Debuggee, i int, out *Tested) (d *transform.Driver, unsteady *transform.Mismatch, err error) {
	d, err = m.once(ctx, s)
	var notMade *transform.NotMade
	var mismatch *transform.Mismatch
	switch {
	case errors.As(err, &notMade):
		out.Tally.Missed(s.name)
		return nil, nil, nil
	case errors.As(err, &mismatch):
		out.Tests++
		out.Tally.Add(s.name, 1)
		why, err := m.confirm(ctx, s, now, mismatch)
		if err != nil {
			return nil, nil, err
		}
		if why != "" {
			out.Unstable = fmt.Sprintf("%s: %s: %v", s.name, why, mismatch)
			return nil, mismatch, nil
		}
		f := finding.OfSession(Rule(s.name, s.doc), now, &finding.Session{Base: s.base, Index: mismatch.Index, Follow: d.Events},
			mismatch.Diff, finding.Untransformed, finding.Transformed)
		f.Params, f.Iteration = s.params, max(i, 1)
		if s.build != nil {
			f.Ran = s.debuggee.Build
		}
		out.Findings = append(out.Findings, f)
		return nil, nil, nil // what follows is made of what it was applied to
	case err != nil:
		return nil, nil, err
	}
	out.Tests++
	out.Tally.Add(s.name, 1)
	if i > 0 {
		out.Depth++
	}
	return d, nil, nil
}

// alike is what of a base gives the same trace each time; none if that is too little, or cannot be told. Where the same actions give another
// trace for no reason, nothing can be compared.
func (m *Test) alike(ctx context.Context, d *debuggee.Debuggee, base []dap.Event, out *Tested) ([]dap.Event, error) {
	masked, differs, err := m.compared(ctx, d, base, out)
	if err != nil || differs == nil {
		return masked, err
	}
	out.Unstable = "replay: " + differs.Error()
	return m.steady(ctx, d, masked, differs.Index, out)
}

// compared carries a base out once more, as often as there is something more that varies, and is the base in which that is marked, with how it
// still differs. There is none if it cannot be carried out.
func (m *Test) compared(ctx context.Context, d *debuggee.Debuggee, base []dap.Event, out *Tested) ([]dap.Event, *transform.Mismatch, error) {
	for {
		made, differs, err := m.control(ctx, d, base, out)
		switch {
		case err != nil || !made:
			return nil, nil, err
		case differs == nil || !m.varying.Learn(base, differs):
			return base, differs, nil
		}
		out.Tally.Missed(action.Replay().Name) // of what varies
		base = m.varying.Mask(base)
	}
}

// control carries a base out once more, if that can be done, and returns how it differs.
func (m *Test) control(ctx context.Context, d *debuggee.Debuggee, base []dap.Event, out *Tested) (made bool, differs *transform.Mismatch, err error) {
	replay := action.Replay()
	_, err = m.once(ctx, &step{name: replay.Name, action: &replay, params: transform.Params{}, debuggee: d, base: base})
	var notMade *transform.NotMade
	switch {
	case errors.As(err, &differs):
		out.Tests++
		return true, differs, nil
	case errors.As(err, &notMade):
		out.Tally.Missed(replay.Name)
		return false, nil, nil
	case err != nil:
		return false, nil, err
	}
	out.Tests++
	out.Tally.Add(replay.Name, 1)
	return true, nil, nil
}

const (
	// steadied is how often a base is made shorter until it gives the same trace again.
	steadied = 3
	// enough is how many events make a base.
	enough = 3
)

// steady is what of a base gives the same trace each time: the events before the one that differed between two
// runs, such as where a map was ranged over, and then the program's end. It returns none if that is too little.
func (m *Test) steady(ctx context.Context, d *debuggee.Debuggee, base []dap.Event, index int, out *Tested) ([]dap.Event, error) {
	for range steadied {
		if index < enough || index >= len(base) || base[index].Action.Kind == dap.Finish {
			return nil, nil
		}
		var actions []dap.Action
		for _, e := range base[:index] {
			actions = append(actions, e.Action)
		}
		events, err := m.record(ctx, d, append(actions, dap.Action{Kind: dap.Finish}))
		if err != nil || len(events) == 0 {
			return nil, err
		}
		events, differs, err := m.compared(ctx, d, events, out)
		if err != nil || differs == nil {
			return events, err
		}
		base, index = events, differs.Index
	}
	return nil, nil
}

// record carries actions out and returns the trace; nil if it cannot be used.
func (m *Test) record(ctx context.Context, s *debuggee.Debuggee, actions []dap.Action) ([]dap.Event, error) {
	if len(actions) == 0 {
		return nil, nil
	}
	session, failed, err := m.Open(ctx, dap.TargetOf(s.Build), 1)
	if err != nil {
		return nil, err
	}
	if failed != nil {
		m.Done(s, session, []dap.Event{{Output: *failed}}, true, nil)
		return nil, nil
	}
	events, err := transform.Record(ctx, session, actions)
	m.Done(s, session, events, true, nil)
	if len(events) > 0 && events[len(events)-1].Output.Kind.Fatal() {
		return nil, err
	}
	return m.varying.Mask(events), err
}

func (m *Test) once(ctx context.Context, st *step) (*transform.Driver, error) {
	s, d, failed, err := m.follow(ctx, st, m.Open)
	if s == nil {
		return nil, err
	}
	whole := st.action == nil || !st.action.Differs
	events := []dap.Event{}
	if d != nil {
		events = d.Events
	}
	if failed != nil {
		events = []dap.Event{{Output: *failed}}
	}
	m.Done(st.debuggee, s, events, whole, m.followUp(st))
	switch {
	case failed != nil && st.build != nil:
		// The other build of the same source was launched.
		return &transform.Driver{}, transform.NotLaunched(failed)
	case failed != nil:
		return nil, &transform.NotMade{Reason: "the second launch fails: " + failed.String()}
	}
	return d, err
}

// follow makes the follow-up in a session that the opener opens; failed says that it is not launched, and there is no session if it
// could not be opened.
func (m *Test) follow(ctx context.Context, st *step, open Opener) (s *dap.Session, d *transform.Driver, failed *dap.Output, err error) {
	target := dap.TargetOf(st.debuggee.Build)
	if st.action != nil {
		st.action.Start(&target, st.params)
	}
	if st.variant != nil {
		st.variant.Relation.Start(&target)
	}
	if s, failed, err = open(ctx, target, max(st.patience, 1)); err != nil || failed != nil {
		return s, nil, failed, err
	}
	switch {
	case st.action != nil:
		d, err = transform.Run(ctx, *st.action, st.params, st.base, st.debuggee.Source, s)
	case st.build != nil:
		d, err = transform.FollowBuild(ctx, st.build.View, st.base, st.debuggee.Source, s)
	default:
		d, err = transform.Follow(ctx, st.variant.Relation, st.base, s)
	}
	return s, d, nil, err
}

// followUp is the step as a follow-up of a transformation of actions; nil of any other.
func (m *Test) followUp(st *step) *FollowUp {
	if st.action == nil {
		return nil
	}
	return &FollowUp{st.name, st.params, st.base, func(ctx context.Context, open Opener) (*dap.Session, []dap.Event, error) {
		s, d, failed, err := m.follow(ctx, st, open)
		if transform.Told(err) {
			err = nil
		}
		switch {
		case failed != nil:
			return s, []dap.Event{{Output: *failed}}, err
		case d == nil:
			return s, nil, err
		}
		return s, d.Events, err
	}}
}

// confirm returns why a mismatch is not to be believed, or "".
func (m *Test) confirm(ctx context.Context, st *step, now *debuggee.Debuggee, first *transform.Mismatch) (string, error) {
	var again *transform.Mismatch
	retry := *st
	if first.Diff.Kind == dap.DiffFailure {
		retry.patience = dap.Patience
	}
	if _, err := m.once(ctx, &retry); !errors.As(err, &again) {
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
	controls := 2
	if now.Source.Chance() {
		controls = 5 // two may agree by chance
	}
	for range controls {
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
