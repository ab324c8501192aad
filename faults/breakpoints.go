package faults

import (
	"fmt"
	"go/ast"
	"maps"
)

// nextPassesBreakpoints steps out of where a breakpoint has paused a step over, and on with
// the step.
func nextPassesBreakpoints() handler {
	var from pos
	var held message // the step itself, or a pause
	var thread, asked any
	stepping, inside := false, false
	return func(p *pipe, m message) {
		switch {
		case m.is("request", "next") && m.body()["granularity"] != "instruction":
			stepping, inside, thread = false, false, m.body()["threadId"]
			held = m
			asked = ask(p, "stackTrace", message{"threadId": thread, "startFrame": 0, "levels": 500})
			return
		case m.is("request", "continue"), m.is("request", "next"), m.is("request", "stepIn"), m.is("request", "stepOut"):
			stepping = false
		case m.is("event", "stopped"):
			reason := m.body()["reason"]
			hit := reason == "breakpoint" || reason == "function breakpoint"
			if stepping && m.body()["threadId"] == thread && (hit || inside && reason == "step") {
				held = m
				asked = ask(p, "stackTrace", message{"threadId": thread, "startFrame": 0, "levels": 500})
				return
			}
			stepping = false
		case m.is("response", "stackTrace") && asked != nil && m["request_seq"] == asked:
			asked = nil
			p.pass(m) // which swallows it
			to := posOf(m)
			if held["type"] == "request" {
				from, stepping = to, to.name != ""
				p.pass(held)
				return
			}
			if to.depth > from.depth {
				inside = true
				p.request("stepOut", message{"threadId": thread})
				return
			}
			if inside && held.body()["reason"] == "step" && to.depth == from.depth && to.line == from.line {
				inside = false
				p.request("next", message{"threadId": thread})
				return
			}
			stepping = false
			p.pass(held)
			return
		}
		p.pass(m)
	}
}

// bodyOfIf is the line where the body of an if begins that begins on a line; 0 if there is
// none, or it is on that line too.
func bodyOfIf(path string, line int) (body int) {
	fset, f := parsed(path)
	if f == nil {
		return 0
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.IfStmt); ok && fset.Position(s.Pos()).Line == line && len(s.Body.List) > 0 {
			if first := fset.Position(s.Body.List[0].Pos()).Line; first > line {
				body = first
			}
		}
		return true
	})
	return body
}

// ifBreakpoints moves breakpoints, and answers as if they had not been moved. Where there is
// one already, it sets none.
func ifBreakpoints() handler {
	type answer struct {
		line any
		made message // nil if the adapter answers
	}
	asked := map[any][]answer{}
	return func(p *pipe, m message) {
		switch {
		case m.is("request", "setBreakpoints"):
			source, _ := m.body()["source"].(map[string]any)
			path, _ := source["path"].(string)
			l := m.list("breakpoints")
			set := map[any]bool{}
			for _, b := range l {
				set[b["line"]] = true
			}
			var rest []message
			var all []answer
			for _, b := range l {
				a := answer{}
				line, _ := b["line"].(float64)
				if body := float64(bodyOfIf(path, int(line))); body > 0 {
					a.line = line
					if set[body] {
						a.made = message{"id": 8000 + line, "verified": true, "line": line, "source": source}
					}
					b["line"] = body
				}
				if a.made == nil {
					rest = append(rest, b)
				}
				all = append(all, a)
			}
			asked[m["seq"]] = all
			m.setList("breakpoints", rest)
		case m.is("response", "setBreakpoints") && m["success"] == true:
			all, ok := asked[m["request_seq"]]
			if !ok {
				break
			}
			delete(asked, m["request_seq"])
			got := m.list("breakpoints")
			var l []message
			for _, a := range all {
				switch {
				case a.made != nil:
					l = append(l, a.made)
				case len(got) > 0:
					if a.line != nil && got[0]["verified"] == true {
						got[0]["line"] = a.line
					}
					l, got = append(l, got[0]), got[1:]
				}
			}
			m.setList("breakpoints", l)
		}
		p.pass(m)
	}
}

// conditionsOnce sets the breakpoints of a file anew when one with a condition was hit.
func conditionsOnce() handler {
	type place struct{ path, line, condition string }
	placeOf := func(path string, b message) place {
		return place{path, fmt.Sprint(b["line"]), fmt.Sprint(b["condition"])}
	}
	was := map[place]bool{}         // true once
	last := map[string]message{}    // what was asked for, by path
	asked := map[any][]place{}      // by request
	conditions := map[any][]place{} // by breakpoint
	stripped := func(args message) message {
		body := message{"body": map[string]any(maps.Clone(args))}
		source, _ := args["source"].(map[string]any)
		path, _ := source["path"].(string)
		var l []message
		for _, b := range body.list("breakpoints") {
			b = maps.Clone(b)
			if was[placeOf(path, b)] {
				delete(b, "condition")
			}
			l = append(l, b)
		}
		body.setList("breakpoints", l)
		return body.body()
	}
	return func(p *pipe, m message) {
		switch {
		case m.is("request", "setBreakpoints"):
			source, _ := m.body()["source"].(map[string]any)
			path, _ := source["path"].(string)
			var places []place
			for _, b := range m.list("breakpoints") {
				places = append(places, placeOf(path, b))
			}
			asked[m["seq"]] = places
			last[path] = m.body()
			m["arguments"] = map[string]any(stripped(last[path]))
		case m.is("response", "setBreakpoints") && m["success"] == true:
			places := asked[m["request_seq"]]
			for i, b := range m.list("breakpoints") {
				if i < len(places) && b["id"] != nil {
					conditions[b["id"]] = []place{places[i]}
				}
			}
		case m.is("event", "stopped"):
			ids, _ := m.body()["hitBreakpointIds"].([]any)
			for _, id := range ids {
				for _, at := range conditions[id] {
					if at.condition != "<nil>" && at.condition != "" && !was[at] {
						was[at] = true
						p.request("setBreakpoints", stripped(last[at.path]))
					}
				}
			}
		case m.is("request", "restart"):
			paths := map[string]bool{}
			for at := range was {
				paths[at.path] = true
			}
			clear(was)
			for path := range paths {
				p.request("setBreakpoints", stripped(last[path]))
			}
		}
		p.pass(m)
	}
}
