package faults

import (
	"fmt"
	"strconv"
	"strings"
)

// stops are faults in where, when and whether the program pauses, in what breakpoints do, in
// answers, and in what the program prints. All are there always, in the same way.
var stops = []Fault{
	{"hits-unnamed", "names no breakpoint that has a hit condition when it pauses there", ByReference, func() handler {
		counted := map[any]bool{} // by number
		var asked []bool
		return func(p *pipe, m message) {
			switch {
			case m.is("request", "setBreakpoints"):
				asked = nil
				for _, b := range m.list("breakpoints") {
					asked = append(asked, b["hitCondition"] != nil)
				}
			case m.is("response", "setBreakpoints"):
				for i, b := range m.list("breakpoints") {
					counted[b["id"]] = i < len(asked) && asked[i]
				}
			case m.is("event", "stopped"):
				if ids, _ := m.body()["hitBreakpointIds"].([]any); len(ids) == 1 && counted[ids[0]] {
					delete(m.body(), "hitBreakpointIds")
				}
			}
			p.pass(m)
		}
	}},
	{"steps-into-none", "shows no source for the innermost frame after each step into a call", ByReference, func() handler {
		stepped, hide := false, false
		return func(p *pipe, m message) {
			switch {
			case m.is("request", "stepIn"):
				stepped = true
			case m.is("event", "stopped"):
				hide, stepped = stepped && m.body()["reason"] == "step", false
			case m.is("response", "stackTrace") && hide:
				if l := m.list("stackFrames"); len(l) > 0 {
					delete(l[0], "source")
					m.setList("stackFrames", l)
				}
			}
			p.pass(m)
		}
	}},
	{"function-breakpoints", "says that function breakpoints are set, and sets none", ByReference, func() handler {
		names := map[any]int{}
		return func(p *pipe, m message) {
			switch {
			case m.is("request", "setFunctionBreakpoints"):
				names[m["seq"]] = len(m.list("breakpoints"))
				m.setList("breakpoints", nil)
			case m.is("response", "setFunctionBreakpoints"):
				var l []message
				for i := range names[m["request_seq"]] {
					l = append(l, message{"id": 5000 + i, "verified": true})
				}
				m.setList("breakpoints", l)
			}
			p.pass(m)
		}
	}},
	{"refuses-breakpoints", "refuses every line breakpoint", ByReference, func() handler {
		return func(p *pipe, m message) {
			switch {
			case m.is("response", "setBreakpoints"):
				l := m.list("breakpoints")
				for _, b := range l {
					b["verified"], b["message"] = false, "could not find statement"
					delete(b, "line")
				}
				m.setList("breakpoints", l)
			}
			p.pass(m)
		}
	}},
	{"function-names", "calls each function but the innermost by another name", ByReference, every(1, "response", "stackTrace", func(p *pipe, m message) bool {
		l := m.list("stackFrames")
		for i, f := range l {
			if name, _ := f["name"].(string); i > 0 && strings.HasPrefix(name, "main.") {
				f["name"] = name + "2"
			}
		}
		m.setList("stackFrames", l)
		return false
	})},
	{"innermost-name", "calls the innermost function by another name", ByReference, every(1, "response", "stackTrace", func(p *pipe, m message) bool {
		if l := m.list("stackFrames"); len(l) > 0 && strings.HasPrefix(fmt.Sprint(l[0]["name"]), "main.") {
			l[0]["name"] = fmt.Sprint(l[0]["name"]) + "2"
			m.setList("stackFrames", l)
		}
		return false
	})},
	{"next-in-generics", "runs on where it should step over in a generic function", ByReference, stepAs("next", "continue", func(top string) bool { return strings.Contains(top, "[") })},
	{"stepin-in-generics", "steps over where it should step in, in a generic function", ByReference, stepAs("stepIn", "next", func(top string) bool { return strings.Contains(top, "[") })},
	{"next-in-closures", "runs on where it should step over in a function literal", ByReference, stepAs("next", "continue", func(top string) bool { return strings.Contains(top, ".func") })},
	{"next-in-methods", "runs on where it should step over in a method with a pointer receiver", ByReference, stepAs("next", "continue", func(top string) bool { return strings.Contains(top, "(*") })},
	{"next-in-defers", "runs on where it should step over in a function that defers", ByReference, stepAs("next", "continue", func(top string) bool {
		return top == "main.guard" || top == "main.order" || top == "main.value" || top == "main.nested"
	})},
	{"stepin-starts", "steps over where it should step in, in main", ByReference, stepAs("stepIn", "next", func(top string) bool { return top == "main.main" })},
	{"stepin-over", "steps over where it should step in", ByReference, stepAs("stepIn", "next", func(string) bool { return true })},
	{"stepout-runs", "runs on where it should step out", ByReference, stepAs("stepOut", "continue", func(string) bool { return true })},
	{"stepout-hangs", "never says that a step out has ended", ByReference, func() handler {
		out := false
		return func(p *pipe, m message) {
			switch {
			case m.is("request", "stepOut"):
				out = true
			case m.is("event", "stopped") && out && m.body()["reason"] == "step":
				out = false
				return
			case m.is("event", "stopped"):
				out = false
			}
			p.pass(m)
		}
	}},
	{"conditions-hold", "takes every condition of a breakpoint for true", ByReference, onBreakpoints(func(b message) {
		if c, ok := b["condition"].(string); ok && c != "true" && c != "false" {
			delete(b, "condition")
		}
	})},
	{"hits-once", "takes every hit condition for the first hit", ByReference, onBreakpoints(func(b message) {
		if b["hitCondition"] != nil {
			b["hitCondition"] = "==1"
		}
	})},
	{"log-numbers", "prints each number of a log point as one more", ByReference, logs(func(s string) string {
		words := strings.Split(s, " ")
		for i, w := range words {
			if n, err := strconv.Atoi(w); err == nil {
				words[i] = strconv.Itoa(n + 1)
			}
		}
		return strings.Join(words, " ")
	})},
	{"log-texts", "prints the texts of log points in capitals", ByReference, logs(func(s string) string {
		parts := strings.Split(s, `"`)
		for i := 1; i < len(parts); i += 2 {
			parts[i] = strings.ToUpper(parts[i])
		}
		return strings.Join(parts, `"`)
	})},
	{"log-twice", "prints each message of a log point twice", ByReference, func() handler {
		return func(p *pipe, m message) {
			if m.is("event", "output") && m.body()["source"] != nil {
				p.pass(m)
			}
			p.pass(m)
		}
	}},
	{"keys-missing", "says of each key that its map does not have it", ByReference, evaluates(func(expr string, m message) {
		if strings.Contains(expr, `["`) || strings.Contains(expr, "m[") {
			refuse(m, "Unable to evaluate expression: key not found")
		}
	})},
	{"no-operators", "refuses expressions with a plus", ByReference, evaluates(func(expr string, m message) {
		if strings.Contains(expr, " + ") {
			refuse(m, "Unable to evaluate expression: operator + not supported")
		}
	})},
	{"texts-evaluated", "gives the texts that it evaluates in capitals", ByReference, evaluates(func(_ string, m message) {
		if m.body()["type"] == "string" {
			m.body()["result"] = strings.ToUpper(fmt.Sprint(m.body()["result"]))
		}
	})},
	{"truths-evaluated", "gives the opposite of each truth that it evaluates", ByReference, evaluates(func(_ string, m message) {
		if v, ok := map[any]string{"true": "false", "false": "true"}[m.body()["result"]]; ok {
			m.body()["result"] = v
		}
	})},
	{"evaluates-here", "evaluates in the innermost function whatever the frame", ByReference, ofInnermost("evaluate")},
	{"assigns-more", "assigns one more than it is asked to", ByReference, every(1, "request", "setVariable", func(p *pipe, m message) bool {
		m.body()["value"] = more(m.body()["value"])
		return false
	})},
	{"lost-errors", "loses what the program prints to standard error", ByReference, every(1, "event", "output", func(p *pipe, m message) bool {
		return m.body()["category"] == "stderr"
	})},
	{"one-thread", "lists no thread", ByReference, every(1, "response", "threads", func(p *pipe, m message) bool {
		m.setList("threads", nil)
		return false
	})},
	{"exits-well", "reports exit code 0, whatever the program's", ByReference, every(1, "event", "exited", func(p *pipe, m message) bool {
		m.body()["exitCode"] = 0
		return false
	})},
	{"one-frame", "shows the innermost frame alone", ByReference, every(1, "response", "stackTrace", func(p *pipe, m message) bool {
		if l := m.list("stackFrames"); len(l) > 1 {
			m.setList("stackFrames", l[:1])
			m.body()["totalFrames"] = 1
		}
		return false
	})},
	{"callers-reversed", "shows the callers in the opposite order", ByReference, every(1, "response", "stackTrace", func(p *pipe, m message) bool {
		if l := m.list("stackFrames"); len(l) > 3 {
			l[1], l[2] = l[2], l[1]
			m.setList("stackFrames", l)
		}
		return false
	})},
	{"every-other-hit", "passes by every second hit of a line breakpoint, always", ByReference, func() handler {
		n := 0
		return func(p *pipe, m message) {
			if m.is("event", "stopped") && m.body()["reason"] == "breakpoint" {
				if n++; n%2 == 0 {
					p.request("continue", message{"threadId": m.body()["threadId"]})
					return
				}
			}
			p.pass(m)
		}
	}},
}

