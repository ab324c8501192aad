package profiler

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
)

// Tool runs a tool of the toolchain, such as cover or covdata, beside a run's package, and returns what it prints on standard
// output; where it fails, the error has what it prints on standard error.
func (b *Bench) Tool(ctx context.Context, r *Run, args ...string) (string, error) {
	out, err := b.tool(ctx, r.Toolchain, r.Where, r.Env, args[0], args[1:]...)
	return b.told(ctx, args, out, err)
}

// ToolWithin runs a tool as Tool does, which may have only so many files open at once, as people's systems have limits. It is not ok where
// no such limit can be set.
func (b *Bench) ToolWithin(ctx context.Context, r *Run, files int, args ...string) (out string, ok bool, err error) {
	shell, err := exec.LookPath("sh")
	path, known := b.pathOf(ctx, r.Toolchain, args[0])
	if err != nil || !known || runtime.GOOS == "windows" {
		return "", false, nil
	}
	limited := append([]string{"-c", `ulimit -n "$0" && exec "$@"`, strconv.Itoa(files), path}, args[1:]...)
	out, err = b.under(ctx, r.Toolchain, shell, r.Where, r.Env, limited...)
	out, err = b.told(ctx, args, out, err)
	return out, true, err
}

// told is what a tool has printed, if it did not fail.
func (b *Bench) told(ctx context.Context, args []string, out string, err error) (string, error) {
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
