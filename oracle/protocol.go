package oracle

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"

	godap "github.com/google/go-dap"

	"misstep/dap"
)

// A Violation is an invariant of the protocol that did not hold.
type Violation struct {
	Rule string // a key of ProtocolRules
	On   string // the kind of message or request that it is about
	What string
	At   int // index of the message in the wire
}

// ProtocolRules says what each invariant demands, and where it is written.
var ProtocolRules = map[string]string{
	"decodes":      "Every message decodes as the specification's schema says.",
	"seq":          "Messages from the adapter are numbered 1, 2, 3, … (ProtocolMessage.seq).",
	"seq-order":    "The numbers of the adapter's messages come in order (ProtocolMessage.seq).",
	"answer":       "Every request gets exactly one response, with its command and number (Response).",
	"initialized":  "The initialized event comes once for each launch or restart, not before initialize is answered.",
	"stopped":      "A stopped event comes only while the program runs, with a reason.",
	"thread":       "The thread of a stopped event is one of the threads.",
	"terminated":   "terminated comes once a run; nothing pauses after it.",
	"exited":       "A program that ran to its end gives an exited event, before terminated.",
	"breakpoints":  "An answer to a setBreakpoints request has one entry for each breakpoint asked for; a verified one has a number of its own.",
	"hit":          "The breakpoints that a stopped event names are set.",
	"frames":       "Frames have positive, different numbers; no more are sent than were asked for; totalFrames is at least their number.",
	"stale":        "A frame or a variable of an earlier pause, or one that never was, is refused (Lifetime of Objects References).",
	"refuse":       "A request that makes no sense in the current state is refused.",
	"internal":     "No answer speaks of an internal error, a panic or a nil dereference in the adapter.",
	"set-type":     "setVariable answers with the type that the variable is shown with, as the client asked for types.",
	"capability":   "What the capabilities offer is not refused as unsupported.",
	"variables":    "A page of variables has no more entries than were asked for.",
	"alive":        "The adapter answers in time, and lives until it is told to disconnect.",
	"error-format": "A refused request says why.",
}

// checker follows a session on the wire.
type checker struct {
	tally Tally
	found []Violation
	at    int
	on    string

	open     map[int]*godap.Request // requests without an answer yet
	answered map[int]bool
	commands map[int]string
	before   map[int]bool            // whether the program ran when a request to let it run came
	raws     map[int]json.RawMessage // arguments of requests, by number
	lastSeq  int
	seqs     map[int]bool

	initAnswered, launched bool
	owed                   int // initialized events that may come
	launches               int
	configured, running    bool
	ended                  bool
	exitSeen               bool
	disconnecting          bool
	afterEnd               bool // it was let run after its end
	paused                 bool

	frames    map[int]bool
	refs      map[int]map[string]string // variable references with names and types of their children
	threads   map[int]bool
	stoppedAt int // thread of the last stopped event
	seen      bool
	ids       map[string]map[int]bool // breakpoint numbers by request
	caps      godap.Capabilities
}

// Protocol judges all that was said in a session. Last is the session's last
// output: if that is a hang or a death, it is a violation of "alive". Stderr
// is what the adapter itself printed.
func Protocol(wire []dap.Wire, last *dap.Output, stderr string) ([]Violation, *Tally) {
	c := &checker{
		open: map[int]*godap.Request{}, answered: map[int]bool{}, commands: map[int]string{}, before: map[int]bool{}, raws: map[int]json.RawMessage{},
		seqs: map[int]bool{}, ids: map[string]map[int]bool{},
	}
	c.forget()
	for i := range wire {
		c.at = i
		c.message(&wire[i])
	}
	c.on = "session"
	c.tally.Add("alive", 1)
	fatal := last != nil && (last.Kind == dap.Hang || last.Kind == dap.Death)
	if fatal {
		c.fail("alive", "%s", last)
	} else {
		for seq, r := range c.open {
			if r.Command != "disconnect" && r.Command != "pause" {
				c.check("answer", false, "request %d, %s, was never answered", seq, r.Command)
			}
		}
	}
	// The program may print a panic of its own there.
	c.check("internal", !strings.Contains(stderr, "recovered panic") && !strings.Contains(stderr, "panic") || !strings.Contains(stderr, "/delve"),
		"the adapter printed a panic: %s", firstLines(stderr, 3))
	return c.found, &c.tally
}

