package dap

import (
	"bufio"
	"encoding/json"
	"net"
	"testing"
	"time"

	"github.com/google/go-dap"

	"misstep/internal/proc"
)

// TestRefusedGone: where ending a program that was attached to is refused, and the program has ended, it is as if it
// were granted (tolerance gone-meanwhile); where the program goes on, it is refused, and so is one that was launched.
func TestRefusedGone(t *testing.T) {
	k, err := proc.NewKeeper()
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	start := func(path string, args ...string) *running {
		p, err := k.Start(t.Context(), proc.Spec{Path: path, Args: args})
		if err != nil {
			t.Fatal(err)
		}
		return &running{process: p}
	}
	ended, runs := start("/bin/true"), start("/bin/sleep", "60")
	defer runs.process.End(0)
	for _, tt := range []struct {
		name string
		of   *running
		want OutputKind
	}{
		{"it has ended", ended, Done},
		{"it runs on", runs, Refused},
		{"it was launched", nil, Refused},
	} {
		t.Run(tt.name, func(t *testing.T) {
			here, there := net.Pipe()
			defer here.Close()
			go refusing(there)
			s := &Session{conn: newConn(here), replies: map[int]dap.ResponseMessage{}, running: tt.of, opts: Options{Request: 10 * time.Second}}
			if out := s.doDisconnect(t.Context(), Action{Kind: Disconnect}); out.Kind != tt.want {
				t.Errorf("got %v, want %v", out.Kind, tt.want)
			}
		})
	}
}

// refusing is an adapter that refuses whatever it is asked, and says that the session is over.
func refusing(c net.Conn) {
	defer c.Close()
	r := bufio.NewReader(c)
	for {
		m, err := dap.ReadProtocolMessage(r)
		if err != nil {
			return
		}
		var req dap.Request
		raw, _ := json.Marshal(m)
		_ = json.Unmarshal(raw, &req)
		no := &dap.ErrorResponse{Response: dap.Response{ProtocolMessage: dap.ProtocolMessage{Type: "response"}, RequestSeq: req.Seq, Command: req.Command, Message: "no such process"}}
		over := &dap.TerminatedEvent{Event: dap.Event{ProtocolMessage: dap.ProtocolMessage{Type: "event"}, Event: "terminated"}}
		if dap.WriteProtocolMessage(c, no) != nil || dap.WriteProtocolMessage(c, over) != nil {
			return
		}
	}
}
