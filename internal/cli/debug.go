package cli

import (
	"fmt"
	"net"

	"github.com/spf13/cobra"

	"misstep/debugger"
)

func newDebug() *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use:   "debug [flags] [PATTERN | HISTORY] [-- ARGS…]",
		Short: "Walk through a recorded run with a debugger's front end, both ways",
		Long: `Debug answers the Debug Adapter Protocol over a recorded run: an editor's debugging
view walks through what happened, forwards and back. Nothing runs any more.

A PATTERN names one program, as for record, which is recorded first, with the values
of its variables. A HISTORY is a file that record has written; it has no values. Its
sources must be there as they were.

It speaks on its standard input and output, as editors start adapters, or on an
address with --listen, to one client. The arguments of launch are not used, but for
stopOnEntry.

Exit codes: 0 the session has ended, 1 error, 2 usage.`,
		Example: `  misstep debug --listen 127.0.0.1:4711 ./cmd/server
  misstep debug misstep.history`,
		RunE: func(cmd *cobra.Command, a []string) error {
			name, progArgs, err := programArgs(cmd, a, "program or history")
			if err != nil {
				return err
			}
			h, err := newHouse(cmd)
			if err != nil {
				return err
			}
			defer h.close()
			s, err := h.session(cmd, name, progArgs)
			if err != nil {
				return err
			}
			in, out := cmd.InOrStdin(), cmd.OutOrStdout()
			if listen != "" {
				conn, err := accept(cmd, listen)
				if err != nil {
					return err
				}
				defer conn.Close()
				in, out = conn, conn
			}
			return s.Serve(cmd.Context(), in, out)
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "", "wait for the client at this address, such as 127.0.0.1:4711")
	return cmd
}

// accept waits for one client.
func accept(cmd *cobra.Command, address string) (net.Conn, error) {
	var cfg net.ListenConfig
	l, err := cfg.Listen(cmd.Context(), "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listening at %s: %w", address, err)
	}
	defer l.Close()
	fmt.Fprintf(cmd.ErrOrStderr(), "misstep: listening at %s\n", l.Addr())
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		select {
		case <-cmd.Context().Done():
			l.Close()
		case <-stop:
		}
	}()
	conn, err := l.Accept()
	if cmd.Context().Err() != nil {
		return nil, cmd.Context().Err()
	}
	return conn, err
}

// session is one over a history's file, or over a program that is recorded now.
func (h *house) session(cmd *cobra.Command, name string, args []string) (*debugger.Server, error) {
	engine, err := parseEngine("dlv")
	if err != nil {
		return nil, err
	}
	if isHistory(name) {
		return debugger.OfHistory(cmd.Context(), name, engine)
	}
	p, err := h.one(cmd, name, engine, false)
	if err != nil {
		return nil, err
	}
	q := *p
	q.RunArgs = args
	return debugger.OfProgram(cmd.Context(), h.keeper, h.cache, &q, engine)
}