// Panicked are the functions that were active when something panicked, as a text with
// the stack of a goroutine says, innermost first: each with its package's name, such as
// proc.Target.Continue. Those of the runtime are left out, as are all if the text has no
// panic.
func Panicked(text string) []string {
	_, stack, _ := strings.Cut(text, "\npanic(")
	var names []string
	for line := range strings.Lines(stack) {
		name := strings.TrimSpace(line)
		if name == "" || strings.HasPrefix(name, "created by ") {
			break // the goroutine's last
		}
		call := strings.LastIndex(name, "(")
		if strings.HasPrefix(line, "\t") || call < 0 || !strings.Contains(name[:call], "/") || !strings.HasSuffix(name, ")") {
			continue
		}
		name = path.Base(name[:call])
		names = append(names, strings.NewReplacer("(", "", ")", "", "*", "").Replace(name))
	}
	return names
}

func firstLines(s string, n int) string {
	lines := strings.SplitN(s, "\n", n+1)
	return strings.Join(lines[:min(n, len(lines))], " | ")
}

func (c *checker) fail(rule, format string, args ...any) {
	c.found = append(c.found, Violation{rule, c.on, fmt.Sprintf(format, args...), c.at})
}

func (c *checker) check(rule string, ok bool, format string, args ...any) {
	c.tally.Add(rule, 1)
	if !ok {
		c.fail(rule, format, args...)
	}
}

// forget drops what lives only as long as a pause.
func (c *checker) forget() {
	c.frames = map[int]bool{}
	c.refs = map[int]map[string]string{}
	c.threads = nil
}

func (c *checker) message(w *dap.Wire) {
	if w.Sent {
		c.request(w)
		return
	}
	c.check("decodes", w.Msg != nil, "a message does not decode: %s: %.200s", w.Err, w.Raw)
	if w.Msg == nil {
		return
	}
	switch m := w.Msg.(type) {
	case godap.ResponseMessage:
		c.on = "response"
	case godap.EventMessage:
		c.on = m.GetEvent().Event
	}
	seq := w.Msg.GetSeq()
	c.check("seq", seq > 0 && !c.seqs[seq], "a message has the number %d, after %d: %.120s", seq, c.lastSeq, w.Raw)
	if seq > 0 {
		c.on = "" // whatever it is that came too early, the numbering is the fault
		c.check("seq-order", seq > c.lastSeq, "the message numbered %d came after %d: %.120s", seq, c.lastSeq, w.Raw)
	}
	c.seqs[seq], c.lastSeq = true, max(seq, c.lastSeq)
	switch m := w.Msg.(type) {
	case godap.ResponseMessage:
		c.response(m)
	case godap.EventMessage:
		c.event(m)
	}
}

func (c *checker) request(w *dap.Wire) {
	r, ok := w.Msg.(*godap.Request)
	if !ok {
		return
	}
	c.open[r.Seq] = r
	c.commands[r.Seq] = r.Command
	var body struct {
		Arguments json.RawMessage `json:"arguments"`
	}
	json.Unmarshal(w.Raw, &body)
	c.raws[r.Seq] = body.Arguments
	switch r.Command {
	case "disconnect", "terminate":
		c.disconnecting = true
	case "launch", "attach":
		// Each may bring its own, beside the one that initialize may.
		if c.launches++; c.launches > 1 {
			c.owed++
		}
	case "configurationDone", "continue", "next", "stepIn", "stepOut":
		// The stopped event may overtake the response; a refusal takes this back.
		c.before[r.Seq] = c.running
		if c.launched && !c.ended {
			c.running = true
		}
	}
}

// resuming are the requests that let the program run.
var resuming = map[string]bool{"continue": true, "next": true, "stepIn": true, "stepOut": true}

