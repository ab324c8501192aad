package dap

import (
	"context"
	"fmt"

	"github.com/google/go-dap"
)

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
