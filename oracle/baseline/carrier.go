package baseline

import (
	"context"

	"misstep/dap"
	"misstep/gen"
	"misstep/oracle"
)

// A Carrier carries a session out once more, from its start to its end.
type Carrier func(ctx context.Context) (*oracle.Seen, error)

// An Opener opens a session of a target.
type Opener func(ctx context.Context) (*dap.Session, *dap.Output, error)

// Repeating carries the actions of a session out once more, and what it began with as the opener does.
func Repeating(was *oracle.Seen, open Opener) Carrier {
	return func(ctx context.Context) (*oracle.Seen, error) {
		s, failed, err := open(ctx)
		if err != nil {
			return nil, err
		}
		var events []dap.Event
		if failed != nil {
			events = append(events, dap.Event{Output: *failed})
		} else {
			events, err = gen.Repeat(ctx, s, was.Events)
		}
		s.Close()
		if err != nil {
			return nil, err
		}
		return oracle.SeenOf(was.Debuggee, s, events, was.Early), nil
	}
}