func (c *checker) response(m godap.ResponseMessage) {
	r := m.GetResponse()
	req := c.open[r.RequestSeq]
	c.on = c.commands[r.RequestSeq]
	c.check("answer", req != nil, "a response to request %d (%s) that %s", r.RequestSeq, c.on, ifElse(c.answered[r.RequestSeq], "was answered before", "was never sent"))
	if req == nil {
		return
	}
	delete(c.open, r.RequestSeq)
	c.answered[r.RequestSeq] = true
	args := c.raws[r.RequestSeq]
	delete(c.raws, r.RequestSeq)
	if r.Command != "" {
		c.check("answer", r.Command == req.Command, "the response to %s says that it is for %s", req.Command, r.Command)
	}
	if !r.Success {
		c.refused(req, m)
	} else {
		c.granted(req, args, m)
	}
}

func ifElse(c bool, a, b string) string {
	if c {
		return a
	}
	return b
}

// internals are words that only an adapter's own failure brings.
var internals = []string{"Internal Error", "internal error", "internal debugger error", "nil pointer dereference (recovered)", "runtime error: invalid memory address", "runtime error: index out of range", "runtime error: slice bounds", "interface conversion", "unexpected kind"}

// offered maps requests to the capability that offers them.
var offered = map[string]func(*godap.Capabilities) bool{
	"setFunctionBreakpoints":    func(c *godap.Capabilities) bool { return c.SupportsFunctionBreakpoints },
	"setInstructionBreakpoints": func(c *godap.Capabilities) bool { return c.SupportsInstructionBreakpoints },
	"configurationDone":         func(c *godap.Capabilities) bool { return c.SupportsConfigurationDoneRequest },
	"setVariable":               func(c *godap.Capabilities) bool { return c.SupportsSetVariable },
	"restart":                   func(c *godap.Capabilities) bool { return c.SupportsRestartRequest },
	"disassemble":               func(c *godap.Capabilities) bool { return c.SupportsDisassembleRequest },
	"exceptionInfo":             func(c *godap.Capabilities) bool { return c.SupportsExceptionInfoRequest },
	"cancel":                    func(c *godap.Capabilities) bool { return c.SupportsCancelRequest },
}

func (c *checker) refused(req *godap.Request, m godap.ResponseMessage) {
	text := m.GetResponse().Message
	if e, ok := m.(*godap.ErrorResponse); ok && e.Body.Error != nil {
		text += ": " + e.Body.Error.Format
	}
	c.check("error-format", strings.Trim(text, ": ") != "", "%s is refused without a reason", req.Command)
	// A request that the decoder does not know is answered so by design.
	if req.Command != "misstepNoSuchRequest" {
		bad := ""
		for _, s := range internals {
			if strings.Contains(text, s) {
				bad = s
			}
		}
		on := c.on
		if stack := Panicked(text); len(stack) > 0 && bad != "" {
			c.on += "/" + stack[0] // one request may fail in many places
		}
		c.check("internal", bad == "", "%s is answered: %s", req.Command, firstLines(text, 2))
		c.on = on
	}
	if has := offered[req.Command]; has != nil && has(&c.caps) {
		c.check("capability", !strings.Contains(text, "Unsupported command") && !strings.Contains(text, "Not yet implemented"),
			"%s is offered, and refused: %s", req.Command, text)
	}
	if resuming[req.Command] || req.Command == "configurationDone" {
		c.running = c.before[req.Seq]
	}
}

