package dap

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"misstep/internal/proc"
)

// How a session gets a program that it does not launch. Each waits at its very start, as a launched one does.
const (
	AttachProcess = "process" // it is named by its number
	AttachName    = "name"    // it is the one whose command line begins so
	AttachServer  = "server"  // the adapter has been started with it, as a server that clients connect to
)

// Attaches are all ways to attach.
var Attaches = []string{AttachProcess, AttachName, AttachServer}

// A running is a program that has been started beside the session that attaches to it. What it prints goes
// into files, as no adapter passes that on.
type running struct {
	process        *proc.Process // nil if it is the adapter's, as a server
	name           string
	dir            string
	stdout, stderr string
	stays          bool // where it is paused
}

// run starts the program that is to be attached to, but for a server's, which starts it itself.
func (s *Session) run(ctx context.Context, keeper *proc.Keeper) error {
	dir, err := keeper.TempDir("attached")
	if err != nil {
		return fmt.Errorf("making a folder for what the program prints: %w", err)
	}
	r := &running{name: filepath.Base(dir), dir: dir, stdout: filepath.Join(dir, "stdout"), stderr: filepath.Join(dir, "stderr")}
	s.running = r
	if s.target.Attach == AttachServer {
		return nil
	}
	stdout, err := os.Create(r.stdout)
	if err != nil {
		return err
	}
	defer stdout.Close()
	stderr, err := os.Create(r.stderr)
	if err != nil {
		return err
	}
	defer stderr.Close()
	spec := proc.Spec{Path: s.target.Program, Args: s.target.Args, Dir: s.target.Dir, Env: s.target.Env, Stdout: stdout, Stderr: stderr, Held: true}
	if s.target.Attach == AttachName {
		spec.Name = r.name // no other process has it
	}
	if r.process, err = keeper.Start(ctx, spec); err != nil {
		return fmt.Errorf("starting the program to attach to: %w", err)
	}
	return nil
}

// served starts the adapter as a server that has the program, and connects to it.
func (s *Session) served(ctx context.Context, keeper *proc.Keeper) (net.Conn, error) {
	a, t, r := s.adapter, s.target, s.running
	spec := proc.Spec{Path: a.Path, Env: t.Env, Dir: t.Dir}
	words := strings.NewReplacer("{addr}", "127.0.0.1:0", "{program}", t.Program, "{cwd}", t.Dir, "{stdout}", r.stdout, "{stderr}", r.stderr)
	for _, word := range a.Server[1:] {
		if word == "{args}" {
			spec.Args = append(spec.Args, t.Args...)
		} else {
			spec.Args = append(spec.Args, words.Replace(word))
		}
	}
	return s.listening(ctx, keeper, spec, a.ServerReady)
}

// gone waits for a program that was attached to and that should have ended. It returns nil when it has, which
// it need not be waited for otherwise.
func (s *Session) gone(ctx context.Context, limit time.Duration) *Output {
	if s.running == nil || s.running.process == nil {
		return nil
	}
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case <-s.running.process.Done():
		return nil
	case <-ctx.Done():
	case <-t.C:
	}
	return &Output{Kind: Timeout, Text: fmt.Sprintf("the program that was attached to is left, and did not end within %s", limit)}
}

// farewells waits until it is told that the session is over: until then, the adapter may still write to the program.
func (s *Session) farewells(ctx context.Context) *Output {
	run, cancel := context.WithTimeout(ctx, s.opts.Run)
	defer cancel()
	err := s.await(run, func() bool { return s.ended })
	if errors.Is(err, errHang) {
		return s.fail(fmt.Errorf("waiting for the terminated event after disconnect: %w", err))
	}
	if err != nil && !errors.Is(err, errDeath) {
		return s.fail(err)
	}
	return nil
}

// doDetach leaves a program that was attached to, and shows how it ends by itself.
func (s *Session) doDetach(ctx context.Context, a Action) Output {
	if s.running == nil || s.running.process == nil {
		return Output{Kind: Unsupported, Text: "supportTerminateDebuggee"}
	}
	var left Output
	if a.Way != "" {
		if left = s.sever(a.Way); left.Kind != Done {
			return left
		}
	} else if left = s.simple(ctx, "disconnect", a.disconnecting(false)); left.Kind.Fatal() {
		return left
	} else if out := s.farewells(ctx); out != nil {
		return *out
	}
	limit := s.opts.Run
	if s.target.Endless > 0 {
		limit = runsOn
	}
	if out := s.gone(ctx, limit); out != nil {
		switch {
		case left.Kind == Refused:
			return left
		case s.halted(ctx):
			return Output{Kind: Refused, Text: "the program that was attached to is left, and does not run on"}
		case s.target.Endless > 0:
			s.state, s.ended = NotRunning, true
			return Output{Kind: Done, Text: stillRuns}
		}
		return *out
	}
	// A program that ended while it was let go is one that the adapter may have found gone (tolerance
	// gone-meanwhile).
	s.state, s.ended = NotRunning, true // whoever has told so
	code := s.running.process.ExitCode()
	s.exitCode = &code
	return Output{Kind: Ended, Exit: s.exit()}
}

// halted reports whether a program that was left stays stopped. An adapter that was not told to leave it, but lost its client, may take a moment.
func (s *Session) halted(ctx context.Context) bool {
	const look = 20 * time.Millisecond
	for end := time.Now().Add(s.opts.Run); s.running.process.Stopped(); time.Sleep(look) {
		if ctx.Err() != nil || time.Now().After(end) {
			return ctx.Err() == nil
		}
	}
	return false
}

// forget ends what was started beside the session.
func (s *Session) forget(grace time.Duration) {
	if s.running == nil {
		return
	}
	if s.running.process != nil {
		s.running.process.End(grace)
	}
	os.RemoveAll(s.running.dir)
}
