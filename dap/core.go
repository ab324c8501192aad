package dap

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/rpc/jsonrpc"
	"os"
	"path/filepath"
	"strings"
)

// coreMode is the mode in which an adapter opens a core.
const coreMode = "core"

// dumpLimit bounds a program's memory that is written into a core, in bytes.
const dumpLimit = 1 << 30

// dumpWait is how long Delve is asked to wait for a core to be written before it says how far it is, in milliseconds.
const dumpWait = 100

// A dumped says how far a core is written, as Delve tells it.
type dumped struct {
	State struct {
		Dumping  bool
		AllDone  bool
		MemTotal uint64
		Err      string
	}
}

// Postmortem has the server that has the program write the program's memory into a core, as another client of it that is there at the same
// time, and opens that core in a session of its own, which shows the pause that lasts now. The output is that pause; or it says what went
// wrong, and there is no session then. The session that it is called on is as it was. Only one that has attached to a server of Delve's
// can do so, whose protocol for other clients than DAP's this is (service/rpc2 in its source).
func (s *Session) Postmortem(ctx context.Context) (*Session, Output) {
	switch {
	case s.adapter.Name != "dlv" || s.target.Attach != AttachServer || s.address == "":
		return nil, Output{Kind: Unsupported, Text: "cores"}
	case s.state != PausedState || s.ended:
		return nil, Output{Kind: Refused, Text: "misstep: the program is not paused"}
	}
	dir, err := s.keeper.TempDir("core")
	if err != nil {
		return nil, Output{Kind: Unsupported, Text: fmt.Sprintf("a folder for the core: %v", err)}
	}
	file := filepath.Join(dir, "core")
	if out := s.dump(ctx, file); out.Kind != Done {
		os.RemoveAll(dir)
		return nil, out
	}
	t := s.target
	t.Mode, t.Attach, t.As, t.Copy = coreMode, "", "", nil
	t.Settings = map[string]any{"coreFilePath": file, "stopOnEntry": true, outputMode: "local"}
	core, out, err := Open(ctx, s.keeper, s.adapter, t, s.opts)
	if err != nil {
		os.RemoveAll(dir)
		return nil, Output{Kind: Unsupported, Text: err.Error()}
	}
	core.built = dir // which goes when it is closed
	core.threads = maps.Clone(s.threads)
	if out == nil {
		out = core.resume(ctx, Action{Kind: Continue}, s.thread)
	}
	if out == nil {
		paused := core.arrivedAs(ctx, s.thread)
		out = &paused
	}
	if out.Kind != Paused {
		core.Close()
		return nil, *out
	}
	return core, *out
}

// dump has the server write a core.
func (s *Session) dump(ctx context.Context, file string) Output {
	limited, cancel := context.WithTimeout(ctx, s.opts.Launch)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(limited, "tcp", s.address)
	if err != nil {
		return Output{Kind: Refused, Text: fmt.Sprintf("connecting as a second client: %v", err)}
	}
	client := jsonrpc.NewClient(conn)
	defer client.Close()
	state := dumped{}
	call := func(method string, args any) error {
		done := client.Go("RPCServer."+method, args, &state, nil).Done
		select {
		case c := <-done:
			return c.Error
		case <-limited.Done():
			return errHang
		}
	}
	err = call("DumpStart", map[string]any{"Destination": file})
	for err == nil && state.State.Dumping {
		if state.State.MemTotal > dumpLimit {
			call("DumpCancel", map[string]any{})
			return Output{Kind: Unsupported, Text: fmt.Sprintf("cores of %d bytes", state.State.MemTotal)}
		}
		state = dumped{}
		err = call("DumpWait", map[string]any{"Wait": dumpWait})
	}
	switch {
	case ctx.Err() != nil:
		return Output{Kind: Unsupported, Text: context.Cause(ctx).Error()}
	case err != nil && strings.Contains(err.Error(), "can't find method"):
		return Output{Kind: Unsupported, Text: "cores: it is older than they are"}
	case errors.Is(err, errHang):
		return Output{Kind: Hang, Text: "the core is not written: " + err.Error()}
	case err != nil:
		return Output{Kind: Refused, Text: "writing the core: " + err.Error()}
	case state.State.Err != "":
		return Output{Kind: Refused, Text: "writing the core: " + state.State.Err}
	case !state.State.AllDone:
		return Output{Kind: Refused, Text: "writing the core ends before all is written"}
	}
	return Output{Kind: Done}
}