func (c *checker) granted(req *godap.Request, args json.RawMessage, m godap.ResponseMessage) {
	if c.disconnecting && req.Command != "disconnect" {
		return
	}
	switch req.Command {
	case "initialize":
		c.initAnswered = true
	case "launch", "attach":
		c.launched = true
		return
	case "threads", "pause", "disconnect", "setBreakpoints", "setFunctionBreakpoints", "setInstructionBreakpoints", "setExceptionBreakpoints", "cancel", "source", "restart":
		// Breakpoints may be remembered until there is a program; restart is
		// answered at once, and fails later, by its own error.
	case "evaluate", "disassemble":
		c.check("refuse", c.initAnswered && (c.launched || c.owed > 0), "%s is granted before a program is launched", req.Command)
	case "configurationDone":
		c.check("refuse", c.initAnswered && (c.launched || c.owed > 0), "configurationDone is granted before a program is launched")
		c.configured = true
		c.resumed(req.Command)
	case "continue", "next", "stepIn", "stepOut":
		c.check("refuse", c.launched && c.configured, "%s is granted before the program has started", req.Command)
		c.resumed(req.Command)
	case "scopes", "variables", "setVariable", "stackTrace":
		// Programs that end at this moment may have been asked just before.
		ok := c.launched && c.configured
		c.check("refuse", ok, "%s is granted before the program has started", req.Command)
	}
	switch m := m.(type) {
	case *godap.InitializeResponse:
		c.caps = m.Body
		c.owed++
	case *godap.RestartResponse:
		c.owed++
		c.ended, c.exitSeen, c.running, c.paused, c.afterEnd = false, false, false, false, false
		c.forget()
	case *godap.ThreadsResponse:
		c.threads = map[int]bool{}
		for _, t := range m.Body.Threads {
			c.threads[t.Id] = true
		}
		if c.paused && c.seen {
			c.check("thread", c.threads[c.stoppedAt] || len(c.threads) > 1000, "the program stopped in thread %d, which is not among the threads", c.stoppedAt)
		}
	case *godap.StackTraceResponse:
		c.stackTrace(args, m)
	case *godap.ScopesResponse:
		var a godap.ScopesArguments
		json.Unmarshal(args, &a)
		c.check("stale", c.frames[a.FrameId], "scopes is granted for frame %d, which is none of this pause", a.FrameId)
		for _, s := range m.Body.Scopes {
			c.refs[s.VariablesReference] = nil
		}
	case *godap.VariablesResponse:
		c.variables(args, m)
	case *godap.EvaluateResponse:
		var a godap.EvaluateArguments
		json.Unmarshal(args, &a)
		if a.FrameId != 0 {
			c.check("stale", c.frames[a.FrameId], "evaluate is granted for frame %d, which is none of this pause", a.FrameId)
		}
		if m.Body.VariablesReference > 0 {
			c.refs[m.Body.VariablesReference] = nil
		}
	case *godap.SetVariableResponse:
		var a godap.SetVariableArguments
		json.Unmarshal(args, &a)
		_, known := c.refs[a.VariablesReference]
		c.check("stale", known, "setVariable is granted for reference %d, which is none of this pause", a.VariablesReference)
		if typ, ok := c.refs[a.VariablesReference][a.Name]; ok && typ != "" {
			c.check("set-type", m.Body.Type == typ, "setVariable of %s answers with type %q; it is shown with %q", a.Name, m.Body.Type, typ)
		}
		if m.Body.VariablesReference > 0 {
			c.refs[m.Body.VariablesReference] = nil
		}
	case *godap.SetBreakpointsResponse:
		var a godap.SetBreakpointsArguments
		json.Unmarshal(args, &a)
		c.breakpoints("line "+a.Source.Path, len(a.Breakpoints), m.Body.Breakpoints)
	case *godap.SetFunctionBreakpointsResponse:
		var a godap.SetFunctionBreakpointsArguments
		json.Unmarshal(args, &a)
		c.breakpoints("function", len(a.Breakpoints), m.Body.Breakpoints)
	case *godap.SetInstructionBreakpointsResponse:
		var a godap.SetInstructionBreakpointsArguments
		json.Unmarshal(args, &a)
		c.breakpoints("instruction", len(a.Breakpoints), m.Body.Breakpoints)
	}
}

// resumed notes that the adapter has agreed to let the program run. If that
// has ended there is nothing to run, and the events that follow from the
// adapter's agreement are not counted as violations of their own.
func (c *checker) resumed(command string) {
	c.check("refuse", !c.ended, "%s is granted after the program has ended", command)
	if c.ended {
		c.afterEnd = true
	}
}

