// Package debugger answers the Debug Adapter Protocol over a recorded run: an editor,
// or misstep itself, walks through what happened, forwards and backwards. Nothing
// runs any more, so nothing can be set, and only what was recorded can be shown.
//
// A session is a place in a [timeline.Stops]: the stops that a debugger could make.
// A step goes to the next stop of the same activation or of its callers; a breakpoint
// is a line, whose stops continue looks for. In the other direction it is the same,
// to the previous one.
//
// Not covered: conditions, log points, assignments, and breakpoints on functions and
// instructions, which the answer to initialize says.
package debugger

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/google/go-dap"

	"misstep/history"
	"misstep/history/timeline"
)

// A Server is one session over a recorded run.
type Server struct {
	Timeline *timeline.Stops
	// ExitCode is the program's.
	ExitCode int
	// Stderr is what the program writes to standard error, which histories do not know.
	Stderr string

	in  *bufio.Reader
	out io.Writer
	seq int

	at      int // the stop; -1 before the first, Len after the last
	entry   bool
	ended   bool
	points  map[string]map[int]*point // by path and line
	ids     int
	handles []any             // of scopes and variables, from 1, as long as it is paused
	names   map[string]string // of recorded files, as the client has them
}

type point struct{ id, line, hits int }

// Serve answers requests until the client disconnects or the input ends.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	s.in, s.out = bufio.NewReader(in), out
	s.at, s.points, s.names = -1, map[string]map[int]*point{}, map[string]string{}
	for ctx.Err() == nil {
		raw, err := dap.ReadBaseMessage(s.in)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading a request: %w", err)
		}
		m, err := dap.DecodeProtocolMessage(raw)
		if err != nil {
			var unknown *dap.DecodeProtocolMessageFieldError
			if errors.As(err, &unknown) {
				s.refuse(unknown.Seq, unknown.FieldValue, "this request is not known")
				continue
			}
			return fmt.Errorf("reading a request: %w", err)
		}
		request, ok := m.(dap.RequestMessage)
		if !ok {
			continue
		}
		if done := s.answer(request); done {
			return nil
		}
	}
	return ctx.Err()
}

func (s *Server) send(m dap.Message) {
	dap.WriteProtocolMessage(s.out, m)
}

func (s *Server) number() int {
	s.seq++
	return s.seq
}

func (s *Server) event(name string) dap.Event {
	return dap.Event{ProtocolMessage: dap.ProtocolMessage{Seq: s.number(), Type: "event"}, Event: name}
}

func (s *Server) response(r *dap.Request) dap.Response {
	return dap.Response{
		ProtocolMessage: dap.ProtocolMessage{Seq: s.number(), Type: "response"},
		RequestSeq:      r.Seq, Success: true, Command: r.Command,
	}
}

func (s *Server) refuse(seq int, command, why string) {
	s.send(&dap.ErrorResponse{
		Response: dap.Response{
			ProtocolMessage: dap.ProtocolMessage{Seq: s.number(), Type: "response"},
			RequestSeq:      seq, Command: command, Message: why,
		},
		Body: dap.ErrorResponseBody{Error: &dap.ErrorMessage{Id: 1, Format: why, ShowUser: true}},
	})
}

