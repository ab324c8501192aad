// Package faults breaks a healthy debugger on purpose, so that it can be shown
// that the oracles see it. A [Fault] is a proxy between misstep and the
// adapter that speaks DAP on both sides and changes, drops or adds messages.
//
// [Faults] is the table. A fault happens to every so many messages of its
// kind, counted from the session's start, so that the same session shows it at
// the same places.
package faults

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"

	"github.com/google/go-dap"

	misstep "misstep/dap"
)

// A Fault is one way in which a debugger can be broken.
type Fault struct {
	Name string
	Doc  string
	// Sight says which oracle can see it: this one's relations and invariants,
	// or only the reference model, which knows what really happened.
	Sight Sight
	make  func() handler
}

// Sight is what it takes to see a fault.
type Sight string

// What it takes to see a fault.
const (
	ByComparison Sight = "comparison" // the protocol's invariants, or a relation
	ByReference  Sight = "reference"  // the true execution
)

// message is a DAP message that is to be changed freely.
type message map[string]any

// A handler gets each message and passes on what it likes.
type handler func(p *pipe, m message)

// pipe is the two directions of one session.
type pipe struct {
	up   net.Conn // to the adapter
	down net.Conn // to misstep
	mu   sync.Mutex
	own  map[float64]bool // numbers of requests that misstep never sent
}

// Break returns an adapter with the fault.
func Break(a *misstep.Adapter, f Fault) *misstep.Adapter {
	broken := *a
	broken.Wrap = func(up net.Conn) net.Conn {
		ours, theirs := net.Pipe()
		p := &pipe{up: up, down: theirs, own: map[float64]bool{}}
		h := f.make()
		var mu sync.Mutex // one message at a time, from either side
		carry := func(from net.Conn, other net.Conn) {
			r := bufio.NewReader(from)
			for {
				raw, err := dap.ReadBaseMessage(r)
				if err != nil {
					break
				}
				var m message
				if json.Unmarshal(raw, &m) != nil {
					break
				}
				mu.Lock()
				h(p, m)
				mu.Unlock()
			}
			other.Close()
		}
		go carry(up, theirs)
		go carry(theirs, up)
		return ours
	}
	return &broken
}

// pass sends a message on in its direction.
func (p *pipe) pass(m message) {
	if m["type"] == "request" {
		p.toAdapter(m)
		return
	}
	if m["type"] == "response" {
		if seq, _ := m["request_seq"].(float64); p.own[seq] {
			delete(p.own, seq)
			return
		}
	}
	p.toClient(m)
}

func (p *pipe) toAdapter(m message) { p.write(p.up, m) }
func (p *pipe) toClient(m message)  { p.write(p.down, m) }

func (p *pipe) write(w io.Writer, m message) {
	raw, err := json.Marshal(m)
	if err != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	dap.WriteBaseMessage(w, raw)
}

// request sends the adapter a request of the proxy's own, whose answer is
// swallowed.
func (p *pipe) request(command string, args message) {
	seq := float64(1_000_000 + len(p.own))
	for p.own[seq] {
		seq++
	}
	p.own[seq] = true
	p.toAdapter(message{"seq": seq, "type": "request", "command": command, "arguments": args})
}

// stay answers a step as if it were carried out, and tells of the pause that it is said to have come to.
func (p *pipe) stay(step, pause message) {
	p.toClient(message{"seq": 0, "type": "event", "event": "continued", "body": message{"threadId": step.body()["threadId"], "allThreadsContinued": true}})
	p.toClient(message{"seq": 0, "type": "response", "request_seq": step["seq"], "success": true, "command": step["command"]})
	p.toClient(message{"seq": 0, "type": "event", "event": "stopped", "body": pause})
}

// is tells what a message is: a request or response of that command, or an
// event of that name.
func (m message) is(typ, name string) bool {
	if m["type"] != typ {
		return false
	}
	if typ == "event" {
		return m["event"] == name
	}
	return m["command"] == name
}

// body is the message's body or arguments.
func (m message) body() message {
	for _, key := range []string{"body", "arguments"} {
		if b, ok := m[key].(map[string]any); ok {
			return b
		}
	}
	return message{}
}

// list is a list of objects in the body.
func (m message) list(key string) []message {
	raw, _ := m.body()[key].([]any)
	var l []message
	for _, e := range raw {
		if o, ok := e.(map[string]any); ok {
			l = append(l, o)
		}
	}
	return l
}

// setList puts a list back.
func (m message) setList(key string, l []message) {
	raw := make([]any, len(l))
	for i, o := range l {
		raw[i] = map[string]any(o)
	}
	m.body()[key] = raw
}

// every calls f for each n-th message that fits, and passes all on that f does
// not handle.
func every(n int, typ, name string, f func(p *pipe, m message) bool) func() handler {
	return func() handler {
		count := 0
		return func(p *pipe, m message) {
			if m.is(typ, name) {
				if count++; count%n == 0 && f(p, m) {
					return
				}
			}
			p.pass(m)
		}
	}
}

// Lookup finds a fault by name.
func Lookup(name string) (Fault, error) {
	var names []string
	for _, f := range Faults {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Fault{}, fmt.Errorf("unknown fault %q; expected one of %s", name, strings.Join(names, ", "))
}