// stepAs makes one step another where the innermost function fits.
func stepAs(step, other string, fits func(top string) bool) func() handler {
	return func() handler {
		top := ""
		asked := map[any]bool{}
		return func(p *pipe, m message) {
			switch {
			case m.is("event", "stopped"):
				top = ""
			case m.is("response", "stackTrace"):
				if l := m.list("stackFrames"); len(l) > 0 && top == "" {
					top, _ = l[0]["name"].(string)
				}
			case m.is("request", step) && fits(top):
				m["command"] = other
				asked[m["seq"]] = true
			case m["type"] == "response" && asked[m["request_seq"]]:
				m["command"] = step
			}
			p.pass(m)
		}
	}
}

// logs changes the messages of log points.
func logs(change func(string) string) func() handler {
	return func() handler {
		return func(p *pipe, m message) {
			if m.is("event", "output") && m.body()["source"] != nil {
				text := fmt.Sprint(m.body()["output"])
				head, rest, ok := strings.Cut(text, ": ")
				if ok {
					m.body()["output"] = head + ": " + change(strings.TrimSuffix(rest, "\n")) + "\n"
				}
			}
			p.pass(m)
		}
	}
}

// evaluates changes the answers to expressions.
func evaluates(change func(expr string, m message)) func() handler {
	return func() handler {
		asked := map[any]string{}
		return func(p *pipe, m message) {
			switch {
			case m.is("request", "evaluate"):
				asked[m["seq"]], _ = m.body()["expression"].(string)
			case m.is("response", "evaluate"):
				change(asked[m["request_seq"]], m)
			}
			p.pass(m)
		}
	}
}

// refuse makes an answer a refusal.
func refuse(m message, why string) {
	m["success"], m["message"] = false, "Unable to evaluate expression"
	m["body"] = map[string]any{"error": map[string]any{"id": 1, "format": why, "showUser": false}}
}