func (c *checker) stackTrace(args json.RawMessage, m *godap.StackTraceResponse) {
	var a godap.StackTraceArguments
	json.Unmarshal(args, &a)
	b := m.Body
	here := map[int]bool{}
	ok := true
	for _, f := range b.StackFrames {
		ok = ok && f.Id > 0 && !here[f.Id]
		here[f.Id] = true
		c.frames[f.Id] = true
	}
	c.check("frames", ok, "frames without numbers of their own")
	if a.Levels > 0 {
		c.check("frames", len(b.StackFrames) <= a.Levels, "%d frames for %d levels", len(b.StackFrames), a.Levels)
	}
	if b.TotalFrames > 0 && len(b.StackFrames) > 0 {
		c.check("frames", b.TotalFrames >= len(b.StackFrames)+max(a.StartFrame, 0), "totalFrames is %d, with %d frames sent from %d on", b.TotalFrames, len(b.StackFrames), a.StartFrame)
	}
}

func (c *checker) variables(args json.RawMessage, m *godap.VariablesResponse) {
	var a godap.VariablesArguments
	json.Unmarshal(args, &a)
	_, known := c.refs[a.VariablesReference]
	c.check("stale", known, "variables is granted for reference %d, which is none of this pause", a.VariablesReference)
	types := c.refs[a.VariablesReference]
	if types == nil {
		types = map[string]string{}
		c.refs[a.VariablesReference] = types
	}
	for _, v := range m.Body.Variables {
		types[v.Name] = v.Type
		if v.VariablesReference > 0 {
			if _, ok := c.refs[v.VariablesReference]; !ok {
				c.refs[v.VariablesReference] = nil
			}
		}
	}
	if a.Filter == "indexed" && a.Count > 0 {
		// Maps may send key and value apart.
		c.check("variables", len(m.Body.Variables) <= 2*a.Count, "%d variables for a page of %d", len(m.Body.Variables), a.Count)
	}
}

func (c *checker) breakpoints(kind string, asked int, told []godap.Breakpoint) {
	c.check("breakpoints", asked == len(told), "%d breakpoints asked for, %d answered", asked, len(told))
	ids := map[int]bool{}
	ok := true
	for _, b := range told {
		if b.Verified {
			ok = ok && b.Id > 0 && !ids[b.Id]
			ids[b.Id] = true
		}
	}
	c.check("breakpoints", ok, "verified breakpoints without numbers of their own")
	c.ids[kind] = ids
}

func (c *checker) event(m godap.EventMessage) {
	// next, stepIn and stepOut announce themselves before they are answered.
	if c.disconnecting || c.afterEnd || c.ended && m.GetEvent().Event == "continued" {
		return
	}
	switch e := m.(type) {
	case *godap.InitializedEvent:
		c.check("initialized", c.initAnswered && c.owed > 0, "an initialized event that nothing called for")
		c.owed--
		c.launched = true
	case *godap.StoppedEvent:
		c.check("stopped", c.running, "the program stopped (%s) while it did not run", e.Body.Reason)
		c.check("stopped", e.Body.Reason != "", "the program stopped for no reason")
		c.check("terminated", !c.ended, "the program stopped after it had ended")
		c.running, c.paused, c.seen = false, true, true
		c.stoppedAt = e.Body.ThreadId
		c.forget()
		for _, id := range e.Body.HitBreakpointIds {
			set := false
			for _, ids := range c.ids {
				set = set || ids[id]
			}
			if e.Body.Reason != "exception" {
				c.check("hit", set, "the program stopped at breakpoint %d, which is not set", id)
			}
		}
	case *godap.ExitedEvent:
		c.check("exited", !c.ended, "exited comes after terminated")
		c.exitSeen = true
	case *godap.TerminatedEvent:
		c.check("terminated", !c.ended, "terminated comes twice")
		if c.running {
			c.check("exited", c.exitSeen, "the program ended without an exited event, so with no exit code")
		}
		c.ended, c.running, c.paused = true, false, false
		c.forget()
	case *godap.ContinuedEvent:
		c.check("stopped", c.running, "a continued event while the program did not run")
	}
}