// answer answers one request, and reports whether it was the last.
func (s *Server) answer(m dap.RequestMessage) bool {
	r := m.GetRequest()
	no := func(format string, args ...any) { s.refuse(r.Seq, r.Command, fmt.Sprintf(format, args...)) }
	switch m := m.(type) {
	case *dap.InitializeRequest:
		s.send(&dap.InitializeResponse{Response: s.response(r), Body: dap.Capabilities{
			SupportsConfigurationDoneRequest: true, SupportsStepBack: true,
			SupportsTerminateRequest: true, SupportsRestartRequest: true,
		}})
	case *dap.LaunchRequest:
		var args struct {
			StopOnEntry bool `json:"stopOnEntry"`
		}
		if err := unmarshal(m.Arguments, &args); err != nil {
			no("the arguments of launch: %v", err)
			return false
		}
		s.entry = args.StopOnEntry
		s.send(&dap.LaunchResponse{Response: s.response(r)})
		s.send(&dap.InitializedEvent{Event: s.event("initialized")})
	case *dap.SetBreakpointsRequest:
		s.setBreakpoints(m)
	case *dap.SetExceptionBreakpointsRequest:
		s.send(&dap.SetExceptionBreakpointsResponse{Response: s.response(r)})
	case *dap.ConfigurationDoneRequest:
		s.send(&dap.ConfigurationDoneResponse{Response: s.response(r)})
		if s.entry {
			s.at = 0
			s.stopped("entry")
			break
		}
		s.run(1)
	case *dap.RestartRequest:
		s.at, s.ended = -1, false
		for _, points := range s.points {
			for _, p := range points {
				p.hits = 0
			}
		}
		s.send(&dap.RestartResponse{Response: s.response(r)})
		s.send(&dap.InitializedEvent{Event: s.event("initialized")}) // and configurationDone begins
	case *dap.ThreadsRequest:
		s.send(&dap.ThreadsResponse{Response: s.response(r), Body: dap.ThreadsResponseBody{Threads: s.listThreads()}})
	case *dap.DisconnectRequest:
		s.send(&dap.DisconnectResponse{Response: s.response(r)})
		return true
	case *dap.TerminateRequest:
		s.send(&dap.TerminateResponse{Response: s.response(r)})
		s.end()
	default:
		if s.ended || s.at < 0 || s.at >= s.Timeline.Len() {
			no("the program is not paused")
			return false
		}
		return s.paused(m, r, no)
	}
	return false
}

// paused answers what can only be asked at a stop.
func (s *Server) paused(m dap.RequestMessage, r *dap.Request, no func(string, ...any)) bool {
	switch m := m.(type) {
	case *dap.ContinueRequest:
		s.send(&dap.ContinueResponse{Response: s.response(r), Body: dap.ContinueResponseBody{AllThreadsContinued: true}})
		s.run(1)
	case *dap.ReverseContinueRequest:
		s.send(&dap.ReverseContinueResponse{Response: s.response(r)})
		s.run(-1)
	case *dap.NextRequest:
		s.send(&dap.NextResponse{Response: s.response(r)})
		s.step(1, func(i, from int) bool { return s.Timeline.Within(i, from, false) })
	case *dap.StepBackRequest:
		s.send(&dap.StepBackResponse{Response: s.response(r)})
		s.step(-1, func(i, from int) bool { return s.Timeline.Within(i, from, false) })
	case *dap.StepInRequest:
		s.send(&dap.StepInResponse{Response: s.response(r)})
		s.step(1, func(i, from int) bool { return s.Timeline.Thread(i) == s.Timeline.Thread(from) })
	case *dap.StepOutRequest:
		s.send(&dap.StepOutResponse{Response: s.response(r)})
		s.step(1, func(i, from int) bool { return s.Timeline.Within(i, from, true) })
	case *dap.StackTraceRequest:
		s.stack(m, r, no)
	case *dap.ScopesRequest:
		s.scopes(m, r)
	case *dap.VariablesRequest:
		s.variables(m, r, no)
	case *dap.EvaluateRequest:
		s.evaluate(m, r, no)
	default:
		no("%s is not supported: nothing runs, and only what was recorded is known", r.Command)
	}
	return false
}

// run goes to the next stop with a breakpoint, in a direction.
func (s *Server) run(direction int) {
	for i := s.at + direction; i >= 0 && i < s.Timeline.Len(); i += direction {
		if s.hit(i) {
			s.at = i
			s.stopped("breakpoint")
			return
		}
	}
	s.over(direction)
}

