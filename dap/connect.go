package dap

import (
	"context"
	"fmt"
	"net"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"misstep/internal/proc"
)

// connect starts the adapter, in the way that it wants to be talked to.
func (s *Session) connect(ctx context.Context, keeper *proc.Keeper) error {
	a := s.adapter
	if a.Serve != nil {
		ours, theirs := net.Pipe()
		go func() {
			defer theirs.Close()
			a.Serve(ctx, theirs)
		}()
		s.use(ours)
		return nil
	}
	transport, ok := map[string]func(context.Context, *proc.Keeper) (net.Conn, error){
		"stdio": s.pipe, "dial": s.called, "listen": s.call,
	}[a.Transport]
	if s.target.Attach == AttachServer {
		transport = s.served
	} else if !ok {
		return fmt.Errorf("adapter %s: unknown transport %q", a.Name, a.Transport)
	}
	c, err := transport(ctx, keeper)
	if err != nil {
		return fmt.Errorf("starting the adapter %s: %w", a.Name, err)
	}
	s.use(c)
	return nil
}

// spec is how the adapter is started, to be talked to at an address.
func (s *Session) spec(addr string) proc.Spec {
	spec := proc.Spec{Path: s.adapter.Path, Env: s.adapter.Env, Dir: s.target.Dir}
	if s.target.built() {
		spec.Env = slices.Concat(spec.Env, s.target.BuildEnv)
	}
	for _, arg := range s.adapter.Command[1:] {
		spec.Args = append(spec.Args, strings.ReplaceAll(arg, "{addr}", addr))
	}
	return spec
}

// pipe starts an adapter that is talked to by its standard input and output.
func (s *Session) pipe(ctx context.Context, keeper *proc.Keeper) (net.Conn, error) {
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	spec := s.spec("")
	spec.Stdin, spec.Stdout = theirs, theirs
	err = s.startProcess(ctx, keeper, spec)
	theirs.Close()
	if err != nil {
		ours.Close()
		return nil, err
	}
	return ours, nil
}

// called starts an adapter that calls back.
func (s *Session) called(ctx context.Context, keeper *proc.Keeper) (net.Conn, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer l.Close()
	if err := s.startConsole(ctx, keeper, s.spec(l.Addr().String())); err != nil {
		return nil, err
	}
	// Whatever ends first: the adapter calls, dies, or takes too long.
	gone := context.AfterFunc(ctx, func() { l.Close() })
	defer gone()
	over := make(chan struct{})
	defer close(over)
	go func() {
		select {
		case <-s.proc.Done():
			l.Close()
		case <-over:
		}
	}()
	l.(*net.TCPListener).SetDeadline(time.Now().Add(s.opts.Launch))
	c, err := l.Accept()
	if err != nil {
		s.proc.End(0)
		return nil, fmt.Errorf("it does not connect; it printed: %s%s", s.read(s.console), s.stderr)
	}
	return c, nil
}

// startConsole starts the adapter with a file for what it prints, and the program with it.
func (s *Session) startConsole(ctx context.Context, keeper *proc.Keeper, spec proc.Spec) error {
	console, err := os.CreateTemp(keeper.Dir(), "console-")
	if err != nil {
		return fmt.Errorf("making a file for what it prints: %w", err)
	}
	defer console.Close()
	s.console = console.Name()
	spec.Stdout = console
	return s.startProcess(ctx, keeper, spec)
}

// startProcess starts the adapter's process, with a file for its standard error.
func (s *Session) startProcess(ctx context.Context, keeper *proc.Keeper, spec proc.Spec) error {
	stderr, err := s.stderr.open(keeper.Dir())
	if err != nil {
		return err
	}
	defer stderr.Close()
	spec.Stderr = stderr
	s.proc, err = keeper.Start(ctx, spec)
	return err
}

// call starts an adapter that prints where it listens.
func (s *Session) call(ctx context.Context, keeper *proc.Keeper) (net.Conn, error) {
	return s.listening(ctx, keeper, s.spec("127.0.0.1:0"), s.adapter.Ready)
}

// listening starts a process that prints a line with the address at which it listens, and connects to that. What it prints
// after that line may be the program's.
func (s *Session) listening(ctx context.Context, keeper *proc.Keeper, spec proc.Spec, ready string) (net.Conn, error) {
	if err := s.startConsole(ctx, keeper, spec); err != nil {
		return nil, err
	}
	line := regexp.MustCompile(`(?m)` + ready + `.*\n`)
	ctx, cancel := context.WithTimeout(ctx, s.opts.Launch)
	defer cancel()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for waits := true; waits; {
		text := s.read(s.console)
		if at := line.FindStringSubmatchIndex(text); len(at) > 2 {
			s.beside = at[1]
			s.address = text[at[2]:at[3]]
			if c, err := net.DialTimeout("tcp", s.address, s.opts.Launch); err == nil {
				return c, nil
			}
			break
		}
		select {
		case <-look.C:
		case <-s.proc.Done():
			waits = false
		case <-ctx.Done():
			waits = false
		}
	}
	s.proc.End(0)
	return nil, fmt.Errorf("it does not say where it listens (%s); it printed: %s%s", ready, s.read(s.console), s.stderr)
}

// use talks over a connection.
func (s *Session) use(c net.Conn) {
	if s.adapter.Wrap != nil {
		c = s.adapter.Wrap(c)
	}
	s.conn, s.extra = newConn(c), c
}
