package dap

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// TraceVersion is the version of the format of traces on disk.
const TraceVersion = 1

// An Event is an action with its output.
type Event struct {
	Action Action `json:"action"`
	Output Output `json:"output"`
}

// A Trace is the sequence of actions and outputs of a session (Lehmann and
// Pradel, definition 3).
type Trace struct {
	Program string  `json:"program"`
	Engine  string  `json:"engine"`
	Events  []Event `json:"-"`
}

type traceHead struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	Trace
}

// Write writes a trace as JSON lines: a head, then one line an event.
func (t *Trace) Write(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(traceHead{"misstep-trace", TraceVersion, *t}); err != nil {
		return fmt.Errorf("writing a trace: %w", err)
	}
	for _, e := range t.Events {
		if err := enc.Encode(e); err != nil {
			return fmt.Errorf("writing a trace: %w", err)
		}
	}
	return nil
}

// ReadTrace reads what Write wrote. Its errors name the file and the line.
func ReadTrace(r io.Reader, file string) (*Trace, error) {
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 64<<20)
	var t Trace
	line := 0
	for sc.Scan() {
		line++
		if line == 1 {
			var head traceHead
			if err := json.Unmarshal(sc.Bytes(), &head); err != nil || head.Format != "misstep-trace" {
				return nil, fmt.Errorf("%s:1: not a trace: expected {\"format\":\"misstep-trace\",…}", file)
			}
			if head.Version != TraceVersion {
				return nil, fmt.Errorf("%s:1: a trace of version %d; this misstep reads version %d", file, head.Version, TraceVersion)
			}
			t = head.Trace
			continue
		}
		var e Event
		if err := json.Unmarshal(sc.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("%s:%d: not an event: %v", file, line, err)
		}
		t.Events = append(t.Events, e)
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", file, line+1, err)
	}
	if line == 0 {
		return nil, fmt.Errorf("%s: empty; expected a trace", file)
	}
	return &t, nil
}

// Actions are those of events.
func Actions(events []Event) []Action {
	var as []Action
	for _, e := range events {
		as = append(as, e.Action)
	}
	return as
}

// Pauses counts the pauses of a trace.
func (t *Trace) Pauses() int {
	n := 0
	for _, e := range t.Events {
		if e.Output.Kind == Paused {
			n++
		}
	}
	return n
}
