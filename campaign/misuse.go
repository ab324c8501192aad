package campaign

import (
	"context"

	"misstep/dap"
	"misstep/gen"
)

// misuse is a session full of requests that come when they should not.
func (w *worker) misuse(ctx context.Context) error {
	m := gen.NewMisuser(w.run.Seed)
	s, failed, err := w.open(ctx, dap.TargetOf(w.p.tested.Build), m.Early)
	if err != nil {
		return err
	}
	if failed != nil {
		w.done(ctx, w.p.tested, s, []dap.Event{{Output: *failed}}, m.Early, true)
		return nil
	}
	var events []dap.Event
	for {
		a, more := m.Next(s)
		if !more {
			break
		}
		out, err := s.Do(ctx, a)
		if err != nil {
			s.Close()
			return err
		}
		events = append(events, dap.Event{Action: a, Output: out})
		if out.Kind.Fatal() {
			break
		}
	}
	w.done(ctx, w.p.tested, s, events, m.Early, true)
	return nil
}
