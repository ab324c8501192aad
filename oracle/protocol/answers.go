package protocol

import (
	"encoding/json"
	"go/parser"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	godap "github.com/google/go-dap"
)

// internals are words that only an adapter's own failure brings.
var internals = []string{"Internal Error", "internal error", "internal debugger error", "nil pointer dereference (recovered)", "runtime error: invalid memory address", "runtime error: index out of range", "runtime error: slice bounds", "interface conversion", "unexpected kind"}

func (c *checker) refused(req *godap.Request, args json.RawMessage, m godap.ResponseMessage) {
	text := m.GetResponse().Message
	if e, ok := m.(*godap.ErrorResponse); ok && e.Body.Error != nil {
		text += ": " + e.Body.Error.Format
	}
	c.check("error-format", strings.Trim(text, ": ") != "", "%s is refused without a reason", req.Command)
	// A request that the decoder does not know is answered so by design.
	if req.Command != "misstepNoSuchRequest" {
		bad := ""
		for _, s := range internals {
			// A type assertion fails in these words, of the program's types, whichever argument it is in.
			asserted := s == "interface conversion" && strings.Contains(string(args), ".(")
			if strings.Contains(text, s) && !asserted {
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
	c.announced(req.Command, args, m)
	switch req.Command {
	case "initialize":
		c.initAnswered = true
		c.heeds(args)
	case "launch", "attach":
		c.launched = true
		return
	case "threads", "pause", "disconnect", "setBreakpoints", "setFunctionBreakpoints", "setInstructionBreakpoints", "setExceptionBreakpoints", "cancel", "source", "restart":
		// Breakpoints may be remembered until there is a program; restart is
		// answered at once, and fails later, by its own error.
	case "evaluate", "disassemble":
		before := "a program is launched"
		if !c.initAnswered {
			before = "the session is initialized"
		}
		c.check("refuse", c.initAnswered && (c.launched || c.owed > 0 || c.served), "%s is granted before %s", req.Command, before)
	case "configurationDone":
		c.check("refuse", c.initAnswered && (c.launched || c.owed > 0), "configurationDone is granted before a program is launched")
		c.configured = true
		c.resumed(req.Command)
	case "stepBack", "reverseContinue":
		if c.ended {
			c.resumed(req.Command)
		}
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
		c.restarting = c.during[m.RequestSeq]
		c.ended, c.exitSeen, c.running, c.paused, c.afterEnd = false, false, false, false, false
		c.forget()
	case *godap.ThreadsResponse:
		c.listed(m.Body.Threads, c.paused && !c.during[m.RequestSeq])
	case *godap.ContinueResponse:
		var a godap.ContinueArguments
		json.Unmarshal(args, &a)
		// What is left out is true; only the word false says otherwise.
		c.check("all-stopped", m.Body.AllThreadsContinued || a.SingleThread || !c.allStopped || !c.says("allThreadsContinued"),
			"not all threads are said to continue, all of which had stopped")
	default:
		c.understood(m)
		c.window(args, m)
		c.shown(args, m)
		c.set(args, m)
	}
}

// shown judges what an answer shows of a pause.
func (c *checker) shown(args json.RawMessage, m godap.ResponseMessage) {
	switch m := m.(type) {
	case *godap.StackTraceResponse:
		c.stackTrace(args, m)
	case *godap.ScopesResponse:
		var a godap.ScopesArguments
		json.Unmarshal(args, &a)
		c.check("stale", c.frames[a.FrameId], "scopes is granted for frame %d, which is none of this pause", a.FrameId)
		for _, s := range m.Body.Scopes {
			c.refs[s.VariablesReference] = nil
			c.scopes[s.VariablesReference] = a.FrameId
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
			c.promise(m.Body.VariablesReference, m.Body.IndexedVariables, m.Body.NamedVariables)
		}
		// At a prompt it may have been a command, and what is called may give nothing.
		if _, err := parser.ParseExpr(a.Expression); err == nil && a.Context != "repl" && !strings.HasPrefix(a.Expression, "call ") && c.client.SupportsVariableType {
			c.check("eval-type", m.Body.Type != "", "evaluate of %s answers with %q and no type", a.Expression, m.Body.Result)
		}
	case *godap.DisassembleResponse:
		c.disassembled(args, m)
	case *godap.SetVariableResponse:
		var a godap.SetVariableArguments
		json.Unmarshal(args, &a)
		_, known := c.refs[a.VariablesReference]
		c.check("stale", known, "setVariable is granted for reference %d, which is none of this pause", a.VariablesReference)
		if typ, ok := c.refs[a.VariablesReference][a.Name]; ok && typ != "" && c.client.SupportsVariableType {
			// An interface is shown with the type of what it holds, which the assignment changes: that is judged when it is shown again.
			c.check("set-type", declaredType(m.Body.Type) == declaredType(typ), "setVariable of %s answers with type %q; it is shown with %q", a.Name, m.Body.Type, typ)
			c.refs[a.VariablesReference][a.Name] = declaredType(typ)
			if frame, scope := c.scopes[a.VariablesReference]; scope {
				c.assigned[frameVariable{frame, a.Name}] = m.Body.Type
			}
		}
		if m.Body.VariablesReference > 0 {
			c.refs[m.Body.VariablesReference] = nil
		}
	}
}

// set judges the answer to a request that sets breakpoints.
func (c *checker) set(args json.RawMessage, m godap.ResponseMessage) {
	switch m := m.(type) {
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
	case *godap.SetDataBreakpointsResponse:
		var a godap.SetDataBreakpointsArguments
		json.Unmarshal(args, &a)
		c.breakpoints("data", len(a.Breakpoints), m.Body.Breakpoints)
	case *godap.SetExceptionBreakpointsResponse:
		var a godap.SetExceptionBreakpointsArguments
		json.Unmarshal(args, &a)
		if told := m.Body.Breakpoints; len(told) > 0 {
			known := 0
			for _, f := range c.caps.ExceptionBreakpointFilters {
				if slices.Contains(a.Filters, f.Filter) {
					known++
				}
			}
			c.check("breakpoints", len(told) <= len(a.Filters)+len(a.FilterOptions)+len(a.ExceptionOptions) && len(told) >= known, "%d exception filters asked for, %d of them known, %d answered", len(a.Filters), known, len(told))
			c.check("breakpoints", !slices.ContainsFunc(told[:min(known, len(told))], func(b godap.Breakpoint) bool { return !b.Verified }), "a filter that the adapter has is not verified")
		}
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
	if len(c.known) > 0 && len(b.StackFrames) > 0 {
		on := c.on
		if a.ThreadId < 0 {
			c.on += "/negative"
		}
		c.check("stale", c.known[a.ThreadId], "stackTrace is granted for thread %d, which never was", a.ThreadId)
		c.on = on
	}
	here := map[int]bool{}
	ok := true
	for _, f := range b.StackFrames {
		ok = ok && f.Id > 0 && !here[f.Id]
		here[f.Id] = true
		c.frames[f.Id] = true
	}
	c.check("frames", ok, "frames without numbers of their own")
	if a.StartFrame <= 0 && (a.ThreadId == c.stoppedAt || c.stoppedAt == 0) {
		c.unasked(b.StackFrames)
	}
	if !c.during[m.RequestSeq] {
		c.stackOf(a.ThreadId, max(a.StartFrame, 0), b.StackFrames, b.TotalFrames)
	}
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
	// A client must not use it after the end, and the adapter may show what it has kept (tolerance ended-references).
	c.check("stale", known || c.ended, "variables is granted for reference %d, which is none of this pause", a.VariablesReference)
	types := c.refs[a.VariablesReference]
	if types == nil {
		types = map[string]string{}
		c.refs[a.VariablesReference] = types
	}
	c.children(a, m.Body.Variables)
	frame, scope := c.scopes[a.VariablesReference]
	for _, v := range m.Body.Variables {
		types[v.Name] = v.Type
		if typ, ok := c.assigned[frameVariable{frame, v.Name}]; ok && scope && c.client.SupportsVariableType {
			c.check("set-type", v.Type == typ, "setVariable of %s has answered with type %q; it is shown with %q since", v.Name, typ, v.Type)
			delete(c.assigned, frameVariable{frame, v.Name})
		}
		c.promise(v.VariablesReference, v.IndexedVariables, v.NamedVariables)
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
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		taken := false
		for other, set := range c.ids {
			taken = taken || other != kind && set[id]
		}
		c.check("breakpoints", !taken, "breakpoint %d has the number of one that another request set", id)
	}
	c.ids[kind] = ids
	c.points[kind] = told
}

// unasked says of a pause that is said to have been asked for, and was not, where the program is: at a breakpoint, which it came to just then,
// or somewhere else, where nothing but that stopped it.
func (c *checker) unasked(frames []godap.StackFrame) {
	at := c.nobody
	c.nobody = -1
	if at < 0 || len(frames) == 0 || len(c.ids["data"]) > 0 || len(c.ids["instruction"]) > 0 {
		return
	}
	top := frames[0]
	for _, set := range c.points {
		for _, b := range set {
			if b.Line == top.Line && (b.Source == nil || top.Source == nil || path.Base(b.Source.Path) == path.Base(top.Source.Path)) {
				return
			}
		}
	}
	c.found[at].On = "stopped/elsewhere"
}

// disassembled judges a list of instructions: it is as long as it was asked to be, and each has an address that is a number.
func (c *checker) disassembled(args json.RawMessage, m *godap.DisassembleResponse) {
	var a godap.DisassembleArguments
	if json.Unmarshal(args, &a) != nil {
		return
	}
	list := m.Body.Instructions
	c.check("instructions", len(list) == max(a.InstructionCount, 0), "%d instructions, %d asked for", len(list), a.InstructionCount)
	i := slices.IndexFunc(list, func(x godap.DisassembledInstruction) bool { return !numbered(x.Address) })
	if i >= 0 {
		c.check("instructions", false, "instruction %d has the address %q", i, list[i].Address)
	}
}

// numbered reports whether a text is an address: a hexadecimal number after 0x, or a decimal one.
func numbered(text string) bool {
	_, err := strconv.ParseUint(text, 0, 64)
	return err == nil
}

// declaredType is the type that a variable is declared with, of one that Delve shows with that of what it holds.
func declaredType(typ string) string {
	if i := strings.LastIndexByte(typ, '('); i > 0 && strings.HasSuffix(typ, ")") && !strings.HasPrefix(typ, "func(") {
		return typ[:i]
	}
	return typ
}