// step goes to the next stop that fits, or to a breakpoint before.
func (s *Server) step(direction int, fits func(i, from int) bool) {
	from := s.at
	for i := from + direction; i >= 0 && i < s.Timeline.Len(); i += direction {
		switch {
		case fits(i, from):
			s.at = i
			if s.hit(i) {
				s.stopped("breakpoint")
			} else {
				s.stopped("step")
			}
			return
		case s.hit(i):
			s.at = i
			s.stopped("breakpoint")
			return
		}
	}
	s.over(direction)
}

// hit reports whether a breakpoint pauses at a stop.
func (s *Server) hit(i int) bool {
	top := s.Timeline.Frames(i)[0]
	return s.points[top.File][top.Line] != nil
}

// over is where there is no stop any more: the end, or the beginning.
func (s *Server) over(direction int) {
	if direction < 0 && s.Timeline.Len() > 0 {
		s.at = 0
		s.stopped("entry")
		return
	}
	s.at = s.Timeline.Len()
	code := s.ExitCode
	if known, stdout, ok := s.Timeline.Exit(); ok {
		code = known
		if stdout != "" {
			s.send(&dap.OutputEvent{Event: s.event("output"), Body: dap.OutputEventBody{Category: "stdout", Output: stdout}})
		}
	}
	if s.Stderr != "" {
		s.send(&dap.OutputEvent{Event: s.event("output"), Body: dap.OutputEventBody{Category: "stderr", Output: s.Stderr}})
	}
	s.send(&dap.ExitedEvent{Event: s.event("exited"), Body: dap.ExitedEventBody{ExitCode: code}})
	s.end()
}

func (s *Server) end() {
	if !s.ended {
		s.ended = true
		s.send(&dap.TerminatedEvent{Event: s.event("terminated")})
	}
}

func (s *Server) stopped(reason string) {
	s.handles = nil
	body := dap.StoppedEventBody{Reason: reason, ThreadId: s.thread(s.at), AllThreadsStopped: true}
	if reason == "breakpoint" {
		top := s.Timeline.Frames(s.at)[0]
		body.HitBreakpointIds = []int{s.points[top.File][top.Line].id}
	}
	s.send(&dap.StoppedEvent{Event: s.event("stopped"), Body: body})
}

// thread is the number of a stop's goroutine for the client.
func (s *Server) thread(i int) int {
	return int(s.Timeline.Thread(i))
}

// listThreads are the goroutines that have been at a stop until now.
func (s *Server) listThreads() []dap.Thread {
	var out []dap.Thread
	seen := map[uint64]bool{}
	for i := range min(s.at+1, s.Timeline.Len()) {
		if g := s.Timeline.Thread(i); !seen[g] {
			seen[g] = true
			out = append(out, dap.Thread{Id: int(g), Name: fmt.Sprintf("goroutine %d", g)})
		}
	}
	if len(out) == 0 {
		out = []dap.Thread{{Id: 1, Name: "goroutine 1"}}
	}
	return out
}

func (s *Server) setBreakpoints(m *dap.SetBreakpointsRequest) {
	path := s.path(m.Arguments.Source.Path)
	if path != "" {
		s.names[path] = m.Arguments.Source.Path
	}
	before := s.points[path]
	s.points[path] = map[int]*point{}
	var out []dap.Breakpoint
	for _, b := range m.Arguments.Breakpoints {
		line := 0
		if path != "" {
			line = s.Timeline.Line(path, b.Line)
		}
		why := ""
		switch {
		case path == "":
			why = m.Arguments.Source.Path + " was not recorded"
		case line == 0:
			why = fmt.Sprintf("no statement begins at line %d or after it", b.Line)
		case b.Condition != "" || b.LogMessage != "" || b.HitCondition != "":
			why = "conditions, hit conditions and log points are not supported over a history"
		}
		if why != "" {
			s.ids++
			out = append(out, dap.Breakpoint{Id: s.ids, Message: why})
			continue
		}
		p := before[line]
		if p == nil {
			s.ids++
			p = &point{id: s.ids, line: line}
		}
		s.points[path][line] = p
		source := m.Arguments.Source
		out = append(out, dap.Breakpoint{Id: p.id, Verified: true, Line: line, Source: &source})
	}
	s.send(&dap.SetBreakpointsResponse{Response: s.response(m.GetRequest()), Body: dap.SetBreakpointsResponseBody{Breakpoints: out}})
}

