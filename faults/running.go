package faults

// running are faults in what is asked while the program runs, and in what it does of its own accord.
var running = []Fault{
	{"running-unarmed", "says that breakpoints are set which are asked for while the program runs for the first time, and sets none", ByComparison, func() handler {
		kept := map[any]int{} // how many breakpoints each such request has, by its number
		first := true
		return whileRunning(func(p *pipe, m message, running bool) {
			switch {
			case m.is("event", "stopped"):
				first = false
			case m.is("request", "setBreakpoints") && running && first:
				kept[m["seq"]] = len(m.list("breakpoints"))
				m.setList("breakpoints", nil)
			case m.is("response", "setBreakpoints"):
				if n, ok := kept[m["request_seq"]]; ok {
					var l []message
					for i := range n {
						l = append(l, message{"id": 1 + i, "verified": true})
					}
					m.setList("breakpoints", l)
				}
			}
			p.pass(m)
		})
	}},
	{"restart-waits", "waits with a restart for the end of a program that runs", ByComparison, func() handler {
		var waiting []message
		return whileRunning(func(p *pipe, m message, running bool) {
			if m.is("request", "restart") && running {
				waiting = append(waiting, m)
				return
			}
			p.pass(m)
			if m.is("event", "terminated") {
				for _, w := range waiting {
					p.pass(w)
				}
				waiting = nil
			}
		})
	}},
	{"leaves-in-silence", "does not tell that a session is over which the client has ended", ByComparison, func() handler {
		left := false
		return func(p *pipe, m message) {
			left = left || m.is("request", "disconnect")
			if left && m.is("event", "terminated") {
				return
			}
			p.pass(m)
		}
	}},
	{"pauses-linger", "runs on with the step that follows, when it was asked to pause where it is paused", ByComparison, func() handler {
		asked := false
		return whileRunning(func(p *pipe, m message, running bool) {
			switch {
			case m.is("request", "pause") && !running:
				asked = true
			case m.is("event", "stopped") && asked && m.body()["reason"] == "step":
				asked = false
				p.request("continue", message{"threadId": m.body()["threadId"]})
				return
			}
			p.pass(m)
		})
	}},
	{"steps-stand", "does not carry out the first step after a pause at a breakpoint, and tells of that pause once more", ByReference, func() handler {
		var hit message
		return func(p *pipe, m message) {
			switch {
			case m.is("event", "stopped"):
				hit = nil
				if m.body()["reason"] == "breakpoint" {
					hit = m.body()
				}
			case m.is("request", "next") && hit != nil && m.body()["threadId"] == hit["threadId"]:
				p.stay(m, hit)
				hit = nil
				return
			}
			p.pass(m)
		}
	}},
	{"pauses-stay", "pauses the program at once when it is let run, when it was asked to pause where it is paused", ByComparison, func() handler {
		asked := false
		return whileRunning(func(p *pipe, m message, running bool) {
			p.pass(m)
			switch {
			case m.is("request", "pause") && !running:
				asked = true
			case m.is("request", "continue") && asked:
				asked = false
				p.request("pause", message{"threadId": 1})
			}
		})
	}},
	{"own-passed", "does not pause where the program itself has a breakpoint", ByComparison, every(1, "event", "stopped", func(p *pipe, m message) bool {
		if ids, _ := m.body()["hitBreakpointIds"].([]any); m.body()["reason"] != "breakpoint" || len(ids) > 0 {
			return false
		}
		p.request("continue", message{"threadId": m.body()["threadId"]})
		return true
	})},
}
