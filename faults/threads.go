package faults

import (
	"fmt"
	"strconv"
)

// threads are faults in what is shown of threads other than the one that has paused. All are there always, in the same way.
var threads = []Fault{
	{"threads-mixed", "shows the stack of the paused thread for each other one", ByReference, ofPaused("stackTrace")},
	{"threads-refused", "refuses the stacks of threads that have not paused", ByReference, stacksOfOthers(func(m message) {
		m["success"], m["message"] = false, "unknown goroutine"
		delete(m, "body")
	})},
	{"threads-cut", "leaves out the last frame of the stack of each thread that has not paused", ByReference, stacksOfOthers(func(m message) {
		if l := m.list("stackFrames"); len(l) > 1 {
			m.setList("stackFrames", l[:len(l)-1])
			m.body()["totalFrames"] = len(l) - 1
		}
	})},
	{"threads-wrong", "shows each integer one too large in the frames of threads that have not paused", ByReference, threadsWrong},
	{"threads-skip", "steps over two lines in the place of one, in each goroutine but the first", ByReference, threadsSkip},
	{"threads-stay", "steps the thread that has paused, whichever is asked for", ByReference, ofPaused("next", "stepIn", "stepOut")},
}

// stacksOfOthers changes the stacks of threads that have not paused.
func stacksOfOthers(change func(message)) func() handler {
	return func() handler {
		var paused any
		asked := map[any]bool{}
		return func(p *pipe, m message) {
			switch {
			case m.is("event", "stopped"):
				paused = m.body()["threadId"]
			case m.is("request", "stackTrace"):
				asked[m["seq"]] = m.body()["threadId"] != paused
			case m["type"] == "response" && asked[m["request_seq"]]:
				change(m)
			}
			p.pass(m)
		}
	}
}

// threadsSkip answers the first of two steps with the pause of the second.
func threadsSkip() handler {
	stepped := false
	return func(p *pipe, m message) {
		thread := m.body()["threadId"]
		switch {
		case m.is("request", "next"):
			stepped = m.body()["granularity"] != "instruction" && thread != nil && thread != float64(1)
		case m.is("event", "stopped") && stepped:
			stepped = false
			if m.body()["reason"] == "step" {
				p.request("next", message{"threadId": thread})
				return
			}
		}
		p.pass(m)
	}
}

// ofPaused asks for the thread that has paused, whichever a request of these commands names.
func ofPaused(commands ...string) func() handler {
	return func() handler {
		var paused any
		return func(p *pipe, m message) {
			if m.is("event", "stopped") {
				paused = m.body()["threadId"]
			}
			for _, command := range commands {
				if m.is("request", command) && paused != nil {
					m.body()["threadId"] = paused
				}
			}
			p.pass(m)
		}
	}
}

// threadsWrong follows a frame from its stack over its scopes to its variables.
func threadsWrong() handler {
	var paused any
	thread := map[any]any{} // of requests for stacks
	other := map[any]bool{} // frames, and references to variables, of threads that have not paused
	asked := map[any]bool{} // requests about these
	return func(p *pipe, m message) {
		switch {
		case m.is("event", "stopped"):
			paused = m.body()["threadId"]
			clear(other)
		case m.is("request", "stackTrace"):
			thread[m["seq"]] = m.body()["threadId"]
		case m.is("request", "scopes"):
			asked[m["seq"]] = other[m.body()["frameId"]]
		case m.is("request", "variables"):
			asked[m["seq"]] = other[m.body()["variablesReference"]]
		case m.is("response", "stackTrace"):
			for _, f := range m.list("stackFrames") {
				other[f["id"]] = thread[m["request_seq"]] != paused
			}
		case m.is("response", "scopes") && asked[m["request_seq"]]:
			for _, s := range m.list("scopes") {
				other[s["variablesReference"]] = true
			}
		case m.is("response", "variables") && asked[m["request_seq"]]:
			l := m.list("variables")
			for _, v := range l {
				other[v["variablesReference"]] = v["variablesReference"] != 0.0
				if n, err := strconv.Atoi(fmt.Sprint(v["value"])); err == nil && v["type"] == "int" {
					v["value"] = strconv.Itoa(n + 1)
				}
			}
			m.setList("variables", l)
		}
		p.pass(m)
	}
}
