package dap

import (
	"context"
	"strings"

	"github.com/google/go-dap"
)

// doCatch sets what pauses the program when it goes wrong: names with commas between, all or none.
func (s *Session) doCatch(ctx context.Context, text string) Output {
	if len(s.caps.ExceptionBreakpointFilters) == 0 {
		return Output{Kind: Unsupported, Text: "exceptionBreakpointFilters"}
	}
	filters := []string{}
	switch text {
	case "none":
	case "all":
		for _, f := range s.caps.ExceptionBreakpointFilters {
			filters = append(filters, f.Filter)
		}
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
