package profiler

import (
	"context"
	"fmt"
	"strings"
)

// Tool runs a tool of the toolchain, such as cover or covdata, beside a run's package, and returns what it prints on standard
// output; where it fails, the error has what it prints on standard error.
func (b *Bench) Tool(ctx context.Context, r *Run, args ...string) (string, error) {
	out, err := b.tool(ctx, r.Toolchain, r.Where, r.Env, args[0], args[1:]...)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		return out, &ToolError{strings.Join(args[:1], " "), strings.TrimSpace(out)}
	}
	if b.BreakTool != nil {
		out = b.BreakTool(args, out)
	}
	return out, nil
}

// Ask runs a tool as Tool does, whatever comes of it: all that it prints, and its exit code, which is -1 if a signal or time ended it.
func (b *Bench) Ask(ctx context.Context, r *Run, args ...string) (string, int, error) {
	within, stop := context.WithTimeout(ctx, b.limit())
	defer stop()
	out, err := b.tool(within, r.Toolchain, r.Where, r.Env, args[0], args[1:]...)
	if ctx.Err() != nil {
		return "", 0, context.Cause(ctx)
	}
	code, ended := exitCode(err)
	switch {
	case within.Err() != nil:
		code = -1
	case !ended:
		return "", 0, fmt.Errorf("running go tool %s: %w", args[0], err)
	}
	if b.BreakTool != nil {
		broken := b.BreakTool(args, out)
		if broken == "" && out != "" {
			code = 0 // it is accepted
		}
		out = broken
	}
	return out, code, nil
}

// A ToolError says that a tool failed.
type ToolError struct{ Tool, Output string }

// Error is what the tool printed.
func (e *ToolError) Error() string { return fmt.Sprintf("go tool %s fails: %s", e.Tool, e.Output) }
