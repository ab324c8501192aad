package campaign

import (
	"context"
	"math/rand/v2"

	"misstep/dap"
)

// misuse is a session full of requests that come when they should not.
func (w *worker) misuse(ctx context.Context) error {
	r := rand.New(rand.NewPCG(w.run.Seed, 0x77726f6e))
	some := func(when string, n int) []string {
		names := dap.Misuses(when)
		r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		return names[:min(n, len(names))]
	}
	early := append(some("early", 10), some("configuring", 24)...) // a refusal takes milliseconds
	s, failed, err := w.open(ctx, dap.TargetOf(w.p.tested.Build), early)
	if err != nil {
		return err
	}
	if failed != nil {
		w.done(ctx, w.p.tested, s, []dap.Event{{Output: *failed}}, early, true)
		return nil
	}
	var events []dap.Event
	plan := []dap.Action{{Kind: dap.FuncBreak, Name: "main.main"}, {Kind: dap.Continue}}
	for range 2 {
		for _, name := range some("paused", 12) {
			plan = append(plan, dap.Action{Kind: dap.Misuse, Name: name})
		}
		plan = append(plan, dap.Action{Kind: dap.Next})
	}
	if r.IntN(2) == 0 {
		// The program is asked to pause wherever it is, which is often its end, and stepped from there.
		plan = append(plan, dap.Action{Kind: dap.Interrupt}, dap.Action{Kind: dap.Stack}, dap.Action{Kind: dap.Threads},
			dap.Action{Kind: dap.Next}, dap.Action{Kind: dap.Interrupt}, dap.Action{Kind: dap.StepOut})
	}
	plan = append(plan, dap.Action{Kind: dap.Finish})
	for _, name := range some("ended", 14) {
		plan = append(plan, dap.Action{Kind: dap.Misuse, Name: name})
	}
	for _, a := range plan {
		if s.Pause() == nil && (a.Kind.Steps() || a.Kind == dap.Interrupt || a.Kind == dap.Stack || a.Kind == dap.Threads) {
			continue
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
	w.done(ctx, w.p.tested, s, events, early, true)
	return nil
}
