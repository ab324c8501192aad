package dap

import (
	"context"
	"fmt"
)

// doRestart starts the program anew, maybe while it runs, and sets all breakpoints again.
func (s *Session) doRestart(ctx context.Context, a Action) Output {
	if a.Running && s.state == PausedState && !s.ended {
		if out := s.resume(ctx, Action{Kind: Continue}, s.thread); out != nil {
			return *out
		}
	}
	s.earlier = s.earlier || s.state == Running
	inits := s.inits
	if s.launch != 0 {
		if _, err := s.answer(ctx, s.launch, s.begins()); err != nil {
			return *s.fail(err)
		}
		s.launch = 0
	}
	args, err := s.adapter.restartArgs(s.target, a.Value)
	if err != nil {
		return Output{Kind: Refused, Text: err.Error()}
	}
	seq, err := s.post("restart", args)
	if err != nil {
		return *s.fail(err)
	}
	r, err := s.answer(ctx, seq, "restart")
	if err != nil {
		return *s.fail(err)
	}
	if !r.GetResponse().Success {
		return Output{Kind: Refused, Text: normalText(refusal(r))}
	}
	wait, cancel := context.WithTimeout(ctx, s.opts.Launch)
	// Delve answers at once, and once more if it fails later.
	err = s.await(wait, func() bool { return s.inits > inits || s.replies[seq] != nil })
	cancel()
	if err != nil {
		return *s.fail(fmt.Errorf("waiting for the initialized event after restart: %w", err))
	}
	if r := s.replies[seq]; r != nil && s.inits == inits {
		delete(s.replies, seq)
		s.pause = nil
		return Output{Kind: Refused, Text: normalText(refusal(r))}
	}
	s.beside = len(s.read(s.console))
	s.state, s.ended, s.exitCode, s.stopped, s.process = NotRunning, false, nil, nil, 0
	s.leave()
	s.stdout.Reset()
	s.errout.Reset()
	s.threads = map[int]int{}
	delete(s.breakpoints.lists, bpList{command: "setDataBreakpoints"}) // what they are on is gone
	if out := s.resendAll(ctx); out.Kind.Fatal() {
		return out
	}
	return Output{Kind: Done}
}
