package faults

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// callersFrame is how an expression names the frame of a caller.
var callersFrame = regexp.MustCompile(`runtime\.frame\(\d+\)\.`)

// longName is how long an expression is at least that own-names refuses.
const longName = 12

// asked are faults of what is asked for less often: exceptions, memory, breakpoints that are changed, and
// requests that come while the program runs.
var asked = []Fault{
	{"hits-not-offered", "heeds hit conditions, and does not say so", ByComparison, func() handler {
		return func(p *pipe, m message) {
			if m.is("response", "initialize") {
				delete(m.body(), "supportsHitConditionalBreakpoints")
			}
			p.pass(m)
		}
	}},
	{"frames-ignored", "evaluates what an expression names of a caller in the innermost frame", ByReference, every(1, "request", "evaluate", func(_ *pipe, m message) bool {
		if e, ok := m.body()["expression"].(string); ok {
			m.body()["expression"] = callersFrame.ReplaceAllString(e, "")
		}
		return false
	})},
	{"nil-left", "takes a comparison that begins with nil for false", ByReference, func() handler {
		asked := map[any]bool{}
		return func(p *pipe, m message) {
			switch {
			case m.is("request", "evaluate"):
				e, _ := m.body()["expression"].(string)
				asked[m["seq"]] = strings.HasPrefix(strings.TrimLeft(e, "("), "nil == ")
			case m.is("response", "evaluate") && asked[m["request_seq"]] && m.body()["result"] == "true":
				m.body()["result"] = "false"
			}
			p.pass(m)
		}
	}},
	{"own-names", "refuses the longer of the expressions that it has given for parts", ByComparison, func() handler {
		given := map[any]bool{}
		return func(p *pipe, m message) {
			switch {
			case m.is("response", "variables"):
				list, _ := m.body()["variables"].([]any)
				for _, v := range list {
					if v, ok := v.(map[string]any); ok {
						given[v["evaluateName"]] = true
					}
				}
			case m.is("request", "evaluate"):
				if e, _ := m.body()["expression"].(string); len(e) > longName && given[e] {
					m.body()["expression"] = e + ".misstep"
				}
			}
			p.pass(m)
		}
	}},
	{"results-swapped", "shows the results of a call that has several in the reverse order", ByReference, func() handler {
		calls, lists, asked := map[any]bool{}, map[any]bool{}, map[any]bool{}
		return func(p *pipe, m message) {
			switch {
			case m.is("request", "evaluate"):
				e, _ := m.body()["expression"].(string)
				calls[m["seq"]] = strings.HasPrefix(e, "call ")
			case m.is("response", "evaluate") && calls[m["request_seq"]]:
				lists[m.body()["variablesReference"]] = true
			case m.is("request", "variables"):
				asked[m["seq"]] = lists[m.body()["variablesReference"]]
			case m.is("response", "variables") && asked[m["request_seq"]]:
				if list, ok := m.body()["variables"].([]any); ok {
					slices.Reverse(list)
				}
			}
			p.pass(m)
		}
	}},
	{"panics-passed", "does not pause for panics, whatever it is told", ByReference, every(1, "event", "stopped", func(p *pipe, m message) bool {
		if m.body()["reason"] != "exception" || m.body()["description"] != "panic" {
			return false
		}
		p.request("continue", message{"threadId": m.body()["threadId"]})
		return true
	})},
	{"panics-kept", "pauses for panics though it is told not to", ByReference, every(1, "request", "setExceptionBreakpoints", func(_ *pipe, m message) bool {
		args, _ := m["arguments"].(map[string]any)
		args["filters"] = []any{"unrecovered-panic", "runtime-fatal-throw"}
		return false
	})},
	{"panics-misquoted", "shows another text for a panic than the program prints", ByReference, every(1, "event", "stopped", func(_ *pipe, m message) bool {
		if m.body()["description"] == "panic" {
			m.body()["text"] = `"another"`
		}
		return false
	})},
	{"crashes-displaced", "shows the callers of a function that panics one line too far down", ByReference, func() handler {
		crashed := false
		return func(p *pipe, m message) {
			switch {
			case m.is("event", "stopped"):
				crashed = m.body()["description"] == "panic"
			case m.is("response", "stackTrace") && crashed:
				for _, f := range m.list("stackFrames") {
					if name, _ := f["name"].(string); strings.HasPrefix(name, "main.main") {
						f["line"] = f["line"].(float64) + 1
					}
				}
			}
			p.pass(m)
		}
	}},
	{"exceptions-mistold", "tells something else of an exception than at its pause", ByReference, every(1, "response", "exceptionInfo", func(_ *pipe, m message) bool {
		if text, ok := m.body()["description"].(string); ok {
			m.body()["description"] = text + " or so"
		}
		return false
	})},
	{"memory-shifted", "reads memory from one byte too far", ByReference, every(1, "response", "readMemory", func(_ *pipe, m message) bool {
		text, _ := m.body()["data"].(string)
		data, err := base64.StdEncoding.DecodeString(text)
		if err == nil && len(data) > 1 {
			m.body()["data"] = base64.StdEncoding.EncodeToString(append(data[1:], 0))
		}
		return false
	})},
	{"offsets-ignored", "reads memory from its beginning, whatever the offset", ByReference, every(1, "request", "readMemory", func(_ *pipe, m message) bool {
		delete(m.body(), "offset")
		return false
	})},
	{"amended-forgotten", "keeps the first condition, hit condition and log message of a breakpoint", ByReference, func() handler {
		first := map[string]message{}
		return onBreakpoints(func(b message) {
			at := fmt.Sprint(b["line"])
			if first[at] == nil {
				first[at] = message{"condition": b["condition"], "hitCondition": b["hitCondition"], "logMessage": b["logMessage"]}
			}
			for k, v := range first[at] {
				if b[k] = v; v == nil {
					delete(b, k)
				}
			}
		})()
	}},
	{"prompt-shifted", "shows memory from one byte too far, where a command of its own is asked for that", ByReference, func() handler {
		asked := map[any]bool{}
		return func(p *pipe, m message) {
			switch {
			case m.is("request", "evaluate"):
				text, _ := m.body()["expression"].(string)
				asked[m["seq"]] = strings.Contains(text, " -x &")
			case m.is("response", "evaluate") && asked[m["request_seq"]]:
				text, _ := m.body()["result"].(string)
				if at, shown, ok := strings.Cut(text, ":"); ok {
					if _, rest, ok := strings.Cut(strings.TrimSpace(shown), " "); ok {
						m.body()["result"] = at + ": " + rest
					}
				}
			}
			p.pass(m)
		}
	}},
	{"launch-once", "refuses to launch a program after it has refused that or to attach once", ByComparison, func() handler {
		refused := false
		return func(p *pipe, m message) {
			switch {
			case m.is("request", "launch") && refused:
				p.toClient(message{"seq": 0, "type": "response", "request_seq": m["seq"], "success": false, "command": "launch", "message": "cannot launch again"})
				return
			case m.is("response", "launch"), m.is("response", "attach"):
				refused = refused || m["success"] == false
			}
			p.pass(m)
		}
	}},
	{"data-passed", "does not pause where a variable is written that has a data breakpoint", ByReference, every(1, "event", "stopped", func(p *pipe, m message) bool {
		if m.body()["reason"] != "data breakpoint" {
			return false
		}
		p.request("continue", message{"threadId": m.body()["threadId"]})
		return true
	})},
	{"data-refused", "refuses all data breakpoints", ByReference, every(1, "response", "setDataBreakpoints", func(_ *pipe, m message) bool {
		l := m.list("breakpoints")
		for _, b := range l {
			b["verified"], b["message"] = false, "cannot watch"
		}
		m.setList("breakpoints", l)
		return false
	})},
	{"data-invented", "says of each pause for a step that it is for a data breakpoint, if one is set", ByReference, func() handler {
		set := false
		return func(p *pipe, m message) {
			switch {
			case m.is("request", "setDataBreakpoints"):
				set = len(m.list("breakpoints")) > 0
			case m.is("event", "stopped") && set && m.body()["reason"] == "step":
				m.body()["reason"] = "data breakpoint"
			}
			p.pass(m)
		}
	}},
	{"meanwhile-unset", "says that breakpoints which are set again while the program runs are not set", ByReference, func() handler {
		during := map[any]bool{}
		return whileRunning(func(p *pipe, m message, running bool) {
			switch {
			case m.is("request", "setBreakpoints"):
				during[m["seq"]] = running
			case m.is("response", "setBreakpoints") && during[m["request_seq"]]:
				l := m.list("breakpoints")
				for _, b := range l {
					b["verified"] = false
				}
				m.setList("breakpoints", l)
			}
			p.pass(m)
		})
	}},
	{"meanwhile-lost", "loses the breakpoints that are set again while the program runs", ByComparison, func() handler {
		return whileRunning(func(p *pipe, m message, running bool) {
			p.pass(m)
			if m.is("request", "setBreakpoints") && running {
				args, _ := m["arguments"].(map[string]any)
				p.request("setBreakpoints", message{"source": args["source"], "breakpoints": []any{}})
			}
		})
	}},
	{"unverified-armed", "says of every breakpoint with a condition that it is not set, and pauses at it", ByReference, func() handler {
		conditional := map[any]map[int]bool{}
		return func(p *pipe, m message) {
			switch {
			case m.is("request", "setBreakpoints"):
				args, _ := m["arguments"].(map[string]any)
				list, _ := args["breakpoints"].([]any)
				conditional[m["seq"]] = map[int]bool{}
				for i, b := range list {
					if b, ok := b.(map[string]any); ok && b["condition"] != nil {
						conditional[m["seq"]][i] = true
					}
				}
			case m.is("response", "setBreakpoints"):
				l := m.list("breakpoints")
				for i, b := range l {
					if conditional[m["request_seq"]][i] {
						b["verified"] = false
					}
				}
				m.setList("breakpoints", l)
			}
			p.pass(m)
		}
	}},
}

// whileRunning is a handler that is told whether the program runs, as far as it was continued.
func whileRunning(f func(p *pipe, m message, running bool)) handler {
	running := false
	return func(p *pipe, m message) {
		switch {
		case m.is("request", "continue"), m.is("request", "configurationDone"):
			running = true
		case m.is("event", "stopped"), m.is("event", "terminated"), m.is("event", "initialized"):
			running = false
		}
		f(p, m, running)
	}
}
