package dap

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/go-dap"

	"misstep/internal/proc"
)

// State is the transducer's state.
type State int

// The states of a debugger (Lehmann and Pradel, section 3.1).
const (
	NotRunning State = iota
	Running
	PausedState
)

func (s State) String() string { return [...]string{"not running", "running", "paused"}[s] }

// A Session is one run of one program under one adapter. It is not safe for
// concurrent use.
type Session struct {
	adapter *Adapter
	target  Target
	opts    Options

	keeper *proc.Keeper
	proc   *proc.Process
	conn   *conn
	stderr *tail
	extra  io.Closer
	end    context.CancelFunc

	seq     int
	replies map[int]dap.ResponseMessage
	caps    dap.Capabilities
	launch  int    // the launch or attach request, until it is answered
	built   string // the folder for what the adapter builds itself
	copied  string // the folder for the copy of the program
	printed string // the folder for the files that the program prints into

	// console is the file with what the adapter prints on standard output, empty if that is its connection; beside is
	// how much there was when the program was restarted.
	console string
	beside  int

	running *running // the program that is attached to; nil of one that is launched
	// address is where the server listens that the session has attached to, or empty. Before is what was said until another
	// client took the session's place, and first how many actions there were until then.
	address string
	before  []Wire
	first   int

	state    State
	ended    bool // the program has ended
	inits    int  // initialized events so far
	stopped  *dap.StoppedEvent
	left     bool // an action has ended it
	cut      bool // in another way than by a request: nothing can be asked any more
	exitCode *int
	process  int // the program's number, as the adapter tells it; 0 if it has not
	stdout   bytes.Buffer
	errout   bytes.Buffer
	logs     []string
	speakers []string // of the logs
	flooded  bool
	earlier  bool // what a run before this one printed may come late

	breakpoints breakpoints
	pause       *Pause      // the last one, while it lasts
	stale       *Pause      // the one before
	threads     map[int]int // adapter's numbers to ours
	thread      int         // the adapter's number of the paused one
	others      []*Pause    // the listed ones, as they show this pause; nil of those that were not asked
	threadIDs   []int       // the adapter's numbers of these
	threadNames []string    // the names of all of the last list
	fatal       *Output
	marks       []int
	interrupts  int    // how often a program that does not end had to be asked to pause, less how often it was nearly so
	misused     string // the misuse that is sent
}

// Errors that turn into outputs.
var (
	errHang  = errors.New("no answer in time")
	errDeath = errors.New("the adapter is gone")
)

// Open starts an adapter and launches a program in it. The program waits at
// its very start; the first [Continue] lets it run. If the adapter fails to
// launch, the session is returned with the output that says so; if ctx ends meanwhile, that is an
// error and says nothing of the adapter.
func Open(ctx context.Context, keeper *proc.Keeper, a *Adapter, t Target, opts Options) (*Session, *Output, error) {
	s, err := start(ctx, keeper, a, t, opts)
	if err != nil {
		return nil, nil, err
	}
	out := s.doLaunch(ctx)
	if ctx.Err() != nil {
		s.Close()
		return nil, nil, fmt.Errorf("launching %s: %w", a.Name, context.Cause(ctx))
	}
	return s, out, nil
}

// start starts the adapter's process and connects to it, and says nothing yet.
func start(ctx context.Context, keeper *proc.Keeper, a *Adapter, t Target, opts Options) (*Session, error) {
	ctx, end := context.WithCancel(ctx)
	if t.Mode == "" {
		t.Mode = "exec"
	}
	s := &Session{
		adapter: a, target: t, opts: opts, end: end, keeper: keeper,
		replies: map[int]dap.ResponseMessage{}, threads: map[int]int{},
		stderr: &tail{max: 64 << 10},
	}
	var err error
	if t.built() {
		if s.built, err = keeper.TempDir("built"); err != nil {
			end()
			return nil, fmt.Errorf("making a folder for what the adapter builds: %w", err)
		}
		s.target.Output = filepath.Join(s.built, "program")
	}
	if err == nil && (t.Settings[StdoutTo] != nil || t.Settings[StderrTo] != nil) {
		if s.printed, err = keeper.TempDir("printed"); err != nil {
			err = fmt.Errorf("making a folder for what the program prints: %w", err)
		}
		s.target.stdout, s.target.stderr = filepath.Join(s.printed, "stdout"), filepath.Join(s.printed, "stderr")
	}
	if err == nil && t.Copy != nil {
		err = s.copy(keeper)
	}
	if err == nil && t.Attach != "" && s.adapter.Attach[t.Attach] != nil {
		err = s.run(ctx, keeper)
	}
	if err == nil {
		err = s.connect(ctx, keeper)
	}
	if err != nil {
		s.forget(0)
		s.endConsole()
		end()
		return nil, err
	}
	return s, nil
}

