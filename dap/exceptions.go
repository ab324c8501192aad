package dap

import (
	"context"
	"regexp"
	"strconv"
	"strings"

	"github.com/google/go-dap"
)

// doCatch sets what pauses the program when it goes wrong: names with commas between, all or none.
func (s *Session) doCatch(ctx context.Context, text string) Output {
	if len(s.caps.ExceptionBreakpointFilters) == 0 {
		return Output{Kind: Unsupported, Text: exceptionFilters}
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
// what the adapter says of it. Traced is the stack that goes with it, without the runtime's functions.
func (s *Session) doException(ctx context.Context) Output {
	r, err := s.ask(ctx, "exceptionInfo", dap.ExceptionInfoArguments{ThreadId: s.thread})
	if err != nil {
		return *s.fail(err)
	}
	e, ok := r.(*dap.ExceptionInfoResponse)
	if !ok {
		return Output{Kind: Refused, Text: normalText(refusal(r))}
	}
	out := Output{Kind: Answered, Value: &Variable{Type: e.Body.ExceptionId, Value: normalText(e.Body.Description)}}
	if e.Body.Details != nil {
		for _, m := range tracedFrame.FindAllStringSubmatch(e.Body.Details.StackTrace, -1) {
			if !strings.HasPrefix(m[1], "runtime.") {
				line, _ := strconv.Atoi(m[3])
				out.Traced = append(out.Traced, Frame{Func: m[1], File: s.rel(m[2]), Line: line})
			}
		}
	}
	return out
}

// tracedFrame is a frame of the stack that Delve tells as text: its function, its file and its line.
var tracedFrame = regexp.MustCompile(`(?m)^\s*\d+\s+0x[0-9a-f]+ in (\S.*)\n\s*at (.+):(\d+)$`)
