package campaign

import (
	"context"

	"misstep/dap"
	"misstep/gen"
)

// misuse is the nth session full of requests that come when they should not.
func (w *worker) misuse(ctx context.Context, n int) error {
	m := gen.NewMisuser(n, w.run.Seed, w.p.tested.Source)
	// Where what comes early keeps the program from being launched, the rest is asked without it.
	for _, early := range [][]string{m.Early, nil} {
		s, failed, err := w.open(ctx, dap.TargetOf(w.p.tested.Build), early, 1)
		if err != nil {
			return err
		}
		if failed != nil {
			w.done(ctx, w.p.tested, s, []dap.Event{{Output: *failed}}, early, true, nil)
			continue
		}
		events, err := gen.Play(ctx, s, m)
		if err != nil {
			s.Close()
			return err
		}
		w.done(ctx, w.p.tested, s, events, early, true, nil)
		break
	}
	return nil
}
