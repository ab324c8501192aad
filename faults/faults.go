package faults

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Faults are all faults. A new one is one entry in one of these tables, and what it breaks one
// in breaks.
var Faults = slices.Concat(mixed, values, stops, odd, settings, asked, stranger, threads, instructions, operators, calls, running, listed)

// mixed are faults of all kinds, many of which come now and then.
var mixed = []Fault{
	{"drop-pause", "does not pause at every third breakpoint hit", ByComparison, every(3, "event", "stopped", func(p *pipe, m message) bool {
		if m.body()["reason"] != "breakpoint" {
			return false
		}
		p.request("continue", message{"threadId": m.body()["threadId"]})
		return true
	})},
	{"line-off", "reports the line of every fourth pause one too far", ByComparison, every(4, "response", "stackTrace", func(p *pipe, m message) bool {
		if l := m.list("stackFrames"); len(l) > 0 {
			line, _ := l[0]["line"].(float64)
			l[0]["line"] = line + 1
			m.setList("stackFrames", l)
		}
		return false
	})},
	{"swap-values", "swaps the values of two variables of one type", ByComparison, every(3, "response", "variables", func(p *pipe, m message) bool {
		l := m.list("variables")
		for i := range l {
			for j := range i {
				if l[i]["type"] == l[j]["type"] && l[i]["value"] != l[j]["value"] {
					l[i]["value"], l[j]["value"] = l[j]["value"], l[i]["value"]
					m.setList("variables", l)
					return false
				}
			}
		}
		return false
	})},
	{"hide-variable", "does not show the last variable of every fourth list", ByComparison, every(4, "response", "variables", func(p *pipe, m message) bool {
		if l := m.list("variables"); len(l) > 1 {
			m.setList("variables", l[:len(l)-1])
		}
		return false
	})},
	{"forget-breakpoint", "says that it has set the last of several breakpoints, and has not", ByComparison, forgetBreakpoint},
	{"keep-removed", "keeps every breakpoint that is removed", ByComparison, keepRemoved},
	{"rename-frame", "names the caller differently in every third stack", ByComparison, every(3, "response", "stackTrace", func(p *pipe, m message) bool {
		if l := m.list("stackFrames"); len(l) > 1 {
			l[1]["name"] = "main.other"
			m.setList("stackFrames", l)
		}
		return false
	})},
	{"drop-frame", "leaves the caller out of every third stack", ByComparison, every(3, "response", "stackTrace", func(p *pipe, m message) bool {
		if l := m.list("stackFrames"); len(l) > 2 {
			m.setList("stackFrames", append(l[:1:1], l[2:]...))
		}
		return false
	})},
	{"step-in", "steps in where it should step over", ByComparison, func() handler {
		asked := map[any]bool{}
		return func(p *pipe, m message) {
			switch {
			case m.is("request", "next"):
				m["command"] = "stepIn"
				asked[m["seq"]] = true
			case m["type"] == "response" && asked[m["request_seq"]]:
				m["command"] = "next"
			}
			p.pass(m)
		}
	}},
	{"answer-twice", "answers every twentieth request for a stack twice", ByComparison, every(20, "response", "stackTrace", func(p *pipe, m message) bool {
		p.pass(m)
		return false
	})},
	{"event-order", "says that the program has terminated before that it has exited", ByComparison, func() handler {
		var held message
		return func(p *pipe, m message) {
			switch {
			case m.is("event", "exited"):
				held = m
				return
			case m.is("event", "terminated") && held != nil:
				p.pass(m)
				p.pass(held)
				held = nil
				return
			}
			p.pass(m)
		}
	}},
	{"never-answers", "never answers the tenth request for scopes", ByComparison, every(10, "response", "scopes", func(p *pipe, m message) bool { return true })},
	{"dies", "dies at the sixth pause", ByComparison, every(6, "event", "stopped", func(p *pipe, m message) bool {
		p.up.Close()
		p.down.Close()
		return true
	})},
	{"condition-ignored", "ignores the conditions of breakpoints", ByComparison, onBreakpoints(func(b message) { delete(b, "condition") })},
	{"hit-off", "counts the hits of breakpoints one too many", ByComparison, onBreakpoints(func(b message) {
		if b["hitCondition"] == ">=1" || b["hitCondition"] == ">0" {
			b["hitCondition"] = ">=2"
		}
	})},
	{"log-pauses", "pauses at log points", ByComparison, onBreakpoints(func(b message) { delete(b, "logMessage") })},
	{"log-silent", "prints no message at every second log point", ByComparison, func() handler {
		n := 0
		return func(p *pipe, m message) {
			if m.is("event", "output") && m.body()["source"] != nil {
				if n++; n%2 == 0 {
					return
				}
			}
			p.pass(m)
		}
	}},
	{"exit-code", "reports another exit code", ByComparison, every(1, "event", "exited", func(p *pipe, m message) bool {
		code, _ := m.body()["exitCode"].(float64)
		m.body()["exitCode"] = code + 1
		return false
	})},
	{"lost-output", "loses every third line that the program prints", ByComparison, every(3, "event", "output", func(p *pipe, m message) bool {
		return m.body()["category"] == "stdout" && m.body()["source"] == nil
	})},
	{"set-type", "answers setVariable without the type", ByComparison, every(1, "response", "setVariable", func(p *pipe, m message) bool {
		delete(m.body(), "type")
		return false
	})},
	{"types-unsaid", "answers evaluate without the type", ByComparison, every(1, "response", "evaluate", func(p *pipe, m message) bool {
		delete(m.body(), "type")
		return false
	})},
	{"seq-zero", "numbers all its responses 0", ByComparison, func() handler {
		return func(p *pipe, m message) {
			if m["type"] == "response" {
				m["seq"] = 0
			}
			p.pass(m)
		}
	}},
	{"evaluate-drifts", "gives 4711 for every fifth integer that it evaluates", ByComparison, every(5, "response", "evaluate", func(p *pipe, m message) bool {
		if m.body()["type"] == "int" {
			m.body()["result"] = "4711"
		}
		return false
	})},
	{"step-runs-on", "runs every second step on to the next breakpoint", ByComparison, func() handler {
		n := 0
		asked := map[any]bool{}
		return func(p *pipe, m message) {
			switch {
			case m.is("request", "next"):
				if n++; n%2 == 0 {
					m["command"] = "continue"
					asked[m["seq"]] = true
				}
			case m["type"] == "response" && asked[m["request_seq"]]:
				m["command"] = "next"
			}
			p.pass(m)
		}
	}},
	{"stale-value", "shows each integer with the value that it had a pause before", ByComparison, func() handler {
		last := map[any]any{}
		return func(p *pipe, m message) {
			if m.is("response", "variables") {
				l := m.list("variables")
				for _, v := range l {
					if v["type"] != "int" {
						continue
					}
					old, ok := last[v["evaluateName"]]
					last[v["evaluateName"]] = v["value"]
					if ok {
						v["value"] = old
					}
				}
				m.setList("variables", l)
			}
			p.pass(m)
		}
	}},
	{"always-wrong-caller", "reports the line of every caller one too far, always", ByReference, every(1, "response", "stackTrace", func(p *pipe, m message) bool {
		l := m.list("stackFrames")
		for i, f := range l {
			if line, ok := f["line"].(float64); ok && i > 0 {
				f["line"] = line + 1
			}
		}
		m.setList("stackFrames", l)
		return false
	})},
	{"wrong-activation", "shows the variables of the caller where a function has called itself, always", ByReference, func() handler {
		caller := map[any]any{} // frames of one function, by number
		return func(p *pipe, m message) {
			switch {
			case m.is("response", "stackTrace"):
				if l := m.list("stackFrames"); len(l) > 1 && l[0]["name"] == l[1]["name"] {
					caller[l[0]["id"]] = l[1]["id"]
				}
			case m.is("request", "scopes"):
				if id, ok := caller[m.body()["frameId"]]; ok {
					m.body()["frameId"] = id
				}
			case m.is("event", "stopped"):
				clear(caller)
			}
			p.pass(m)
		}
	}},
	{"next-runs-on", "runs every step over on to the next breakpoint, always", ByReference, func() handler {
		asked := map[any]bool{}
		return func(p *pipe, m message) {
			switch {
			case m.is("request", "next"):
				m["command"] = "continue"
				asked[m["seq"]] = true
			case m["type"] == "response" && asked[m["request_seq"]]:
				m["command"] = "next"
			}
			p.pass(m)
		}
	}},
	{"hits-late", "counts the hits of breakpoints one too few, always", ByReference, onBreakpoints(func(b message) {
		// Those that are true from the first hit on are seen by comparison.
		late := map[any]string{">1": ">2", "2": "3", "==1": "==2", "% 2": "% 3", "<3": "<2", "!=2": "!=3"}
		if hit, ok := late[b["hitCondition"]]; ok {
			b["hitCondition"] = hit
		}
	})},
	{"always-hides", "never shows a variable named i", ByReference, every(1, "response", "variables", func(p *pipe, m message) bool {
		var l []message
		for _, v := range m.list("variables") {
			if v["name"] != "i" {
				l = append(l, v)
			}
		}
		m.setList("variables", l)
		return false
	})},
	{"always-wrong", "shows every boolean inverted, always", ByReference, every(1, "response", "variables", func(p *pipe, m message) bool {
		l := m.list("variables")
		for _, v := range l {
			if v["type"] == "bool" {
				v["value"] = map[any]string{"true": "false", "false": "true"}[v["value"]]
			}
		}
		m.setList("variables", l)
		return false
	})},
	{"evaluates-wrong", "gives one too many for every integer that it evaluates, always", ByReference, every(1, "response", "evaluate", func(p *pipe, m message) bool {
		if n, err := strconv.Atoi(fmt.Sprint(m.body()["result"])); err == nil && m.body()["type"] == "int" {
			m.body()["result"] = strconv.Itoa(n + 1)
		}
		return false
	})},
	{"assigns-nothing", "answers every setVariable and assigns nothing", ByReference, every(1, "request", "setVariable", func(p *pipe, m message) bool {
		p.toClient(message{
			"seq": 0, "type": "response", "request_seq": m["seq"], "success": true, "command": "setVariable",
			"body": message{"value": m.body()["value"], "type": "int"},
		})
		return true
	})},
	{"conditions-fail", "takes every condition of a breakpoint for false, always", ByReference, onBreakpoints(func(b message) {
		// Constant ones are seen by comparison.
		if c, ok := b["condition"].(string); ok && c != "true" && strings.ContainsAny(c, "abcdefghijklmnopqrsuvwxyz") {
			b["condition"] = "1 > 2"
		}
	})},
	{"one-goroutine", "passes by the hits of all goroutines but the first that pauses, always", ByReference, func() handler {
		first := any(nil)
		return func(p *pipe, m message) {
			if m.is("event", "stopped") && m.body()["reason"] == "breakpoint" {
				thread := m.body()["threadId"]
				if first == nil {
					first = thread
				}
				if thread != first {
					p.request("continue", message{"threadId": thread})
					return
				}
			}
			p.pass(m)
		}
	}},
}

