package dap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"
)

func (s *Session) doResume(ctx context.Context, a Action) Output {
	switch {
	case s.ended && s.target.bare():
		return s.arrived(ctx) // it may have, before anybody waited for it
	case s.ended:
		return Output{Kind: Refused, Text: "the program has ended"}
	}
	thread, out := s.threadOf(ctx, a)
	if out == nil {
		out = s.resume(ctx, a, thread)
	}
	if out != nil {
		return *out
	}
	var changed []string
	if a.Meanwhile != "" {
		out := s.meanwhile(ctx, a.Meanwhile)
		if out.Kind.Fatal() {
			return out
		}
		changed = out.Changed
	}
	paused := s.settle(ctx)
	paused.Changed = changed
	if a.Thread > 0 {
		paused.Thread = s.number(thread)
	}
	return paused
}

// resume sends the request that lets the program run, or a thread step, by the adapter's number of it.
func (s *Session) resume(ctx context.Context, a Action, thread int) *Output {
	s.leave()
	if s.state == Running {
		return nil // it was let run before, and nothing has stopped it
	}
	if s.state == NotRunning {
		if a.Kind != Continue {
			return &Output{Kind: Refused, Text: "misstep: the program has not started"}
		}
		s.state, s.stopped = Running, nil
		// What an adapter says of building the program is nothing that the program prints.
		s.stdout.Reset()
		s.errout.Reset()
		if s.caps.SupportsConfigurationDoneRequest {
			if out := s.simple(ctx, "configurationDone", map[string]any{}); out.Kind != Done {
				return &out
			}
		}
		if s.launch != 0 {
			r, err := s.answer(ctx, s.launch, s.begins())
			s.launch = 0
			if err != nil {
				return s.fail(err)
			}
			if !r.GetResponse().Success {
				return &Output{Kind: Refused, Text: s.begins() + ": " + refusal(r)}
			}
		}
		return nil
	}
	command := a.Kind.Meaning().Requests[0]
	args := map[string]any{"threadId": thread}
	if a.Instruction {
		args["granularity"] = "instruction"
	}
	was := s.state
	s.state, s.stopped = Running, nil
	out := s.simple(ctx, command, args)
	if out.Kind != Done {
		if out.Kind == Refused {
			s.state = was
		}
		return &out
	}
	return nil
}

// leastWait is the part of the usual wait that is left for a program which nothing pauses again and again.
const leastWait = 4

// settle waits until the program pauses or ends, and shows what there is.
func (s *Session) settle(ctx context.Context) Output {
	limit := s.opts.Run
	if s.target.Endless > 0 {
		// Where nothing has paused the program in time, the next time is likely to be the same.
		limit = max(s.target.Endless>>s.interrupts, s.target.Endless/leastWait)
	}
	begun := time.Now()
	run, cancel := context.WithTimeout(ctx, limit)
	err := s.await(run, func() bool { return s.state != Running })
	cancel()
	if late := time.Since(begun) > limit/2; late && !errors.Is(err, errHang) {
		s.interrupts = max(0, s.interrupts-1)
	}
	if errors.Is(err, errHang) {
		// Is it the program that runs on, or the adapter that is stuck?
		if out := s.halt(ctx); out != nil {
			return *out
		}
		if s.target.Endless > 0 {
			s.interrupts++
			out := s.arrived(ctx)
			out.Interrupted = out.Pause != nil && out.Pause.Reason == "pause"
			return out
		}
		return Output{Kind: Timeout, Text: fmt.Sprintf("the program ran for %s", s.opts.Run)}
	}
	if err != nil {
		return *s.fail(err)
	}
	return s.arrived(ctx)
}

// arrived is the output of a program that has just paused or ended.
func (s *Session) arrived(ctx context.Context) Output {
	if s.state == NotRunning {
		if out := s.gone(ctx, s.opts.Request); out != nil {
			return *out
		}
		return Output{Kind: Ended, Exit: s.exit()}
	}
	p, err := s.snapshot(ctx)
	if err != nil {
		if s.ended {
			return Output{Kind: Ended, Exit: s.exit()}
		}
		return *s.answerError(err)
	}
	s.pause = p
	return Output{Kind: Paused, Pause: p}
}

