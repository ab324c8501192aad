package dap

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
)

// heldFile is the file of a held program's package, and latch the one for whose end it waits.
const heldFile, latch = "misstep_held.go", "misstep.latch"

// heldText waits for the end of a file, which it looks for a thousand times a second.
const heldText = `package %s

import "syscall"

func init() {
	for {
		fd, err := syscall.Open(%s, 0, 0)
		if err == syscall.ENOENT {
			return
		}
		if err == nil {
			syscall.Close(fd)
		}
		syscall.Nanosleep(&syscall.Timespec{Nsec: 1e6}, nil)
	}
}
`

// hold has the copy of the program wait before its main, in a package of that name, until it is released.
func (s *Session) hold(pkg string) error {
	file := filepath.Join(s.copied, latch)
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		return fmt.Errorf("holding the program: %w", err)
	}
	return s.Edit(path.Join(path.Dir(filepath.ToSlash(s.target.Copy.File)), heldFile), fmt.Appendf(nil, heldText, pkg, strconv.Quote(file)))
}

// Release lets a program go on that waits before its main, see [Copy].
func (s *Session) Release() error {
	if err := os.Remove(filepath.Join(s.copied, latch)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("releasing the program: %w", err)
	}
	return nil
}

// Waits reports whether the program is one that waits before its main, without a debugger that could have it pause.
func (t Target) Waits() bool { return t.Copy != nil && t.Copy.Held && t.bare() }

// risky are the requests that change what a session does once they are granted, or have ways of their own to be asked.
var risky = []string{"pause", "restart", "terminate", "setFunctionBreakpoints", "setInstructionBreakpoints", "setExceptionBreakpoints", "setDataBreakpoints", "setVariable", "writeMemory"}

// AskAll asks for all that a client can of a program that runs, but for what would change the session. The output is Refused, with what it
// is about, if something is granted that lets a program run, which does.
func (s *Session) AskAll(ctx context.Context) Output {
	for _, r := range requests {
		if slices.Contains(risky, r.command) {
			continue
		}
		out := s.simple(ctx, r.command, r.args(s))
		switch {
		case out.Kind.Fatal():
			return out
		case out.Kind == Done && slices.Contains([]string{"continue", "next", "stepIn", "stepOut"}, r.command):
			return Output{Kind: Refused, Text: r.command + " is granted"}
		}
	}
	return Output{Kind: Done}
}

// LetRun lets the program run and does not wait for what comes of that, as the next action that resumes it does.
func (s *Session) LetRun(ctx context.Context) Output {
	if out := s.resume(ctx, Action{Kind: Continue}, s.thread); out != nil {
		return *out
	}
	return Output{Kind: Done}
}

// Meanwhile asks for one of [Meanwhiles] of a program that runs.
func (s *Session) Meanwhile(ctx context.Context, what string) Output { return s.meanwhile(ctx, what) }

// Farewell waits until the adapter has told that the session, which was ended by a request, is over (DAP, Terminated Event).
func (s *Session) Farewell(ctx context.Context) Output {
	wait, cancel := context.WithTimeout(ctx, s.opts.Request)
	defer cancel()
	if err := s.await(wait, func() bool { return s.ended }); err != nil {
		return Output{Kind: Refused, Text: "no terminated event after the answer: " + err.Error()}
	}
	return Output{Kind: Done}
}