// onBreakpoints changes each line breakpoint on its way to the adapter.
func onBreakpoints(f func(b message)) func() handler {
	return func() handler {
		return func(p *pipe, m message) {
			if m.is("request", "setBreakpoints") {
				l := m.list("breakpoints")
				for _, b := range l {
					f(b)
				}
				m.setList("breakpoints", l)
			}
			p.pass(m)
		}
	}
}

// forgetBreakpoint drops the last of several and makes its answer up.
func forgetBreakpoint() handler {
	dropped := map[any]message{} // by request
	return func(p *pipe, m message) {
		switch {
		case m.is("request", "setBreakpoints"):
			if l := m.list("breakpoints"); len(l) > 1 {
				dropped[m["seq"]] = message{"line": l[len(l)-1]["line"], "source": m.body()["source"]}
				m.setList("breakpoints", l[:len(l)-1])
			}
		case m.is("response", "setBreakpoints") && dropped[m["request_seq"]] != nil:
			d := dropped[m["request_seq"]]
			l := m.list("breakpoints")
			l = append(l, message{"id": 4711, "verified": true, "line": d["line"], "source": d["source"]})
			m.setList("breakpoints", l)
		}
		p.pass(m)
	}
}

// keepRemoved sends the adapter the longest list that it ever had for a file,
// and answers for those that were asked for.
func keepRemoved() handler {
	kept := map[any][]message{}
	want := map[any][]message{}
	return func(p *pipe, m message) {
		switch {
		case m.is("request", "setBreakpoints"):
			source, _ := m.body()["source"].(map[string]any)
			path := source["path"]
			asked := m.list("breakpoints")
			all := asked
			for _, old := range kept[path] {
				found := false
				for _, b := range asked {
					found = found || b["line"] == old["line"]
				}
				if !found {
					all = append(all[:len(all):len(all)], old)
				}
			}
			kept[path] = all
			want[m["seq"]] = asked
			m.setList("breakpoints", all)
		case m.is("response", "setBreakpoints"):
			l := m.list("breakpoints")
			if n := len(want[m["request_seq"]]); n < len(l) {
				m.setList("breakpoints", l[:n])
			}
		}
		p.pass(m)
	}
}