// AfterRun is in the text of a hang that showed when a program was to be paused which had run for as long
// as it may: the adapter may have failed to say that it had paused or ended before.
const AfterRun = "after the program ran for"

// anew is after which part of the time for it a pause that has not come is asked for once more: an adapter that has lost the request, which
// the protocol's rules tell, is good for the rest of the session.
const anew = 4

// halt asks a running program to pause. It returns nil when it does.
func (s *Session) halt(ctx context.Context) *Output {
	seq, err := s.post("pause", map[string]any{"threadId": max(s.thread, 1)})
	if err != nil {
		return s.fail(err)
	}
	limit := min(s.opts.Request, s.opts.Run) // it has had that long already
	var last int
	paused := func() bool {
		return s.state != Running && (s.replies[seq] != nil || last > 0 && s.replies[last] != nil)
	}
	first, cancel := context.WithTimeout(ctx, limit/anew)
	err = s.await(first, paused)
	cancel()
	if errors.Is(err, errHang) {
		if last, err = s.post("pause", map[string]any{"threadId": max(s.thread, 1)}); err != nil {
			return s.fail(err)
		}
		rest, cancel := context.WithTimeout(ctx, limit-limit/anew)
		err = s.await(rest, paused)
		cancel()
	}
	if err != nil {
		return s.fail(fmt.Errorf("pause, %s %s: %w", AfterRun, s.opts.Run, err))
	}
	delete(s.replies, seq)
	delete(s.replies, last)
	return nil
}

// doInterrupt lets the program run, asks it to pause, and shows where that was.
func (s *Session) doInterrupt(ctx context.Context) Output {
	if s.ended {
		return Output{Kind: Refused, Text: "the program has ended"}
	}
	if out := s.resume(ctx, Action{Kind: Continue}, s.thread); out != nil {
		return *out
	}
	if out := s.halt(ctx); out != nil {
		return *out
	}
	return s.arrived(ctx)
}

// maxPassed bounds what is told of pauses that are passed.
const maxPassed = 16

// runsOn is for how long a program that does not end has to run, without breakpoints or a debugger, to be believed to run on.
const runsOn = 200 * time.Millisecond

// stillRuns is what comes of a program that has no end and runs on when nothing is to pause it any more.
const stillRuns = "the program runs on"

// doFinish removes every breakpoint and continues until the program ends; one that does not end is left when it has run on. A
// program that pauses again and again, as for a panic, is given a few tries.
func (s *Session) doFinish(ctx context.Context) Output {
	if s.ended {
		return Output{Kind: Ended, Exit: s.exit()}
	}
	if out := s.clearAll(ctx); out != nil {
		return *out
	}
	limit := s.opts.Run
	if s.target.Endless > 0 {
		limit = runsOn
	}
	deadline := time.Now().Add(limit)
	var passed []string
	for {
		if out := s.resume(ctx, Action{Kind: Continue}, s.thread); out != nil {
			return *out
		}
		run, cancel := context.WithDeadline(ctx, deadline)
		err := s.await(run, func() bool { return s.state != Running })
		cancel()
		switch {
		case errors.Is(err, errHang) && s.target.Endless > 0:
			if out := s.doDisconnect(ctx, Action{Kind: Disconnect}); out.Kind != Done {
				return out
			}
			return Output{Kind: Done, Text: stillRuns, Passed: passed}
		case errors.Is(err, errHang):
			if out := s.halt(ctx); out != nil {
				return *out
			}
			return Output{Kind: Timeout, Text: fmt.Sprintf("the program did not end within %s", s.opts.Run)}
		case err != nil:
			return *s.fail(err)
		case s.state == NotRunning:
			out := s.arrived(ctx)
			out.Passed = passed
			return out
		case time.Now().After(deadline):
			return Output{Kind: Timeout, Text: "the program pauses again and again without a breakpoint"}
		}
		s.thread = s.stopped.Body.ThreadId
		if len(passed) < maxPassed {
			passed = append(passed, cmp.Or(s.stopped.Body.Description, s.stopped.Body.Reason))
		}
	}
}
