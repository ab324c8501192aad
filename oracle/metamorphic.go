package oracle

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"misstep/dap"
	"misstep/internal/source"
	"misstep/transform"
)

// Metamorphic transforms a run and judges the follow-up, iterated.
type Metamorphic struct {
	// Open opens a session of the program under test, done is told of each one
	// when it is over.
	Open   func(ctx context.Context) (*dap.Session, *dap.Output, error)
	Done   func(s *dap.Session, events []dap.Event)
	Source *source.Source
	// Transformations to choose from, at random but without preference.
	Transformations []transform.Action
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
	Tally    Tally
}

// Run applies transformation after transformation to a base run, until a
// relation fails or the limit is reached. A failed relation is believed only
// if it fails a second time in the same way, while the base itself, done once
// more, gives the same trace.
func (m *Metamorphic) Run(ctx context.Context, base []dap.Event) (*Outcome, error) {
	r := rand.New(rand.NewPCG(m.Seed, 0x6d657461))
	out := &Outcome{}
	// The control comes first: where the same actions give another trace for no
	// reason, nothing can be compared.
	if _, err := m.once(ctx, transform.Replay(), transform.Params{}, base); err != nil {
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
	for i := 1; i <= m.Limit; i++ {
		t, p, ok := m.choose(r, base)
		if !ok {
			break
		}
		d, err := m.once(ctx, t, p, base)
		var notMade *transform.NotMade
		var mismatch *transform.Mismatch
		switch {
		case errors.As(err, &notMade):
			out.Tally.Missed(t.Name)
			continue
		case errors.As(err, &mismatch):
			out.Tests++
			out.Tally.Add(t.Name, 1)
			why, err := m.confirm(ctx, t, p, base, mismatch)
			if err != nil {
				return out, err
			}
			if why != "" {
				out.Unstable = fmt.Sprintf("%s: %s: %v", t.Name, why, mismatch)
				return out, nil
			}
			out.Finding = &Finding{
				Oracle: "metamorphic", Rule: t.Name, Params: p,
				Reason: fmt.Sprintf("%s But %s.", t.Doc, mismatch),
				Base:   base, Index: mismatch.Index, Diff: mismatch.Diff,
				Follow: d.Events, Iteration: i,
			}
			return out, nil
		case err != nil:
			return out, err
		}
		out.Tests++
		out.Depth++
		out.Tally.Add(t.Name, 1)
		if !t.Last {
			base = d.Events
		}
	}
	return out, nil
}

// choose picks a transformation that applies to the base.
func (m *Metamorphic) choose(r *rand.Rand, base []dap.Event) (transform.Action, transform.Params, bool) {
	for _, i := range r.Perm(len(m.Transformations)) {
		t := m.Transformations[i]
		if p, ok := t.Choose(&transform.Choice{R: r, Base: base, Source: m.Source}); ok {
			return t, p, true
		}
	}
	return transform.Action{}, nil, false
}

func (m *Metamorphic) once(ctx context.Context, t transform.Action, p transform.Params, base []dap.Event) (*transform.Driver, error) {
	s, failed, err := m.Open(ctx)
	if err != nil {
		return nil, err
	}
	if failed != nil {
		m.Done(s, []dap.Event{{Output: *failed}})
		return nil, &transform.NotMade{Reason: "the second launch fails: " + failed.String()}
	}
	d, err := transform.Run(ctx, t, p, base, m.Source, s)
	m.Done(s, d.Events)
	return d, err
}

// confirm returns why a mismatch is not to be believed, or "".
func (m *Metamorphic) confirm(ctx context.Context, t transform.Action, p transform.Params, base []dap.Event, first *transform.Mismatch) (string, error) {
	var again *transform.Mismatch
	if _, err := m.once(ctx, t, p, base); !errors.As(err, &again) {
		var notMade *transform.NotMade
		if err != nil && !errors.As(err, &notMade) {
			return "", err
		}
		return "it held when tried again", nil
	}
	if again.Index != first.Index || again.Diff.Kind != first.Diff.Kind {
		return "it failed in another way when tried again", nil
	}
	for range 2 {
		_, err := m.once(ctx, transform.Replay(), transform.Params{}, base)
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