// client is what the client says of itself in the initialize request.
func (s *Session) client() map[string]any {
	id := s.adapter.ID
	if id == "" {
		id = s.adapter.Name
	}
	client := map[string]any{
		"clientID": "misstep", "clientName": "misstep", "adapterID": id, "locale": "en",
		"linesStartAt1": true, "columnsStartAt1": true, "pathFormat": "path",
		"supportsVariableType": true, "supportsVariablePaging": true, "supportsMemoryReferences": true,
		"supportsInvalidatedEvent": true, "supportsMemoryEvent": true, "supportsProgressReporting": true,
	}
	maps.Copy(client, s.target.Client)
	return client
}

// doLaunch goes from the first request to the moment where breakpoints may be
// set. It returns nil if all went well.
func (s *Session) doLaunch(ctx context.Context) *Output {
	ctx, cancel := context.WithTimeout(ctx, s.opts.Launch)
	defer cancel()
	if out := s.early(ctx, early); out != nil {
		return out
	}
	r, err := s.ask(ctx, "initialize", s.client())
	if err != nil {
		return s.fail(err)
	}
	init, ok := r.(*dap.InitializeResponse)
	if !ok {
		return &Output{Kind: Refused, Text: "initialize: " + refusal(r)}
	}
	s.caps = init.Body
	if out := s.early(ctx, configuring); out != nil {
		return out
	}
	args, err := s.beginArgs()
	if err != nil {
		return &Output{Kind: Refused, Text: err.Error()}
	}
	if s.launch, err = s.post(s.begins(), args); err != nil {
		return s.fail(err)
	}
	// Some adapters answer the launch request first, some only when the
	// program runs.
	err = s.await(ctx, func() bool {
		if r, ok := s.replies[s.launch]; ok && (!r.GetResponse().Success || s.target.bare()) {
			return true
		}
		return s.inits > 0
	})
	if r, ok := s.replies[s.launch]; ok && !r.GetResponse().Success {
		return &Output{Kind: Refused, Text: s.begins() + ": " + refusal(r)}
	}
	if err != nil {
		return s.fail(err)
	}
	if s.running != nil && s.running.process != nil {
		// From here on the adapter alone keeps it.
		if err := s.running.process.Release(); err != nil {
			return s.fail(fmt.Errorf("%w: the program that is attached to: %v", errDeath, err))
		}
	}
	if s.target.bare() && s.inits == 0 {
		delete(s.replies, s.launch)
		s.launch = 0
		if !s.ended {
			s.state = Running // there is nothing to configure
		}
	}
	return nil
}

// begins is the request that the session begins with.
func (s *Session) begins() string {
	if s.running != nil {
		return "attach"
	}
	return "launch"
}

func (s *Session) beginArgs() (json.RawMessage, error) {
	if s.running != nil {
		return s.adapter.attachArgs(s.target, s.running)
	}
	return s.adapter.launchArgs(s.target)
}

// Target is what the session runs.
func (s *Session) Target() Target { return s.target }

// Attached reports whether the session has attached to its program, rather than launched it.
func (s *Session) Attached() bool { return s.running != nil }

// State is the transducer's state.
func (s *Session) State() State { return s.state }

// Ended reports whether the program has run to its end.
func (s *Session) Ended() bool { return s.ended }

// Pause is the pause that lasts now, or nil.
func (s *Session) Pause() *Pause { return s.pause }

// Capabilities are what the adapter says it can do.
func (s *Session) Capabilities() dap.Capabilities { return s.caps }

// Adapter is the session's adapter.
func (s *Session) Adapter() *Adapter { return s.adapter }

// Wire is all that was said so far, in the order of sending and receiving; of several clients, by the first one.
func (s *Session) Wire() []Wire {
	if s.before != nil {
		return s.before
	}
	return s.conn.wire()
}

// Marks tells, for each action so far, how many messages there were on the wire
// when it was done.
func (s *Session) Marks() []int { return s.marks[:s.Actions(len(s.marks))] }

