package dap

import (
	"context"
	"time"
)

// Close asks the adapter to disconnect if it still answers, ends it and all
// that it started, and returns.
func (s *Session) Close() {
	if s.fatal == nil && !s.cut {
		args := map[string]any{}
		if s.running != nil {
			args["terminateDebuggee"] = true // which a client that has attached does not mean by itself
		}
		ctx, cancel := context.WithTimeout(context.Background(), s.opts.Request)
		s.ask(ctx, "disconnect", args)
		cancel()
	}
	s.extra.Close()
	grace := time.Second
	switch {
	case s.fatal != nil:
		grace = 0
	case s.left:
		grace = leaving
	}
	s.endProcess(grace)
	s.forget(0)
	s.endConsole()
	s.end()
}

// Left is how many processes of the program were left when the adapter had ended by itself, once the session is closed.
func (s *Session) Left() int {
	if s.proc == nil {
		return 0
	}
	return s.proc.Left()
}

// Gone reports whether the adapter's process has ended by itself, once the session is closed.
func (s *Session) Gone() bool { return s.proc == nil || s.proc.Itself() }

// endProcess ends the adapter's process, if it has one of its own.
func (s *Session) endProcess(grace time.Duration) {
	if s.proc != nil {
		s.proc.End(grace)
	}
}
