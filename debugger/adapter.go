package debugger

import (
	"context"
	"net"

	"misstep/dap"
	"misstep/history/timeline"
)

// Adapter is the engine "reference": it answers from a recorded run, and what the program does at its end is as given.
func Adapter(t *timeline.Stops, code int, stderr string) *dap.Adapter {
	return &dap.Adapter{
		// Variables have another form than debuggers give them, and rule R3 judges those.
		Name: dap.Recorded, NoVariables: true, Launch: map[string]any{},
		Serve: func(ctx context.Context, conn net.Conn) {
			s := &Server{Timeline: t, ExitCode: code, Stderr: stderr}
			// An error is the end of the connection, which the session sees.
			_ = s.Serve(ctx, conn, conn)
		},
	}
}