// path is the recorded file that a client means; empty if there is none.
func (s *Server) path(name string) string {
	for _, f := range s.Timeline.Files() {
		if f == name {
			return f
		}
	}
	// The same program in another folder.
	for _, f := range s.Timeline.Files() {
		if filepath.Base(f) == filepath.Base(name) {
			return f
		}
	}
	return ""
}

func (s *Server) stack(m *dap.StackTraceRequest, r *dap.Request, no func(string, ...any)) {
	// Another goroutine stands where it was last.
	at := s.at
	for at >= 0 && int(s.Timeline.Thread(at)) != m.Arguments.ThreadId {
		at--
	}
	if at < 0 {
		no("no goroutine %d", m.Arguments.ThreadId)
		return
	}
	frames := s.Timeline.Frames(at)
	body := dap.StackTraceResponseBody{TotalFrames: len(frames)}
	for n, f := range frames {
		if n < m.Arguments.StartFrame || m.Arguments.Levels > 0 && n >= m.Arguments.StartFrame+m.Arguments.Levels {
			continue
		}
		body.StackFrames = append(body.StackFrames, dap.StackFrame{
			Id: at<<10 | min(n, 1<<10-1) + 1, Name: f.Func, Line: f.Line, Column: 0,
			Source: &dap.Source{Name: filepath.Base(f.File), Path: cmp.Or(s.names[f.File], f.File)},
		})
	}
	s.send(&dap.StackTraceResponse{Response: s.response(r), Body: body})
}

func (s *Server) scopes(m *dap.ScopesRequest, r *dap.Request) {
	var values []history.Value
	if m.Arguments.FrameId&(1<<10-1) == 1 { // the innermost
		values, _ = s.Timeline.Values(m.Arguments.FrameId >> 10)
	}
	s.send(&dap.ScopesResponse{Response: s.response(r), Body: dap.ScopesResponseBody{
		Scopes: []dap.Scope{{Name: "Locals", VariablesReference: s.handle(values)}},
	}})
}

func (s *Server) handle(values []history.Value) int {
	s.handles = append(s.handles, values)
	return len(s.handles)
}

func (s *Server) variables(m *dap.VariablesRequest, r *dap.Request, no func(string, ...any)) {
	n := m.Arguments.VariablesReference
	if n < 1 || n > len(s.handles) {
		no("no variables have the reference %d", n)
		return
	}
	body := dap.VariablesResponseBody{Variables: []dap.Variable{}}
	for _, v := range s.handles[n-1].([]history.Value) {
		body.Variables = append(body.Variables, s.variable(v))
	}
	s.send(&dap.VariablesResponse{Response: s.response(r), Body: body})
}

func (s *Server) variable(v history.Value) dap.Variable {
	out := dap.Variable{Name: v.Name, Value: text(v), Type: cmp.Or(v.Type, v.Kind)}
	if len(v.Children) > 0 {
		out.VariablesReference = s.handle(v.Children)
	}
	return out
}

// text is a value in one line.
func text(v history.Value) string {
	switch v.Kind {
	case "slice", "array", "map":
		if v.Text == "nil" {
			return "nil"
		}
		return fmt.Sprintf("%s len: %d", v.Kind, v.Len)
	case "struct":
		var fields []string
		for _, c := range v.Children {
			fields = append(fields, c.Name+": "+text(c))
		}
		return "{" + strings.Join(fields, ", ") + "}"
	}
	return v.Text
}
