package campaign

import (
	"context"

	"misstep/dap"
	"misstep/gen"
)

// misuseRuns is one in how many runs has a session of misuses.
const misuseRuns = 2

// misuse is a session full of requests that come when they should not.
func (w *worker) misuse(ctx context.Context) error {
	m := gen.NewMisuser(w.run.Index/misuseRuns, w.run.Seed, w.p.tested.Source)
	s, failed, err := w.open(ctx, dap.TargetOf(w.p.tested.Build), m.Early, 1)
	if err != nil {
		return err
	}
	if failed != nil {
		w.done(ctx, w.p.tested, s, []dap.Event{{Output: *failed}}, m.Early, true)
		// What comes later can be asked without what came before.
		m.Early = nil
		if s, failed, err = w.open(ctx, dap.TargetOf(w.p.tested.Build), nil, 1); err != nil {
			return err
		}
		if failed != nil {
			w.done(ctx, w.p.tested, s, []dap.Event{{Output: *failed}}, nil, true)
			return nil
		}
	}
	events, err := gen.Play(ctx, s, m)
	if err != nil {
		s.Close()
		return err
	}
	w.done(ctx, w.p.tested, s, events, m.Early, true)
	return nil
}