// Actions is how many of the session's actions, of a number of them, were its first client's; see [Session.Rejoin].
func (s *Session) Actions(n int) int {
	if s.before != nil {
		return min(n, s.first)
	}
	return n
}

// Stderr is the end of what the adapter itself printed.
func (s *Session) Stderr() string { return s.stderr.String() }

// fail turns an error of the connection into the output that ends the session.
func (s *Session) fail(err error) *Output {
	out := &Output{Kind: Hang, Text: err.Error()}
	if errors.Is(err, errDeath) {
		out.Kind = Death
		s.endProcess(time.Second)
		if text := strings.TrimSpace(s.stderr.String()); text != "" {
			out.Text += "; it printed: " + LastWords(text)
		}
	}
	if text := s.conn.strange(); text != "" {
		out.Text += fmt.Sprintf("; it does not speak DAP, but sent %q", text)
	}
	s.fatal = out
	return out
}

// post sends a request and returns its number.
func (s *Session) post(command string, args any) (int, error) {
	s.seq++
	req := struct {
		Seq       int    `json:"seq"`
		Type      string `json:"type"`
		Command   string `json:"command"`
		Arguments any    `json:"arguments,omitempty"`
	}{s.seq, "request", command, args}
	raw, err := json.Marshal(req)
	if err != nil {
		return 0, fmt.Errorf("encoding the request %s: %w", command, err)
	}
	msg := &dap.Request{ProtocolMessage: dap.ProtocolMessage{Seq: s.seq, Type: "request"}, Command: command}
	if err := s.conn.send(raw, msg, s.misused); err != nil {
		return 0, fmt.Errorf("%w: sending %s: %v", errDeath, command, err)
	}
	return s.seq, nil
}

// ask sends a request and waits for its answer.
func (s *Session) ask(ctx context.Context, command string, args any) (dap.ResponseMessage, error) {
	seq, err := s.post(command, args)
	if err != nil {
		return nil, err
	}
	return s.answer(ctx, seq, command)
}

func (s *Session) answer(ctx context.Context, seq int, command string) (dap.ResponseMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, s.opts.Request)
	defer cancel()
	if err := s.await(ctx, func() bool { return s.replies[seq] != nil }); err != nil {
		return nil, fmt.Errorf("%s: %w", command, err)
	}
	r := s.replies[seq]
	delete(s.replies, seq)
	return r, nil
}

// await takes messages in until done says so.
func (s *Session) await(ctx context.Context, done func() bool) error {
	for {
		w, ok, connErr := s.conn.next()
		switch {
		case ok:
			s.take(&w)
			continue
		case done():
			return nil
		case connErr != nil:
			return fmt.Errorf("%w: %v", errDeath, connErr)
		}
		select {
		case <-s.conn.more:
		case <-ctx.Done():
			if context.Cause(ctx) == context.DeadlineExceeded {
				return errHang
			}
			return ctx.Err()
		}
	}
}

// take changes the transducer's state as a message says.
func (s *Session) take(w *Wire) {
	switch m := w.Msg.(type) {
	case dap.ResponseMessage:
		s.replies[m.GetResponse().RequestSeq] = m
	case *dap.InitializedEvent:
		s.inits++
	case *dap.CapabilitiesEvent:
		// What the message leaves out stays; what it says is false is so from now on.
		var raw struct {
			Body struct{ Capabilities json.RawMessage }
		}
		if json.Unmarshal(w.Raw, &raw) == nil {
			json.Unmarshal(raw.Body.Capabilities, &s.caps)
		}
	case *dap.StoppedEvent:
		s.stopped, s.state = m, PausedState
	case *dap.ProcessEvent:
		if s.process == 0 { // others are what the program executes
			s.process = m.Body.SystemProcessId
		}
	case *dap.ExitedEvent:
		code := m.Body.ExitCode
		s.exitCode = &code
	case *dap.TerminatedEvent:
		s.state, s.ended = NotRunning, true
	case *dap.OutputEvent:
		s.takeOutput(m.Body)
	}
}

// refusal is the text of an answer that says no.
func refusal(r dap.ResponseMessage) string {
	if e, ok := r.(*dap.ErrorResponse); ok && e.Body.Error != nil {
		text := e.Body.Error.Format
		for name, value := range e.Body.Error.Variables {
			text = strings.ReplaceAll(text, "{"+name+"}", value)
		}
		if text != "" {
			return text
		}
	}
	if m := r.GetResponse().Message; m != "" {
		return m
	}
	return "no reason given"
}
