package dap

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/go-dap"
)

// Filters are the names of what the adapter can pause the program for when it goes wrong.
func (s *Session) Filters() (names []string) {
	for _, f := range s.caps.ExceptionBreakpointFilters {
		names = append(names, f.Filter)
	}
	return names
}

// doCatch sets what pauses the program when it goes wrong: names with commas between, all or none.
func (s *Session) doCatch(ctx context.Context, text string) Output {
	if len(s.caps.ExceptionBreakpointFilters) == 0 {
		return Output{Kind: Unsupported, Text: "exceptionBreakpointFilters"}
	}
	filters := []string{}
	switch text {
	case "none":
	case "all":
		filters = s.Filters()
	default:
		filters = strings.Split(text, ",")
	}
	out := s.simple(ctx, "setExceptionBreakpoints", dap.SetExceptionBreakpointsArguments{Filters: filters})
	if out.Kind == Done {
		s.breakpoints.caught = &text
	}
	return out
}

// doException asks what the pause is for. The value's type is the kind of what went wrong, and its text
// what the adapter says of it.
func (s *Session) doException(ctx context.Context) Output {
	r, err := s.ask(ctx, "exceptionInfo", dap.ExceptionInfoArguments{ThreadId: s.thread})
	if err != nil {
		return *s.fail(err)
	}
	e, ok := r.(*dap.ExceptionInfoResponse)
	if !ok {
		return Output{Kind: Refused, Text: normalText(refusal(r))}
	}
	return Output{Kind: Answered, Value: &Variable{Type: e.Body.ExceptionId, Value: normalText(e.Body.Description)}}
}

// meanwhile asks for something while the program runs, as the user of an editor may at any time: whether
// it still does nobody knows, so that a refusal is as good as an answer. What is set must stay.
func (s *Session) meanwhile(ctx context.Context, what string) Output {
	switch what {
	case "breakpoints":
		return s.resendAll(ctx)
	case "exceptions":
		names := "all"
		if s.breakpoints.caught != nil {
			names = *s.breakpoints.caught
		}
		return s.doCatch(ctx, names)
	case "threads":
		return s.simple(ctx, "threads", nil)
	case "stack":
		return s.simple(ctx, "stackTrace", dap.StackTraceArguments{ThreadId: max(s.thread, 1)})
	case "evaluate":
		return s.simple(ctx, "evaluate", dap.EvaluateArguments{Expression: "1", Context: "watch"})
	}
	return Output{Kind: Refused, Text: fmt.Sprintf("misstep cannot ask for %q while the program runs", what)}
}
