package gobuild

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"misstep/internal/proc"
)

// RunEnv is the environment that makes a program's run repeatable: one
// processor, and no preemption but where the program itself gives way.
var RunEnv = []string{"GOMAXPROCS=1", "GODEBUG=asyncpreemptoff=1", "GOTRACEBACK=single"}

// Plain is how a program ran by itself, without a debugger.
type Plain struct {
	Stdout, Stderr string
	ExitCode       int
	Took           time.Duration
	// Unsteady is what two runs differ in, the program's output or what it writes to standard error; empty if they are alike.
	Unsteady string
}

// Unfit says why a program cannot be used.
type Unfit struct {
	Program string
	Reason  string
	// Endless says that it is so only as it does not end in time, and Idle that it did next to nothing until then.
	Endless, Idle bool
}

func (u *Unfit) Error() string { return fmt.Sprintf("%s is unfit: %s", u.Program, u.Reason) }

// Limits bound a plain run.
type Limits struct {
	Time   time.Duration
	Output int // bytes, of each stream
	// Waits says that one that does next to nothing is waited for as long as any other.
	Waits bool
}

// DefaultLimits suit programs that a debugger is to step through.
var DefaultLimits = Limits{Time: 3 * time.Second, Output: 256 << 10}

// idle is which part of its time at least a program uses a processor that does something.
const idle = 20

// Fit runs a build twice and returns how it ran, or an *Unfit error if it does
// not end, prints too much, leaves a process behind, or does not run twice
// alike.
func (c *Cache) Fit(ctx context.Context, b *Build, lim Limits) (*Plain, error) {
	p, err := c.Repeated(ctx, b, lim, 2)
	if err == nil && p.Unsteady != "" {
		return nil, &Unfit{Program: b.Program.Name, Reason: "not deterministic: two runs differ in their " + p.Unsteady}
	}
	return p, err
}

// longest bounds the time for more runs than two.
const longest = 2 * time.Second

// Repeated does the same, so many times, but for what a program prints: if runs differ in that alone, the first says so.
func (c *Cache) Repeated(ctx context.Context, b *Build, lim Limits, times int) (*Plain, error) {
	b, err := c.undisturbed(ctx, b)
	if err != nil {
		return nil, err
	}
	// A program that has done next to nothing for as long as others take waits for something that may never come, and not longer for more time.
	short := lim
	if !lim.Waits {
		short.Time = min(lim.Time, DefaultLimits.Time)
	}
	first, err := c.plain(ctx, b, short)
	var unfit *Unfit
	if errors.As(err, &unfit) && unfit.Endless && !unfit.Idle && short.Time < lim.Time {
		first, err = c.plain(ctx, b, lim)
	}
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	for n := 1; n < times && (n < 2 || first.Unsteady == "" && time.Since(begun) < longest); n++ {
		again, err := c.plain(ctx, b, lim)
		if err != nil {
			return nil, err
		}
		switch {
		case first.ExitCode != again.ExitCode:
			return nil, &Unfit{Program: b.Program.Name, Reason: "not deterministic: two runs differ in their exit code"}
		case first.Stdout != again.Stdout:
			first.Unsteady = "output"
		case first.ExitCode == 0 && first.Stderr != again.Stderr:
			// A crash prints addresses; its exit code and output have to do.
			first.Unsteady = "standard error"
		}
	}
	return first, nil
}

// Plain runs a build once, with the same errors as Fit.
func (c *Cache) Plain(ctx context.Context, b *Build, lim Limits) (*Plain, error) {
	b, err := c.undisturbed(ctx, b)
	if err != nil {
		return nil, err
	}
	return c.plain(ctx, b, lim)
}

func (c *Cache) plain(ctx context.Context, b *Build, lim Limits) (*Plain, error) {
	unfit := func(format string, args ...any) (*Plain, error) {
		return nil, &Unfit{Program: b.Program.Name, Reason: fmt.Sprintf(format, args...)}
	}
	runCtx, cancel := context.WithTimeoutCause(ctx, lim.Time, errTimeout)
	defer cancel()
	runCtx, stop := context.WithCancelCause(runCtx)
	defer stop(nil)
	stdout := &limited{max: lim.Output, full: func() { stop(errOutput) }}
	stderr := &limited{max: lim.Output, full: func() { stop(errOutput) }}
	start := time.Now()
	process, err := c.Keeper.Start(runCtx, proc.Spec{
		Path: b.Binary, Args: b.Program.RunArgs, Dir: b.Program.RunDir(), Env: RunEnv,
		Stdout: stdout, Stderr: stderr, // and its standard input is empty, as under a debugger
	})
	if err != nil {
		return nil, fmt.Errorf("running %s: %w", b.Program.Name, err)
	}
	left, err := process.Wait(runCtx)
	plain := &Plain{Stdout: stdout.String(), Stderr: stderr.String(), Took: time.Since(start)}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, errTimeout):
		u := &Unfit{Program: b.Program.Name, Reason: fmt.Sprintf("does not end within %s", lim.Time), Endless: true, Idle: process.Used() < lim.Time/idle}
		if u.Idle {
			u.Reason += ", and does next to nothing"
		}
		return nil, u
	case errors.Is(err, errOutput):
		return unfit("prints more than %d bytes", lim.Output)
	case left || errors.Is(err, exec.ErrWaitDelay):
		return unfit("leaves a process behind")
	case errors.As(err, &exit):
		plain.ExitCode = proc.Code(exit.ProcessState)
		if strings.Contains(plain.Stderr, trapped) {
			return unfit("pauses itself by runtime.%s in another package than its own", breakpoint)
		}
	case err != nil:
		return nil, fmt.Errorf("running %s: %w", b.Program.Name, err)
	}
	return plain, nil
}

var (
	errTimeout = errors.New("out of time")
	errOutput  = errors.New("too much output")
)

// limited is a buffer that calls full once when more than max bytes came. It
// does not embed bytes.Buffer, whose ReadFrom would get round the limit.
type limited struct {
	buf    bytes.Buffer
	max    int
	full   func()
	called bool
}

func (l *limited) Write(p []byte) (int, error) {
	if l.buf.Len()+len(p) > l.max {
		if !l.called {
			l.called = true
			l.full()
		}
		return len(p), nil
	}
	return l.buf.Write(p)
}

func (l *limited) String() string { return l.buf.String() }
