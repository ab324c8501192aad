package gen

import (
	"context"

	"misstep/dap"
)

// Play carries out in a session what a chooser chooses, until there is nothing more, or the adapter is of no use any more. The error is
// misstep's own or the context's; what was done until then is returned with it.
func Play(ctx context.Context, s *dap.Session, c Chooser) (events []dap.Event, err error) {
	for {
		a, more := c.Next(s)
		if !more {
			return events, nil
		}
		out, err := s.Do(ctx, a)
		if err != nil {
			return events, err
		}
		if events = append(events, dap.Event{Action: a, Output: out}); out.Kind.Fatal() {
			return events, nil
		}
	}
}

// PlayOut does the same, and then lets the program run to its end, unless the session has been left.
func PlayOut(ctx context.Context, s *dap.Session, c Chooser) ([]dap.Event, error) {
	events, err := Play(ctx, s, c)
	if n := len(events); err != nil || n > 0 && (events[n-1].Output.Kind.Fatal() || events[n-1].Action.Kind == dap.Disconnect) {
		return events, err
	}
	a := dap.Action{Kind: dap.Finish}
	out, err := s.Do(ctx, a)
	if err != nil {
		return events, err
	}
	return append(events, dap.Event{Action: a, Output: out}), nil
}

// Repeat carries the actions of events out once more, one after the other, as long as the adapter is of use.
func Repeat(ctx context.Context, s *dap.Session, was []dap.Event) ([]dap.Event, error) {
	var events []dap.Event
	for _, e := range was {
		if e.Action.Kind == "" {
			continue // the launch
		}
		out, err := s.Do(ctx, e.Action)
		if err != nil {
			return events, err
		}
		if events = append(events, dap.Event{Action: e.Action, Output: out}); out.Kind.Fatal() {
			break
		}
	}
	return events, nil
}
