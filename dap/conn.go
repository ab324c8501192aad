package dap

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/google/go-dap"
)

// A Wire is one message as it went over the connection.
type Wire struct {
	Sent bool            `json:"sent,omitempty"`
	At   time.Duration   `json:"at"` // since the session's start
	Raw  json.RawMessage `json:"raw"`
	Err  string          `json:"err,omitempty"` // why it does not decode

	// Misuse is the name of the misuse that a request is; empty of all others.
	Misuse string `json:"misuse,omitempty"`

	Msg dap.Message `json:"-"` // nil if it does not decode
}

// maxWaiting bounds, in bytes, what an adapter may send unasked before it
// counts as broken.
const maxWaiting = 64 << 20

// conn frames messages, keeps them all, and queues what was received.
type conn struct {
	rw    io.ReadWriteCloser
	start time.Time

	sending sync.Mutex

	mu      sync.Mutex
	log     []Wire
	queue   []Wire
	waiting int
	err     error         // why reading ended
	head    []byte        // what came first, to show if it is not DAP
	more    chan struct{} // holds a token when queue or err changed
}

func newConn(rw io.ReadWriteCloser) *conn {
	c := &conn{rw: rw, start: time.Now(), more: make(chan struct{}, 1)}
	go c.read()
	return c
}

func (c *conn) read() {
	r := bufio.NewReaderSize(io.TeeReader(c.rw, headWriter{c}), 64<<10)
	for {
		raw, err := readMessage(r)
		var w Wire
		if err == nil {
			w = Wire{At: time.Since(c.start), Raw: raw}
			msg, decodeErr := dap.DecodeProtocolMessage(raw)
			if decodeErr != nil {
				w.Err = decodeErr.Error()
				if !json.Valid(raw) {
					// Kept as a JSON string, so that the log stays JSON.
					w.Raw, _ = json.Marshal(string(raw))
				}
			} else {
				w.Msg = msg
			}
		}
		c.mu.Lock()
		if err == nil {
			c.log = append(c.log, w)
			c.queue = append(c.queue, w)
			if c.waiting += len(raw); c.waiting > maxWaiting {
				err = fmt.Errorf("more than %d bytes that nobody asked for", maxWaiting)
			}
		}
		if err != nil {
			c.err = err
		}
		c.mu.Unlock()
		select {
		case c.more <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// headWriter keeps the first bytes that a connection reads.
type headWriter struct{ c *conn }

func (h headWriter) Write(p []byte) (int, error) {
	h.c.mu.Lock()
	defer h.c.mu.Unlock()
	if room := 200 - len(h.c.head); room > 0 {
		h.c.head = append(h.c.head, p[:min(room, len(p))]...)
	}
	return len(p), nil
}

// strange is what came if none of it is DAP.
func (c *conn) strange() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range c.log {
		if !w.Sent {
			return ""
		}
	}
	return string(c.head)
}

// next takes the first message from the queue; ok is false when there is none
// now, and err says that none will ever come.
func (c *conn) next() (w Wire, ok bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.queue) > 0 {
		w = c.queue[0]
		c.queue = c.queue[1:]
		c.waiting -= len(w.Raw)
		return w, true, nil
	}
	return Wire{}, false, c.err
}

func (c *conn) send(raw []byte, msg dap.Message, misuse string) error {
	c.mu.Lock()
	c.log = append(c.log, Wire{Sent: true, At: time.Since(c.start), Raw: raw, Msg: msg, Misuse: misuse})
	c.mu.Unlock()
	c.sending.Lock()
	defer c.sending.Unlock()
	return dap.WriteBaseMessage(c.rw, raw)
}

// wire returns all that was said so far.
func (c *conn) wire() []Wire {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.log[:len(c.log):len(c.log)]
}
