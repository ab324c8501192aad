package protocol

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	godap "github.com/google/go-dap"

	"misstep/dap"
)

// says reports whether the body of the message that is judged has an attribute.
func (c *checker) says(attribute string) bool {
	var m struct {
		Body map[string]json.RawMessage `json:"body"`
	}
	return json.Unmarshal(c.raw, &m) == nil && m.Body[attribute] != nil
}

// firstKinds is how many messages of one kind are looked at in a session for what they lack.
const firstKinds = 24

// kindOf is the event or the request that a message is about.
func kindOf(m godap.Message) string {
	switch m := m.(type) {
	case godap.ResponseMessage:
		return m.GetResponse().Command
	case godap.EventMessage:
		return m.GetEvent().Event
	}
	return ""
}

func (c *checker) request(w *dap.Wire) {
	r, ok := w.Msg.(*godap.Request)
	if !ok {
		return
	}
	c.open[r.Seq] = r
	if w.Misuse != "" {
		c.misuses[r.Seq] = w.Misuse
	}
	c.commands[r.Seq] = r.Command
	var body struct {
		Arguments json.RawMessage `json:"arguments"`
	}
	json.Unmarshal(w.Raw, &body)
	c.raws[r.Seq] = body.Arguments
	c.during[r.Seq] = c.running
	c.limited = c.limited || strings.Contains(string(body.Arguments), "maxArrayValues")
	c.filtered = c.filtered || strings.Contains(string(body.Arguments), "goroutineFilters") && !strings.Contains(string(body.Arguments), "config -list") || hides.Match(body.Arguments)
	c.written = c.written || r.Command == "writeMemory"
	if alters(r.Command, body.Arguments) {
		c.windows = newWindows()
	}
	c.calls = mayCall(r.Command, body.Arguments)
	switch r.Command {
	case "disconnect", "terminate":
		c.disconnecting = true
	case "pause":
		// One that comes while the program ends may stay without an answer.
		c.must[r.Seq] = c.ended && !c.disconnecting
		if c.running {
			c.toPause++
		}
	case "launch", "attach":
		c.begun = r.Command
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

// namedEarly is how many requests are named before what came of them, which a reader should come to.
const namedEarly = 3

// few are the first of some names, and how many there are beside these.
func few(names []string) string {
	if len(names) <= namedEarly+1 {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:namedEarly], ", "), len(names)-namedEarly)
}

// hides matches arguments by which the runtime's goroutines are not listed.
var hides = regexp.MustCompile(`hideSystemGoroutines(":\s*|\s+)true`)

// A frameVariable is a variable in a scope of a frame.
type frameVariable struct {
	frame int
	name  string
}

// expression is what an evaluate request asks for.
func expression(args json.RawMessage) string {
	var a godap.EvaluateArguments
	json.Unmarshal(args, &a)
	return a.Expression
}

// calls reports whether an evaluation is to call a function of the program.
func calls(args json.RawMessage) bool { return strings.HasPrefix(expression(args), "call ") }

// mayCall reports whether a request may let the program run, to call a function of it.
func mayCall(command string, args json.RawMessage) bool {
	return command == "setVariable" || command == "evaluate" && calls(args)
}

// promptSwitch is how another thread is selected at Delve's prompt.
const promptSwitch = dap.Prompt + "target switch"

// backward are the requests that let it run backwards.
var backward = map[string]bool{"stepBack": true, "reverseContinue": true}

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
	c.last = max(c.last, r.RequestSeq)
	if r.Command == "pause" {
		c.halted = max(c.halted, r.RequestSeq)
	}
	args := c.raws[r.RequestSeq]
	if r.Command != "" {
		c.check("answer", r.Command == req.Command, "the response to %s says that it is for %s", req.Command, r.Command)
	}
	c.demanded(c.misuses[r.RequestSeq], args, m)
	if mayCall(req.Command, args) {
		c.functions, c.totals, c.ends = map[int]string{}, map[int]int{}, map[int]int{}
		c.stirred = c.calls
	}
	if r.Success && r.Command == "evaluate" && strings.Contains(string(args), promptSwitch) {
		c.switched = true
	}
	if !r.Success {
		c.refused(req, args, m)
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

func (c *checker) event(m godap.EventMessage) {
	c.understood(m)
	if e, ok := m.(*godap.CapabilitiesEvent); ok {
		c.offer(e)
	}
	// next, stepIn and stepOut announce themselves before they are answered.
	if c.disconnecting || c.afterEnd || c.ended && m.GetEvent().Event == "continued" {
		return
	}
	switch e := m.(type) {
	case *godap.InitializedEvent:
		c.check("initialized", c.initAnswered && c.owed > 0, "an initialized event that nothing called for")
		c.owed--
		c.launched, c.restarting = true, false
		// The run before may have ended while it was to be restarted, and said so in between.
		c.ended, c.exitSeen = false, false
	case *godap.StoppedEvent:
		if c.restarting {
			return // the run that is ended may still say so
		}
		c.check("stopped", c.running || c.calls, "the program stopped (%s) while it did not run", e.Body.Reason)
		c.check("stopped", e.Body.Reason != "", "the program stopped for no reason")
		c.check("terminated", !c.ended, "the program stopped after it had ended")
		c.nobody = -1
		if e.Body.Reason == "pause" && c.running {
			if c.toPause <= 0 {
				c.nobody = len(c.found)
			}
			c.check("nobody", c.toPause > 0, "the program is said to have paused because it was asked to, which it was not while it ran")
			c.toPause--
		}
		c.running, c.paused = false, true
		c.calls, c.stirred, c.switched = false, false, false // what that stop was in is over
		c.functions, c.totals, c.ends = map[int]string{}, map[int]int{}, map[int]int{}
		c.stoppedAt, c.allStopped = e.Body.ThreadId, e.Body.AllThreadsStopped
		c.known[c.stoppedAt] = true
		if e.Body.Reason != "error" {
			c.forget() // else the program may be where it was, and all that was shown there may live on
		}
		for _, id := range e.Body.HitBreakpointIds {
			set := false
			for _, ids := range c.ids {
				set = set || ids[id]
			}
			if e.Body.Reason == "exception" {
				c.on = "exception" // which has no number that the client could know, either
			}
			c.check("hit", set, "the program stopped at breakpoint %d, which is not set", id)
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
	case *godap.ProcessEvent:
		c.check("process", e.Body.Name != "", "a process without a name")
		method := e.Body.StartMethod
		c.check("process", method == "" || method == c.begun || method == "attachForSuspendedLaunch", "the process is said to have been started by %s, and the request was %s", method, c.begun)
	case *godap.ContinuedEvent:
		c.check("stopped", c.running, "a continued event while the program did not run")
	}
}
