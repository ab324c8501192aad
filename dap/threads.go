package dap

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/go-dap"
)

// listThreads asks for the threads, and keeps which they are for as long as the pause lasts.
func (s *Session) listThreads(ctx context.Context) (names []string, _ *Output) {
	r, err := s.ask(ctx, "threads", nil)
	if err != nil {
		return nil, s.fail(err)
	}
	t, ok := r.(*dap.ThreadsResponse)
	if !ok {
		return nil, &Output{Kind: Refused, Text: normalText(refusal(r))}
	}
	var ids []int
	s.threadNames = nil
	for _, th := range t.Body.Threads {
		s.threadNames = append(s.threadNames, th.Name)
		// The runtime's own goroutines come and go as they like.
		if name := normalThread(th.Name); !strings.HasPrefix(strings.TrimPrefix(name, "* "), "runtime.") {
			names, ids = append(names, name), append(ids, th.Id)
		}
	}
	if len(ids) != len(s.threadIDs) {
		s.others = make([]*Pause, len(ids))
	}
	s.threadIDs = ids
	return names, nil
}

func (s *Session) doThreads(ctx context.Context) Output {
	names, out := s.listThreads(ctx)
	if out != nil {
		return *out
	}
	return Output{Kind: Answered, Threads: names}
}

// Threads are the threads that the adapter has listed at this pause, each as far as it was asked for: nil, its stack, or
// its stack with the variables of the innermost frame. It is empty until the list is asked for.
func (s *Session) Threads() []*Pause { return s.others }

// Listed are the names of all threads of the last list, as the adapter has them.
func (s *Session) Listed() []string { return s.threadNames }

// DefaultStack is how many frames the adapter shows of the thread that has paused to a client that does not say how many it wants.
func (s *Session) DefaultStack(ctx context.Context) (int, error) {
	r, err := s.ask(ctx, "stackTrace", dap.StackTraceArguments{ThreadId: s.thread})
	if err != nil {
		return 0, err
	}
	st, ok := r.(*dap.StackTraceResponse)
	if !ok {
		return 0, &refusedError{"stackTrace: " + normalText(refusal(r))}
	}
	return len(st.Body.StackFrames), nil
}

// leave notes that the pause is over, and all that was shown of it.
func (s *Session) leave() {
	s.stale, s.pause, s.others, s.threadIDs = s.pause, nil, nil, nil
}

// threadOf is the adapter's number of the thread that an action is about.
func (s *Session) threadOf(ctx context.Context, a Action) (id int, _ *Output) {
	switch {
	case a.Thread == 0:
		return s.thread, nil
	case s.pause == nil:
		return 0, &Output{Kind: Refused, Text: "misstep: the program is not paused"}
	case s.threadIDs == nil:
		if _, out := s.listThreads(ctx); out != nil {
			return 0, out
		}
	}
	if a.Thread > len(s.threadIDs) {
		return 0, &Output{Kind: Refused, Text: fmt.Sprintf("misstep: there is no thread %d; expected 1 to %d", a.Thread, len(s.threadIDs))}
	}
	return s.threadIDs[a.Thread-1], nil
}

// seenFrom is the pause as the thread shows it that an action is about: its stack is asked for, in pages if the action
// asks for some.
func (s *Session) seenFrom(ctx context.Context, a Action) (*Pause, *Output) {
	if a.Thread == 0 {
		if s.pause == nil {
			return nil, &Output{Kind: Refused, Text: "the program is not paused"}
		}
		return s.pause, nil
	}
	id, out := s.threadOf(ctx, a)
	if out != nil {
		return nil, out
	}
	page := 0
	if a.Kind == Stack {
		page = a.Page
	}
	stack, err := s.stack(ctx, id, page)
	if err != nil {
		return nil, s.answerError(err)
	}
	p := &Pause{Reason: s.pause.Reason, Thread: s.number(id), Stack: stack}
	if was := s.others[a.Thread-1]; was != nil {
		p.Scopes = was.Scopes
	}
	s.others[a.Thread-1] = p
	return p, nil
}

// number is what outputs call a thread, by the order of appearance.
func (s *Session) number(id int) int {
	if s.threads[id] == 0 {
		s.threads[id] = len(s.threads) + 1
	}
	return s.threads[id]
}

// frame is the frame that an action is about, and the pause as its thread shows it.
func (s *Session) frame(ctx context.Context, a Action) (*Pause, Frame, *Output) {
	p, out := s.seenFrom(ctx, a)
	if out != nil {
		return nil, Frame{}, out
	}
	if a.Frame < 0 || a.Frame >= len(p.Stack) {
		none := a.about(p, Output{Kind: Refused, Text: fmt.Sprintf("the pause has no frame %d", a.Frame)})
		return p, Frame{}, &none
	}
	return p, p.Stack[a.Frame], nil
}

// about is an output with the thread that the action has named, and its stack.
func (a Action) about(p *Pause, out Output) Output {
	if a.Thread > 0 {
		out.Thread, out.Stack = p.Thread, p.Stack
	}
	return out
}

// From is a pause as the thread shows it that an action is about; nil where that is not known.
func (e Event) From(p *Pause) *Pause {
	if p == nil || e.Action.Thread == 0 {
		return p
	}
	if e.Output.Thread == 0 {
		return nil
	}
	from := &Pause{Reason: p.Reason, Thread: e.Output.Thread, Stack: e.Output.Stack}
	if e.Action.Kind == Vars && e.Action.Frame == 0 {
		from.Scopes = e.Output.Scopes
	}
	return from
}
