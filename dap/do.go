package dap

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/google/go-dap"
)

// Do carries out one action and returns what came of it. An error means that
// the action itself makes no sense or that ctx has ended; whatever the adapter
// does is in the output.
func (s *Session) Do(ctx context.Context, a Action) (Output, error) {
	if s.fatal != nil {
		return *s.fatal, nil
	}
	s.logs, s.speakers = nil, nil
	was := s.pause
	out := s.do(ctx, a)
	out.Moved = out.Pause == nil && s.pause != nil && s.pause != was
	s.marks = append(s.marks, len(s.conn.wire()))
	if err := ctx.Err(); err != nil {
		return Output{}, context.Cause(ctx)
	}
	out.Logs, out.Speakers = s.logs, s.speakers
	if out.Kind.Fatal() && s.fatal == nil {
		s.fatal = &out
	}
	return out, nil
}

func (s *Session) do(ctx context.Context, a Action) Output {
	meaning := a.Kind.Meaning()
	// What an adapter that shows no variables is asked for them it answers itself.
	if lacks := s.Lacks(a); lacks != "" && lacks != Variables {
		return Output{Kind: Unsupported, Text: lacks}
	}
	switch meaning.Effect {
	case Sets:
		if s.ended {
			return Output{Kind: Refused, Text: "the program has ended"}
		}
		if a.Kind == Catch {
			return s.doCatch(ctx, a.Name)
		}
		return s.doSet(ctx, a)
	case Runs, Steps:
		switch a.Kind {
		case Finish:
			return s.doFinish(ctx)
		case Interrupt:
			return s.doInterrupt(ctx)
		}
		return s.doResume(ctx, a)
	case Begins:
		return s.doRestart(ctx, a)
	case Errs:
		return s.doMisuse(ctx, a.Name)
	case Ends:
		if a.Kind == Detach {
			return s.doDetach(ctx, a)
		}
		return s.doDisconnect(ctx, a)
	}
	if s.state != PausedState {
		return Output{Kind: Refused, Text: "the program is not paused"}
	}
	switch a.Kind {
	case Stack:
		return s.doStack(ctx, a)
	case Vars:
		return s.doVars(ctx, a)
	case Threads:
		return s.doThreads(ctx)
	case Evaluate:
		return s.doEvaluate(ctx, a)
	case SetVar:
		return s.doSetVar(ctx, a)
	case Call:
		return s.doCall(ctx, a)
	case Disas:
		return s.doDisassemble(ctx, a)
	case Memory:
		return s.doMemory(ctx, a)
	case WriteMem:
		return s.doWriteMemory(ctx, a)
	case Exception:
		return s.doException(ctx)
	case Request:
		return s.doRequest(ctx, a)
	}
	return Output{Kind: Refused, Text: fmt.Sprintf("misstep knows no action %q", a.Kind)}
}

// disconnecting are the arguments of the request that ends a session.
func (a Action) disconnecting(terminate bool) any {
	if a.Plain {
		return nil // DAP has them optional
	}
	return map[string]any{"terminateDebuggee": terminate}
}

// A refused answer inside a longer exchange.
type refusedError struct{ text string }

func (e *refusedError) Error() string { return e.text }

// answerError is the output for an error of one exchange.
func (s *Session) answerError(err error) *Output {
	var r *refusedError
	if errors.As(err, &r) {
		return &Output{Kind: Refused, Text: r.text}
	}
	return s.fail(err)
}

// simple sends a request whose answer has nothing to show.
func (s *Session) simple(ctx context.Context, command string, args any) Output {
	r, err := s.ask(ctx, command, args)
	if err != nil {
		return *s.fail(err)
	}
	if !r.GetResponse().Success {
		return Output{Kind: Refused, Text: normalText(refusal(r))}
	}
	return Output{Kind: Done}
}

func (s *Session) doStack(ctx context.Context, a Action) Output {
	if a.Thread == 0 {
		frames, err := s.stack(ctx, s.thread, a.Page)
		if err != nil {
			return *s.answerError(err)
		}
		return Output{Kind: Answered, Stack: frames}
	}
	of, out := s.seenFrom(ctx, a)
	if out != nil {
		return *out
	}
	return a.about(of, Output{Kind: Answered})
}

func (s *Session) doVars(ctx context.Context, a Action) Output {
	of, frame, out := s.frame(ctx, a)
	if out != nil {
		return *out
	}
	if s.adapter.NoVariables {
		return a.about(of, Output{Kind: Answered})
	}
	scopes, err := s.scopes(ctx, frame.id, a.Page)
	var refused *refusedError
	switch {
	case !s.own(frame.File) && errors.As(err, &refused):
		return a.about(of, Output{Kind: Answered}) // there may be no debug information of what it is in
	case err != nil:
		return a.about(of, *s.answerError(err))
	case !s.own(frame.File):
		return a.about(of, Output{Kind: Answered, Foreign: scopes})
	}
	if a.Thread > 0 && a.Frame == 0 {
		of.Scopes = scopes
	}
	return a.about(of, Output{Kind: Answered, Scopes: scopes})
}

func (s *Session) doEvaluate(ctx context.Context, a Action) Output {
	of, frame, out := s.frame(ctx, a)
	if out != nil {
		return *out
	}
	return a.about(of, s.evaluate(ctx, a, frame))
}

// doCall has the debugger call a function. Delve wants that to be said.
func (s *Session) doCall(ctx context.Context, a Action) Output {
	return s.doEvaluate(ctx, Action{Kind: Evaluate, Name: "call " + a.Name, Context: "repl"})
}

func (s *Session) evaluate(ctx context.Context, a Action, frame Frame) Output {
	paused := s.stopped
	r, err := s.ask(ctx, "evaluate", dap.EvaluateArguments{Expression: a.Name, FrameId: frame.id, Context: cmp.Or(a.Context, "watch")})
	if err != nil {
		return *s.fail(err)
	}
	if out := s.moved(ctx, paused); out != nil {
		return *out
	}
	e, ok := r.(*dap.EvaluateResponse)
	if !ok {
		return Output{Kind: Refused, Text: normalText(refusal(r))}
	}
	v := Variable{
		Type: e.Body.Type, Value: e.Body.Result,
		ref: e.Body.VariablesReference, indexed: e.Body.IndexedVariables, named: e.Body.NamedVariables,
	}
	list := []Variable{v}
	if err := s.expand(ctx, list, s.opts.Depth, a.Page); err != nil {
		return *s.answerError(err)
	}
	normalVars(list)
	return Output{Kind: Answered, Value: &list[0]}
}

// moved looks at a pause that came while a request was answered which makes the program run, as what it
// calls met a breakpoint: from then on, the frames are those of that pause. It returns nil unless that fails.
func (s *Session) moved(ctx context.Context, paused *dap.StoppedEvent) *Output {
	if s.stopped == paused || s.state != PausedState {
		return nil
	}
	p, err := s.snapshot(ctx)
	if err != nil {
		return s.answerError(err)
	}
	s.leave()
	s.pause = p
	return nil
}
