package dap

import (
	"context"
	"fmt"
	"net"
	"regexp"
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
	spec := proc.Spec{Path: a.Path, Env: a.Env, Dir: s.target.Dir, Stderr: s.stderr}
	command := func(addr string) {
		for _, arg := range a.Command[1:] {
			spec.Args = append(spec.Args, strings.ReplaceAll(arg, "{addr}", addr))
		}
	}
	launched := func(err error) error {
		if err != nil {
			return fmt.Errorf("starting the adapter %s: %w", a.Name, err)
		}
		return nil
	}
	switch a.Transport {
	case "stdio":
		command("")
		ours, theirs, err := socketPair()
		if err != nil {
			return launched(err)
		}
		spec.Stdin, spec.Stdout = theirs, theirs
		s.proc, err = keeper.Start(ctx, spec)
		theirs.Close()
		if err != nil {
			ours.Close()
			return launched(err)
		}
		s.use(ours)
	case "dial":
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return launched(err)
		}
		defer l.Close()
		command(l.Addr().String())
		spec.Stdout = s.stderr
		if s.proc, err = keeper.Start(ctx, spec); err != nil {
			return launched(err)
		}
		// Whatever ends first: the adapter calls, dies, or takes too long.
		gone := context.AfterFunc(ctx, func() { l.Close() })
		defer gone()
		died := make(chan struct{})
		defer close(died)
		go func() {
			select {
			case <-s.proc.Done():
				l.Close()
			case <-died:
			}
		}()
		l.(*net.TCPListener).SetDeadline(time.Now().Add(s.opts.Launch))
		c, err := l.Accept()
		if err != nil {
			s.proc.End(0)
			return launched(fmt.Errorf("it does not connect; it printed: %s", s.stderr))
		}
		s.use(c)
	case "listen":
		command("127.0.0.1:0")
		found := &addressFinder{pattern: regexp.MustCompile(a.Ready), found: make(chan string, 1), tail: s.stderr}
		spec.Stdout = found
		var err error
		if s.proc, err = keeper.Start(ctx, spec); err != nil {
			return launched(err)
		}
		var addr string
		select {
		case addr = <-found.found:
		case <-s.proc.Done():
		case <-time.After(s.opts.Launch):
		case <-ctx.Done():
		}
		c, err := net.DialTimeout("tcp", addr, s.opts.Launch)
		if addr == "" || err != nil {
			s.proc.End(0)
			return launched(fmt.Errorf("it does not say where it listens (%s); it printed: %s", a.Ready, s.stderr))
		}
		s.use(c)
	default:
		return fmt.Errorf("adapter %s: unknown transport %q", a.Name, a.Transport)
	}
	return nil
}

// use talks over a connection.
func (s *Session) use(c net.Conn) {
	if s.adapter.Wrap != nil {
		c = s.adapter.Wrap(c)
	}
	s.conn, s.extra = newConn(c), c
}
