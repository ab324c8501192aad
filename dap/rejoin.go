package dap

import (
	"context"
	"fmt"
	"net"
)

// RejoinWays are those in which a client leaves a server that other clients may connect to: it says so, or its connection is lost.
var RejoinWays = []string{"disconnect", "close"}

// Rejoin leaves the server that has the program, in one of [RejoinWays], and connects to it as another client, which sets all breakpoints
// and finds the program as it was: paused. Only a session that has attached to a server can do so. What is said from here on is not
// on the session's [Session.Wire], as another client is another session.
func (s *Session) Rejoin(ctx context.Context, way string) Output {
	switch {
	case s.target.Attach != AttachServer || s.address == "":
		return Output{Kind: Unsupported, Text: "the adapter is no server of this session's own"}
	case s.state != PausedState || s.ended:
		return Output{Kind: Refused, Text: "misstep: the program is not paused"}
	}
	was := s.thread
	if way != "close" {
		if out := s.simple(ctx, "disconnect", map[string]any{"terminateDebuggee": false}); out.Kind != Done {
			return out
		}
	}
	if s.before == nil {
		s.before, s.first = s.conn.wire(), len(s.marks)
	}
	s.extra.Close()
	c, err := (&net.Dialer{Timeout: s.opts.Launch}).DialContext(ctx, "tcp", s.address)
	if err != nil {
		return Output{Kind: Refused, Text: fmt.Sprintf("connecting once more: %v", err)}
	}
	s.use(c)
	clear(s.replies)
	// That the first session is over says nothing of the program.
	s.state, s.ended, s.exitCode, s.stopped, s.inits, s.launch, s.seq = NotRunning, false, nil, nil, 0, 0, 0
	s.leave()
	s.running.stays = true
	if out := s.doLaunch(ctx); out != nil {
		return *out
	}
	out := s.resendAll(ctx)
	if out.Kind != Done {
		return out
	}
	if len(out.Changed) > 0 {
		return Output{Kind: Refused, Text: "breakpoints that were set before: " + out.Changed[0]}
	}
	if out := s.resume(ctx, Action{Kind: Continue}, was); out != nil {
		return *out
	}
	return s.arrivedAs(ctx, was)
}

// arrivedAs waits for a pause that was there before the session, and shows it as the thread does that was paused.
func (s *Session) arrivedAs(ctx context.Context, was int) Output {
	run, cancel := context.WithTimeout(ctx, s.opts.Request)
	err := s.await(run, func() bool { return s.state != Running })
	cancel()
	if err != nil {
		return *s.fail(fmt.Errorf("waiting for the pause that another client is told of: %w", err))
	}
	if s.stopped != nil {
		// Tolerance entry-thread: the thread is the one that it was, whichever the event names.
		s.stopped.Body.ThreadId = was
	}
	return s.arrived(ctx)
}
