package dap

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"time"
)

// Ways are those to end a session beside the request for it: the client's connection is lost, as when an editor dies, or the adapter is
// asked to end as a process, as by who closes its terminal or shuts the machine down.
var Ways = []string{"close", "terminate", "interrupt"}

// signals are those of the ways that send one.
var signals = map[string]os.Signal{"terminate": syscall.SIGTERM, "interrupt": syscall.SIGINT}

// leaving is how long an adapter may take to end once it was told.
const leaving = 5 * time.Second

// doDisconnect ends the session in one of the ways. What then becomes of the adapter and of the program is seen when the session is
// closed.
func (s *Session) doDisconnect(ctx context.Context, a Action) Output {
	if a.Running && s.state == PausedState && !s.ended {
		if out := s.resume(ctx, Action{Kind: Continue}, s.thread); out != nil {
			return *out
		}
	}
	s.left = true
	if a.Way == "" {
		out := s.simple(ctx, "disconnect", a.disconnecting(true))
		if out.Kind == Refused && s.running != nil && s.running.process != nil && s.gone(ctx, leaving) == nil {
			// An adapter lets go of the threads before it ends the program, which may then end by itself
			// (tolerance gone-meanwhile).
			out = Output{Kind: Done}
		}
		if out.Kind == Done {
			// What is told of the session's end, or that nothing is, the rules judge.
			wait, cancel := context.WithTimeout(ctx, leaving)
			_ = s.await(wait, func() bool { return s.ended })
			cancel()
		}
		return out
	}
	return s.sever(a.Way)
}

// sever ends the session in one of [Ways], after which nothing can be asked any more.
func (s *Session) sever(way string) Output {
	if s.proc == nil {
		return Output{Kind: Unsupported, Text: "the adapter is not a process of this session's own"}
	}
	if sig, ok := signals[way]; ok {
		if err := s.proc.Signal(sig); err != nil {
			return Output{Kind: Refused, Text: fmt.Sprintf("misstep: sending a signal: %v", err)}
		}
	} else {
		s.conn.rw.Close()
	}
	s.cut = true
	return Output{Kind: Done}
}
